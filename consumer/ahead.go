package consumer

import (
	"slices"
	"sync"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/fetch"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/strategy"
)

// An ahead reads partitions that are about to come to the member, from what the group has committed, so that their records are here when
// they do. Nothing of them is delivered before.
type ahead struct {
	driver *driver

	mu      sync.Mutex
	wanted  map[strategy.TopicPartition]bool
	readers map[strategy.TopicPartition]readAhead
}

// A readAhead is a partition that is read ahead.
type readAhead struct {
	*fetch.Partition
	start callbacks.Start
}

func newAhead(d *driver) *ahead {
	return &ahead{driver: d, wanted: map[strategy.TopicPartition]bool{}, readers: map[strategy.TopicPartition]readAhead{}}
}

// want sets what is to come. What is assigned at this moment stays as it is until a worker takes it.
func (a *ahead) want(list []strategy.TopicPartition, now *membership.Callback) {
	var assigned []strategy.TopicPartition
	if now != nil && now.Kind == membership.Assign {
		assigned = now.Partitions
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.wanted
	a.wanted = map[strategy.TopicPartition]bool{}
	var added []strategy.TopicPartition
	for _, p := range list {
		a.wanted[p] = true
		if !before[p] {
			added = append(added, p)
		}
	}
	for p := range before {
		if _, now := slices.BinarySearchFunc(assigned, p, strategy.TopicPartition.Compare); !now && !a.wanted[p] {
			a.close(p)
		}
	}
	if len(added) > 0 {
		a.driver.working.Go(func() { a.begin(added) })
	}
}

// close is called with a.mu held.
func (a *ahead) close(p strategy.TopicPartition) {
	if r, ok := a.readers[p]; ok {
		r.Close()
		delete(a.readers, p)
	}
}

// begin reads partitions from where they would begin if they came now. Where that cannot be told, nothing is read ahead.
func (a *ahead) begin(list []strategy.TopicPartition) {
	stored, err := a.driver.lanes.Committed(a.driver.handlers, list)
	if err != nil {
		a.driver.log.Debug("nothing is read ahead", "error", err)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range list {
		o, ok := stored[p]
		start := a.driver.host.beginning(p, callbacks.Start{}, o.Offset, ok).Start
		if !a.wanted[p] || a.readers[p].Partition != nil || start.From == callbacks.FromLatest {
			continue
		}
		if r, err := a.driver.fetcher.Open(p, start); err == nil {
			a.readers[p] = readAhead{r, start}
		}
	}
}

// take hands out what was read ahead of a partition that starts, nil if that is of no use. Records before the start may come first.
func (a *ahead) take(p strategy.TopicPartition, start callbacks.Start) *fetch.Partition {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.wanted, p) // begin may be on its way still
	r, ok := a.readers[p]
	if !ok {
		return nil
	}
	delete(a.readers, p)
	s := r.State()
	later := start.From == callbacks.FromOffset && r.start.From == callbacks.FromOffset && r.start.Offset <= start.Offset && start.Offset <= s.Next &&
		s.Whole <= start.Offset // or what was out of range for the one may be there for the other
	if s.Err != nil || start != r.start && !later {
		r.Close()
		return nil
	}
	return r.Partition
}

// drop ends what was read ahead of partitions that do not come after all.
func (a *ahead) drop(list []strategy.TopicPartition) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range list {
		if !a.wanted[p] {
			a.close(p)
		}
	}
}
