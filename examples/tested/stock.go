package main

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"sync"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/strategy"
)

// A stock keeps how many there are of each article, from records of movements: the key is an article, the value how many have come (or gone,
// if it is negative). An article's movements are all in one partition.
type stock struct {
	store  *store
	levels *callbacks.PartitionState[*levels]
}

// levels are what is kept for a partition. The offset belongs to them, so that no movement is counted twice.
type levels struct {
	next int64 // offset of the next movement
	of   map[string]int
}

func newStock(s *store) *stock {
	k := &stock{store: s}
	k.levels = &callbacks.PartitionState[*levels]{Load: k.load, Save: k.save}
	return k
}

func (k *stock) config() consumer.Config {
	return consumer.Config{Group: "stock", Topics: []string{"movements"}, Callbacks: k.levels}
}

// handle processes a movement.
func (k *stock) handle(_ context.Context, m *consumer.Message) error {
	l, ok := k.levels.Get(m.At())
	if !ok {
		return fmt.Errorf("no levels of %s-%d", m.Topic, m.Partition)
	}
	n, err := strconv.Atoi(string(m.Value))
	if err != nil {
		return fmt.Errorf("a movement of %s: %w", m.Key, err)
	}
	l.of[string(m.Key)] += n
	l.next = m.Offset + 1
	return nil
}

func (k *stock) load(_ context.Context, a *callbacks.Assignment, p strategy.TopicPartition) (*levels, error) {
	l := k.store.load(p)
	return l, a.SetStart(p, callbacks.Start{From: callbacks.FromOffset, Offset: l.next})
}

func (k *stock) save(_ context.Context, _ *callbacks.Revocation, p strategy.TopicPartition, l *levels) error {
	k.store.save(p, l)
	return nil
}

// A store is where levels are while nobody has their partition. It stands for a database.
type store struct {
	mu    sync.Mutex
	saved map[strategy.TopicPartition]levels
}

func newStore() *store { return &store{saved: map[strategy.TopicPartition]levels{}} }

func (s *store) load(p strategy.TopicPartition) *levels {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := levels{next: s.saved[p].next, of: map[string]int{}}
	maps.Copy(l.of, s.saved[p].of)
	return &l
}

func (s *store) save(p strategy.TopicPartition, l *levels) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved[p] = *l
}

// level returns how many there are of an article, as far as it was saved.
func (s *store) level(article string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, l := range s.saved {
		n += l.of[article]
	}
	return n
}
