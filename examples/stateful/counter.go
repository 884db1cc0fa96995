package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/strategy"
)

// A tally is what is kept for a partition. The offset is saved with the counts, so that no record is counted twice, even if the group has
// committed less: after a crash, counting goes on from the file.
type tally struct {
	Next   int64          `json:"next"` // offset of the next record to count
	Counts map[string]int `json:"counts"`
}

// A counter is a member that counts.
type counter struct {
	dir     string
	say     func(format string, args ...any)
	tallies *callbacks.PartitionState[*tally]
	held    atomic.Int64 // partitions
	counted atomic.Int64 // records
}

func newCounter(dir string, say func(format string, args ...any)) *counter {
	c := &counter{dir: dir, say: say}
	c.tallies = &callbacks.PartitionState[*tally]{Load: c.load, Save: c.save}
	return c
}

func (c *counter) config(brokers []string, topic string) consumer.Config {
	return consumer.Config{Brokers: brokers, Group: "stateful", Topics: []string{topic}, Callbacks: c.tallies}
}

// handle counts a record. Nobody else has the tally at that time: handlers of a partition run one at a time, and it is saved when they are done.
func (c *counter) handle(_ context.Context, m *consumer.Message) error {
	t, ok := c.tallies.Get(m.At())
	if !ok {
		return fmt.Errorf("no tally for %s-%d", m.Topic, m.Partition)
	}
	t.Counts[string(m.Key)]++
	t.Next = m.Offset + 1
	c.counted.Add(1)
	return nil
}

// load reads a partition's tally and starts the partition behind what is counted in it.
func (c *counter) load(_ context.Context, a *callbacks.Assignment, p strategy.TopicPartition) (*tally, error) {
	t := &tally{Counts: map[string]int{}}
	data, err := os.ReadFile(c.file(p))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.say("%s-%d is new", p.Topic, p.Partition)
	case err != nil:
		return nil, err
	default:
		if err := json.Unmarshal(data, t); err != nil {
			return nil, fmt.Errorf("%s: %w", c.file(p), err)
		}
		c.say("%s-%d loaded, %d records counted so far", p.Topic, p.Partition, t.Next)
	}
	if err := a.SetStart(p, callbacks.Start{From: callbacks.FromOffset, Offset: t.Next}); err != nil {
		return nil, err
	}
	c.held.Add(1)
	return t, nil
}

// save writes a partition's tally, before anybody else has the partition. A partition that is lost instead is not saved: its next owner goes on
// from the file, and counts again what came after that.
func (c *counter) save(_ context.Context, _ *callbacks.Revocation, p strategy.TopicPartition, t *tally) error {
	c.held.Add(-1)
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	half := c.file(p) + ".new"
	if err := os.WriteFile(half, data, 0o644); err != nil {
		return err
	}
	c.say("%s-%d saved, %d records counted so far", p.Topic, p.Partition, t.Next)
	return os.Rename(half, c.file(p)) // so that nobody finds half a file
}

func (c *counter) file(p strategy.TopicPartition) string {
	return filepath.Join(c.dir, fmt.Sprintf("%s-%d.json", p.Topic, p.Partition))
}
