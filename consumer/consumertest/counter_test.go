package consumertest_test

import (
	"context"
	"strconv"
	"sync"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer/consumertest"
	"github.com/assignkit/assignkit/strategy"
)

type (
	partition       = strategy.TopicPartition
	topicPartitions = strategy.TopicPartitions
)

// A tally is what is kept for a partition: how many records were counted, and where the next one is.
type tally struct {
	n    int
	next int64
}

// A counter is an application that counts the records of each partition, and does it right: it saves the offset together with the count and
// starts there.
type counter struct {
	mu    sync.Mutex
	kept  map[partition]tally
	table map[partition]tally // saved
	cache map[partition]tally // of those that spoil it
	host  *consumertest.Host
}

func newCounter(h *consumertest.Host) *counter {
	return &counter{kept: map[partition]tally{}, table: map[partition]tally{}, cache: map[partition]tally{}, host: h}
}

// locked calls f while nobody else uses the counter.
func (c *counter) locked(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

func (c *counter) load(_ context.Context, a *callbacks.Assignment) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p := range callbacks.Each(a.Added) {
		c.kept[p] = c.table[p]
		if err := a.SetStart(p, callbacks.Start{From: callbacks.FromOffset, Offset: c.table[p].next}); err != nil {
			return err
		}
	}
	return nil
}

func (c *counter) save(_ context.Context, r *callbacks.Revocation) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p := range callbacks.Each(r.Removed) {
		c.table[p] = c.kept[p]
		delete(c.kept, p)
	}
	return nil
}

func (c *counter) drop(_ context.Context, l *callbacks.Loss) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p := range callbacks.Each(l.Removed) {
		delete(c.kept, p)
	}
	return nil
}

func (c *counter) handle(p partition, offset int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept[p] = tally{n: c.kept[p].n + 1, next: offset + 1}
	return nil
}

func (c *counter) state(p partition) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.kept[p]
	return strconv.Itoa(t.n), ok
}

// spoiled is a counter that something is wrong with.
func spoiled(spoil func(c *counter, f *callbacks.Funcs, s *consumertest.Subject)) func(*consumertest.Host) consumertest.Subject {
	return func(h *consumertest.Host) consumertest.Subject {
		c := newCounter(h)
		f := callbacks.Funcs{OnAssign: c.load, OnRevoke: c.save, OnLost: c.drop}
		s := consumertest.Subject{State: c.state, Handle: c.handle}
		spoil(c, &f, &s)
		s.Callbacks = f
		return s
	}
}

// offset makes the argument of a commit.
func offset(p partition, at int64) map[partition]callbacks.Offset {
	return map[partition]callbacks.Offset{p: {Offset: at}}
}
