package callbacks

import (
	"context"
	"sync"

	"github.com/assignkit/assignkit/strategy"
)

// OnRevoke is called when the member is about to give partitions up, and still owns them.
type OnRevoke interface {
	// Revoked is called by the host, on a goroutine that neither sends heartbeats nor handles records, once in a rebalance that removes
	// partitions, and when the host ends while it owns some: after the handlers of these partitions have returned, and before any other
	// member can be given them. No other callback runs at that time; handlers of partitions that stay do.
	//
	// The context's deadline is the time left until the group would put the member out, or sooner. It does not end because the host is
	// closed: revoking is part of closing. It is cancelled when the partitions are lost meanwhile; OnLost is then not called as well.
	//
	// An error is reported. The partitions go all the same.
	//
	// Committing ends when Revoked returns. Everything else in the argument may be kept, and must not be changed.
	Revoked(ctx context.Context, r *Revocation) error
}

// A Revocation is the argument of [OnRevoke]. A host or a test makes one of its exported fields; it must not be copied.
type Revocation struct {
	Event
	// Removed is what the member gives up. It is never empty.
	Removed []strategy.TopicPartitions
	// Positions has, for removed partitions, the offset behind the last record that was handled: where the next owner should go on. A
	// partition of which no record was handled is missing, which is not 0: committing that would send the group back. May be nil.
	Positions map[strategy.TopicPartition]int64
	// CommitFunc is the host's part of [Revocation.Commit]. It may be called concurrently, with at least one offset, all of
	// partitions in Removed or Current; it returns a [*CommitError], or any other error if all of them failed for the same reason.
	// Nil: commits fail with [errors.ErrUnsupported].
	CommitFunc func(context.Context, map[strategy.TopicPartition]Offset) error

	mu    sync.Mutex
	ended bool
}

// End is for hosts and tests: it makes [Revocation.Commit] fail from now on. A commit that is on its way is not recalled.
func (r *Revocation) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
}

func (r *Revocation) isEnded() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

// child returns a Revocation with the same content, which ends apart from r but commits through it.
func (r *Revocation) child() *Revocation {
	return &Revocation{Event: r.Event, Removed: r.Removed, Positions: r.Positions, CommitFunc: r.send}
}

// late returns r as what it is to one who hears of it too late.
func (r *Revocation) late(cause error) *Loss {
	return &Loss{Event: r.Event, Removed: r.Removed, Reason: LossLate, Err: cause}
}
