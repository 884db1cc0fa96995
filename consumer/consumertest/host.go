package consumertest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/strategy"
)

// errRefused is what a commit fails with in a step in which the coordinator is away.
var errRefused = errors.New("the coordinator is not available")

// A Host is what the callbacks under check are part of, in place of a *consumer.Consumer: what the member has, what was handled, what the
// group has committed. Its method may be called from any goroutine.
type Host struct {
	commits consumer.CommitMode

	mu        sync.Mutex
	shares    map[strategy.TopicPartition]*share
	committed map[strategy.TopicPartition]int64
	losing    []strategy.TopicPartition // what the OnLost that runs is about
	refusing  bool
	denied    map[strategy.TopicPartition]bool // what may have been saved and not committed, so that records come again
	notes     []note                           // of what it was asked and should not have been
}

// A share is a partition that the member has.
type share struct {
	floor    int64 // committing less takes the group back
	start    int64 // where the member began
	next     int64 // offset of the next record to handle
	ceiling  int64 // committing more loses records: next, or behind the record in work
	delivers bool  // OnAssign has succeeded
}

// A note is a rule that was broken, and how.
type note struct{ rule, text string }

func newHost(commits consumer.CommitMode) *Host {
	return &Host{
		commits: commits, shares: map[strategy.TopicPartition]*share{}, committed: map[strategy.TopicPartition]int64{},
		denied: map[strategy.TopicPartition]bool{},
	}
}

// Commit is for applications that commit by themselves; it takes the place of the consumer's method of the same name, and answers as that
// does. What is committed wrongly is reported as a fault.
func (h *Host) Commit(ctx context.Context, offsets map[strategy.TopicPartition]callbacks.Offset) error {
	if ctx.Err() != nil {
		h.deny(slices.Collect(maps.Keys(offsets)))
		return context.Cause(ctx)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	failed := map[strategy.TopicPartition]error{}
	for _, p := range slices.SortedFunc(maps.Keys(offsets), strategy.TopicPartition.Compare) {
		if err := h.commit(p, offsets[p].Offset); err != nil {
			failed[p] = err
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return &callbacks.CommitError{Failed: failed}
}

// commit is called with h.mu held.
func (h *Host) commit(p strategy.TopicPartition, offset int64) error {
	s := h.shares[p]
	switch {
	case slices.Contains(h.losing, p):
		h.note(ruleLost, "it commits %s, which the member has lost", name(p))
		return callbacks.ErrNotOwned
	case s == nil:
		h.note(ruleOutside, "%s is committed, which is not the member's", name(p))
		return callbacks.ErrNotOwned
	case offset < 0:
		h.note(ruleCommits, "%s is committed at %d", name(p), offset)
		return fmt.Errorf("offset %d is negative", offset)
	case h.refusing:
		h.denied[p] = true
		return errRefused
	case offset > s.ceiling:
		h.note(ruleCommits, "%s is committed at %d, but %d is the offset of the next record to handle", name(p), offset, s.ceiling)
	case offset < s.floor:
		h.note(ruleCommits, "%s is committed at %d, but the group had committed %d, and the member has begun at %d", name(p), offset, h.committed[p], s.start)
	}
	h.committed[p] = max(h.committed[p], offset)
	return nil
}

// note is called with h.mu held.
func (h *Host) note(rule, format string, args ...any) {
	h.notes = append(h.notes, note{rule, fmt.Sprintf(format, args...)})
}

// taken returns the notes made since it was called before.
func (h *Host) taken() []note {
	h.mu.Lock()
	defer h.mu.Unlock()
	notes := h.notes
	h.notes = nil
	return notes
}

// current returns what the member has, sorted.
func (h *Host) current() []strategy.TopicPartition {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.SortedFunc(maps.Keys(h.shares), strategy.TopicPartition.Compare)
}

// delivering returns the partitions whose records are handled, sorted.
func (h *Host) delivering() (list []strategy.TopicPartition) {
	for _, p := range h.current() {
		h.mu.Lock()
		if h.shares[p].delivers {
			list = append(list, p)
		}
		h.mu.Unlock()
	}
	return list
}

// begin makes partitions the member's, before OnAssign, and returns what the group has committed of them.
func (h *Host) begin(parts []strategy.TopicPartition) map[strategy.TopicPartition]callbacks.Offset {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := map[strategy.TopicPartition]callbacks.Offset{}
	for _, p := range parts {
		at, ok := h.committed[p]
		if ok {
			known[p] = callbacks.Offset{Offset: at}
		}
		h.shares[p] = &share{floor: at, start: at, next: at, ceiling: at}
	}
	return known
}

// deliver notes where partitions start, after OnAssign.
func (h *Host) deliver(parts []strategy.TopicPartition, starts map[strategy.TopicPartition]callbacks.Start, ends map[strategy.TopicPartition]int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range parts {
		s := h.shares[p]
		switch start := starts[p]; start.From {
		case callbacks.FromOffset:
			s.start = start.Offset
		case callbacks.FromEarliest:
			s.start = 0
		case callbacks.FromLatest, callbacks.FromTimestamp: // all records are old
			s.start = ends[p]
		case callbacks.FromCommitted:
		}
		s.floor = min(s.floor, s.start)
		s.next, s.ceiling, s.delivers = s.start, s.start, true
	}
}

// drop takes partitions from the member: before OnLost, after OnRevoke.
func (h *Host) drop(parts []strategy.TopicPartition) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range parts {
		delete(h.shares, p)
	}
}

// during has commits judged as they are in a step, until it is called with nil.
func (h *Host) during(s *step) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.losing, h.refusing = nil, false
	if s != nil {
		h.refusing = s.refuse
		if s.kind == lose {
			h.losing = s.parts
		}
	}
}

// positions returns where the next owners of partitions should go on; those of which no record was handled are missing.
func (h *Host) positions(parts []strategy.TopicPartition) map[strategy.TopicPartition]int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := map[strategy.TopicPartition]int64{}
	for _, p := range parts {
		if s := h.shares[p]; s.delivers && s.next > s.start {
			at[p] = s.next
		}
	}
	return at
}

// tick commits what was handled, where the host does that, unless the coordinator is away.
func (h *Host) tick(parts []strategy.TopicPartition) {
	if h.commits != consumer.CommitAuto {
		return
	}
	for p, next := range h.positions(parts) {
		h.mu.Lock()
		if h.refusing {
			h.denied[p] = true
		} else {
			h.committed[p] = max(h.committed[p], next)
		}
		h.mu.Unlock()
	}
}

// work begins to handle the next record of a partition and returns its offset. done is called when it is handled.
func (h *Host) work(p strategy.TopicPartition) (offset int64, done func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.shares[p]
	s.ceiling = s.next + 1
	return s.next, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		s.next++
	}
}

// deny notes that partitions were not committed for no fault of the application's.
func (h *Host) deny(parts []strategy.TopicPartition) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range parts {
		h.denied[p] = true
	}
}

// wasDenied says whether that was noted of a partition, and forgets it.
func (h *Host) wasDenied(p strategy.TopicPartition) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	denied := h.denied[p]
	delete(h.denied, p)
	return denied
}
