package consumertest

import (
	"bytes"
	"io"
	"slices"
	"sync"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/trace"
	"github.com/assignkit/assignkit/strategy"
)

// A diary is what members have told of the generations that they were part of. It is safe for concurrent use.
type diary struct {
	mu      sync.Mutex
	entries []*trace.Rebalance
}

// A page is what a member writes its trace to.
type page struct {
	diary *diary
	also  io.Writer // of the application's own; may be nil
}

// Write takes a line of a trace.
func (p *page) Write(line []byte) (int, error) {
	for r, err := range trace.Read("trace", bytes.NewReader(line)) {
		if err != nil {
			return 0, err
		}
		p.diary.mu.Lock()
		p.diary.entries = append(p.diary.entries, r)
		p.diary.mu.Unlock()
	}
	if p.also != nil {
		return p.also.Write(line)
	}
	return len(line), nil
}

// of returns what was told of a generation of a group, in the order in which it was.
func (d *diary) of(group string, generation int32) []*trace.Rebalance {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(d.entries), func(r *trace.Rebalance) bool { return r.Group != group || r.Generation != generation })
}

// last returns what was told last, nil if nothing was.
func (d *diary) last() *trace.Rebalance {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.entries) == 0 {
		return nil
	}
	return d.entries[len(d.entries)-1]
}

// lost returns the partitions that OnLost was called with, as told after the first n entries.
func (d *diary) lost(group string, n int) map[strategy.TopicPartition]bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	lost := map[strategy.TopicPartition]bool{}
	for _, r := range d.entries[n:] {
		if r.Group != group {
			continue
		}
		for p := range callbacks.Each(r.Lost) {
			lost[p] = true
		}
	}
	return lost
}

func (d *diary) len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.entries)
}
