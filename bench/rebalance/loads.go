package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/assignkit/assignkit/consumer"
)

// A load is many records that one process reads, and nothing else.
type load struct {
	Reader     string   `json:"reader"`
	Brokers    []string `json:"brokers"`
	Topic      string   `json:"topic"`
	Group      string   `json:"group"`
	Partitions int32    `json:"partitions"`
	Each       int64    `json:"each"` // records of a partition
}

const (
	loadPartitions = 8
	loadSize       = 100 // bytes of a value; records have no key
	loadPatience   = 2 * time.Minute
)

// A reader is a way to read all partitions of a topic from their beginnings. It calls add for each record, not concurrently for the same
// partition, and runs until ctx or the process ends.
type reader struct {
	name string
	read func(ctx context.Context, l load, t *tally) error
}

// readers lists them. Those that others are compared with come first.
var readers = []reader{
	{"franz-go group", readFranz},
	{"sarama ConsumerGroup", readSaramaGroup},
	{"sarama Consumer", readSaramaPlain},
	{"sarama Broker.Fetch", readBroker},
	{"assignkit batches", readAssignkitBatches},
	{"assignkit records", readAssignkitRecords},
}

// A tally counts records. Its partitions do not share cache lines, so that it costs all readers alike, and little.
type tally struct {
	partitions []count
	each       int64
	complete   sync.WaitGroup // of partitions
}

type count struct {
	records, bytes int64
	_              [112]byte
}

func newTally(l load) *tally {
	t := &tally{partitions: make([]count, l.Partitions), each: l.Each}
	t.complete.Add(int(l.Partitions))
	return t
}

func (t *tally) add(partition int32, value []byte) {
	c := &t.partitions[partition]
	c.records++
	c.bytes += int64(len(value))
	if c.records == t.each {
		t.complete.Done()
	}
}

func readAssignkitRecords(ctx context.Context, l load, t *tally) error {
	c, err := newAssignkitReader(l)
	if err != nil {
		return err
	}
	return c.Run(ctx, func(_ context.Context, m *consumer.Message) error {
		t.add(m.Partition, m.Value)
		return nil
	})
}

func readAssignkitBatches(ctx context.Context, l load, t *tally) error {
	c, err := newAssignkitReader(l)
	if err != nil {
		return err
	}
	return c.RunBatches(ctx, func(_ context.Context, b *consumer.Batch) error {
		for i := range b.Messages {
			t.add(b.Partition, b.Messages[i].Value)
		}
		return nil
	})
}

func newAssignkitReader(l load) (*consumer.Consumer, error) {
	return consumer.New(consumer.Config{Brokers: l.Brokers, Group: l.Group, Topics: []string{l.Topic}, Logger: slog.New(slog.DiscardHandler)})
}

func readFranz(ctx context.Context, l load, t *tally) error {
	c, err := kgo.NewClient(kgo.SeedBrokers(l.Brokers...), kgo.ConsumerGroup(l.Group), kgo.ConsumeTopics(l.Topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		return err
	}
	defer c.Close()
	for ctx.Err() == nil {
		fetches := c.PollFetches(ctx)
		if errs := fetches.Errors(); len(errs) > 0 {
			return errs[0].Err
		}
		fetches.EachPartition(func(p kgo.FetchTopicPartition) {
			for _, r := range p.Records {
				t.add(p.Partition, r.Value)
			}
		})
	}
	return ctx.Err()
}

// A tallyHandler is a ConsumerGroup's.
type tallyHandler struct{ t *tally }

func (tallyHandler) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (tallyHandler) Cleanup(sarama.ConsumerGroupSession) error { return nil }

func (h tallyHandler) ConsumeClaim(s sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for m := range claim.Messages() {
		h.t.add(m.Partition, m.Value)
		s.MarkMessage(m, "")
	}
	return nil
}

func readSaramaGroup(ctx context.Context, l load, t *tally) error {
	group, err := sarama.NewConsumerGroup(l.Brokers, l.Group, saramaConfig())
	if err != nil {
		return err
	}
	for ctx.Err() == nil && err == nil {
		err = group.Consume(ctx, []string{l.Topic}, tallyHandler{t})
	}
	return err
}

func readSaramaPlain(ctx context.Context, l load, t *tally) error {
	c, err := sarama.NewConsumer(l.Brokers, saramaConfig())
	if err != nil {
		return err
	}
	var wait sync.WaitGroup
	for p := range l.Partitions {
		claim, err := c.ConsumePartition(l.Topic, p, 0)
		if err != nil {
			return err
		}
		wait.Go(func() {
			for m := range claim.Messages() {
				t.add(p, m.Value)
			}
		})
	}
	wait.Wait()
	return errors.Join(ctx.Err(), errors.New("the channels were closed"))
}

// readBroker is the least that a client on Sarama's connections can do: requests one after the other, records as they are decoded.
func readBroker(ctx context.Context, l load, t *tally) error {
	all := make([]int32, l.Partitions)
	for p := range all {
		all[p] = int32(p)
	}
	return readPartitions(ctx, l.Brokers[0], l.Topic, all, func(p int32, r *sarama.Record, _ int64) { t.add(p, r.Value) })
}

// childVariable in the environment makes this program a child that reads the load in it.
const childVariable = "ASSIGNKIT_REBALANCE_LOAD"

// child reads one load, and prints how long that took. It does not close what it has opened: the process's time ends with the last
// record.
func child(text string, out, complaints io.Writer) int {
	var l load
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		fmt.Fprintln(complaints, "reading the request:", err)
		return exitUsage
	}
	started := time.Now()
	t := newTally(l)
	failed := make(chan error, 1)
	for _, r := range readers {
		if r.name == l.Reader {
			go func() { failed <- r.read(context.Background(), l, t) }()
		}
	}
	done := make(chan struct{})
	go func() {
		t.complete.Wait()
		close(done)
	}()
	select {
	case <-done:
	case err := <-failed:
		fmt.Fprintln(complaints, err)
		return exitFailed
	case <-time.After(loadPatience):
		fmt.Fprintf(complaints, "not all records have come in %v\n", loadPatience)
		return exitFailed
	}
	took := time.Since(started)
	for p := range t.partitions {
		if got := &t.partitions[p]; got.records != l.Each || got.bytes != l.Each*loadSize {
			fmt.Fprintf(complaints, "partition %d: %d records of %d bytes in all, there are %d of %d each\n", p, got.records, got.bytes, l.Each, loadSize)
			return exitFailed
		}
	}
	fmt.Fprintln(out, took.Nanoseconds())
	return exitOK
}

// isolate reads a load in a child process, and returns what that has cost: processor time of the whole process, as its system has
// counted it, a record, and records a second from its beginning to the last.
func isolate(ctx context.Context, l load) (cpu, rate float64, err error) {
	text, err := json.Marshal(l)
	if err != nil {
		return 0, 0, err
	}
	program, err := os.Executable()
	if err != nil {
		return 0, 0, err
	}
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		return 0, 0, errors.Join(ctx.Err(), fmt.Errorf("%w: %s", err, bytes.TrimSpace(complaints.Bytes())))
	}
	var nanoseconds int64
	if _, err := fmt.Sscan(out.String(), &nanoseconds); err != nil {
		return 0, 0, fmt.Errorf("the child said %q: %w", &out, err)
	}
	records := float64(l.Each) * float64(l.Partitions)
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return float64(used.Nanoseconds()) / records, records / (float64(nanoseconds) / 1e9), nil
}

// fill creates a load's topic and produces its records, uncompressed.
func fill(ctx context.Context, l load) error {
	admin, err := sarama.NewClusterAdmin(l.Brokers, saramaConfig())
	if err != nil {
		return err
	}
	defer func() { _ = admin.Close() }() // it was only asked
	if err := admin.CreateTopic(l.Topic, &sarama.TopicDetail{NumPartitions: l.Partitions, ReplicationFactor: 1}, false); err != nil {
		return fmt.Errorf("creating topic %s: %w", l.Topic, err)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(l.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.NoCompression()), kgo.UnknownTopicRetries(100))
	if err != nil {
		return err
	}
	defer client.Close()
	var mu sync.Mutex
	var failed error
	value := bytes.Repeat([]byte("0123456789"), loadSize/10)
	for range l.Each {
		for p := range l.Partitions {
			client.Produce(ctx, &kgo.Record{Topic: l.Topic, Partition: p, Value: value}, func(_ *kgo.Record, err error) {
				if err != nil {
					mu.Lock()
					defer mu.Unlock()
					failed = err
				}
			})
		}
	}
	return errors.Join(client.Flush(ctx), failed)
}
