package callbacks

import (
	"context"
	"maps"
	"sync"

	"github.com/assignkit/assignkit/strategy"
)

// OnAssign is called when the member is given partitions that it did not have.
type OnAssign interface {
	// Assigned is called by the host, on a goroutine that neither sends heartbeats nor handles records, once in a rebalance that adds
	// partitions: after the group has agreed on the new generation, after what the same rebalance removes was revoked, and before the
	// first record of the added partitions is fetched for delivery. No other callback runs at that time; handlers of partitions that the
	// member had before do.
	//
	// The context's deadline is the time left until the group would put the member out, or sooner. It is cancelled when the partitions are
	// already lost again.
	//
	// An error keeps records of all added partitions from being delivered, whichever it was about; see the package's guarantee 6. They are
	// still owned, and will be revoked or lost like any others.
	//
	// Setting starts ends when Assigned returns. Everything else in the argument may be kept, and must not be changed.
	Assigned(ctx context.Context, a *Assignment) error
}

// An Assignment is the argument of [OnAssign]. A host or a test makes one of its exported fields; it must not be copied.
type Assignment struct {
	Event
	// Added is what the member did not have before. It is never empty.
	Added []strategy.TopicPartitions
	// Committed has the group's committed offset of added partitions. A partition without one is missing; nil means that the host
	// has not asked.
	Committed map[strategy.TopicPartition]Offset

	mu     sync.Mutex
	added  map[strategy.TopicPartition]bool // Added, once it has been asked for
	starts map[strategy.TopicPartition]Start
	ended  bool
}

// SetStart sets where an added partition starts, instead of at the committed offset. What is set last counts, also among the
// callbacks of a [Chain]. The host discards what it may have read ahead. It fails, with a [*PartitionError], for a partition
// that was not added ([ErrNotOwned]), for a start that makes no sense, and once the callback has returned ([ErrEnded]). It may be
// called concurrently.
func (a *Assignment) SetStart(p strategy.TopicPartition, s Start) error {
	err := s.Check()
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.ended:
		err = ErrEnded
	case err == nil && !a.isAdded(p):
		err = ErrNotOwned
	}
	if err != nil {
		return &PartitionError{Op: "set the start of", Partition: p, Err: err}
	}
	if a.starts == nil {
		a.starts = make(map[strategy.TopicPartition]Start)
	}
	a.starts[p] = s
	return nil
}

// isAdded is called with a.mu held.
func (a *Assignment) isAdded(p strategy.TopicPartition) bool {
	if a.added == nil {
		a.added = set(a.Added)
	}
	return a.added[p]
}

// End is for hosts and tests: it returns the starts that were set, and makes [Assignment.SetStart] fail from now on.
func (a *Assignment) End() map[strategy.TopicPartition]Start {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended = true
	return maps.Clone(a.starts)
}

// child returns an Assignment with the same content, whose starts are its own until adopted.
func (a *Assignment) child() *Assignment {
	return &Assignment{Event: a.Event, Added: a.Added, Committed: a.Committed}
}

// adopt takes the starts of a child over, unless a has ended.
func (a *Assignment) adopt(starts map[strategy.TopicPartition]Start) {
	for p, s := range starts {
		if a.SetStart(p, s) != nil {
			return
		}
	}
}
