package consumer

import (
	"errors"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/fetch"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/strategy"
)

// Stats is how a member is doing, as seen at one moment.
type Stats struct {
	Group      string
	Topics     []string // subscribed to, sorted; not to be changed
	Member     string   // its name in the group; "" while it has none
	Generation int32    // of the assignment that it applied last; -1 without one
	// State is what the member does about the group: down, discovering, revoking, joining, assigning, syncing, stable, rediscovering,
	// leaving, ended. Before Run it is down; after it, ended.
	State string

	Owned      []strategy.TopicPartitions // as [Consumer.Owned] returns it
	Partitions []PartitionStats           // those of them that are read, in order
}

// PartitionStats is how reading and processing of one partition is doing.
type PartitionStats struct {
	Partition strategy.TopicPartition
	Position  int64     // offset behind the last record processed, gaps behind it included; -1 while it is not known where to begin
	Committed int64     // offset that the group is known to have committed; -1 if none is
	End       int64     // offset behind the last record that can be read, as of the last answer of a broker; -1 before the first one
	Answered  time.Time // when a broker answered last without an error; zero before the first time
	Buffered  int64     // bytes of records read ahead and in work, about
	Err       error     // why it cannot be read for now
}

// Lag returns how many offsets are between Position and End, and whether both are known. It is never negative. It is an upper bound of
// the records that wait: where compaction has removed some, or transactions were aborted, offsets are left without records. They
// are passed over when they are reached, so that a partition that has nothing left to read has a lag of 0. Where only committed records
// are read, those of transactions that are still open, and what is behind them, do not count.
func (p *PartitionStats) Lag() (offsets int64, known bool) {
	if p.Position < 0 || p.End < 0 {
		return 0, false
	}
	return max(0, p.End-p.Position), true
}

// Stats returns how the member is doing. It asks nobody and answers at once, at any time: it is for metrics and the like.
func (c *Consumer) Stats() Stats {
	s := Stats{Group: c.cfg.Group, Topics: c.cfg.Topics, Generation: strategy.NoGeneration, State: membership.Down.String()}
	c.mu.Lock()
	d, ran := c.driver, c.ran
	c.mu.Unlock()
	if d == nil {
		if ran {
			s.State = membership.Ended.String()
		}
		return s
	}
	s.Member, s.Generation = d.identity()
	s.State = d.health.doing().String()
	s.Owned = d.host.current()
	for _, w := range d.host.active() {
		s.Partitions = append(s.Partitions, w.stats())
	}
	return s
}

// doing returns the member's state as of the last step.
func (h *health) doing() membership.State {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state
}

// stats returns how the worker's partition is doing.
func (w *worker) stats() PartitionStats {
	s := PartitionStats{Partition: w.at, Position: w.handled.Load(), Committed: w.stored.Load(), End: none}
	r := w.reader.Load()
	if r == nil { // it waits for the one before to end
		return s
	}
	state := r.State()
	s.End, s.Answered, s.Buffered = state.End, state.Answered, state.Bytes
	closed := errors.Is(state.Err, fetch.ErrClosed)
	if !closed {
		s.Err = state.Err
	}
	switch first, known := w.first.Load().Start(); {
	case state.Bytes == 0 && state.Next != none && !closed:
		s.Position = state.Next // nothing waits or is in work: this is behind gaps, and behind what was out of range
	case s.Position != none:
	case w.start.From == callbacks.FromOffset && first < w.start.Offset:
		s.Position = w.start.Offset // what was read ahead begins before it
	case known:
		s.Position = first
	}
	return s
}
