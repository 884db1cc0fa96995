package callbacks

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/strategy"
)

// An Offset is what a group commits for a partition.
type Offset struct {
	Offset   int64  // that of the next record to read, not of the last one read
	Metadata string // whatever the application wants to find again; brokers bound its length (4096 bytes by default)
}

// Commit commits offsets of partitions that are being revoked, or that stay. It returns when the coordinator has answered or ctx
// ended. An error is a [*CommitError], with an error for each partition whose offset was not committed, such as [ErrNotOwned] for one
// that is not the member's and [ErrEnded] for all if the callback has returned; the others' are committed. Only where the error
// is ctx's may the offset have been committed or not. Commit may be called concurrently.
func (r *Revocation) Commit(ctx context.Context, offsets map[strategy.TopicPartition]Offset) error {
	owned := set(r.Removed, r.Current)
	failed := make(map[strategy.TopicPartition]error)
	mine := make(map[strategy.TopicPartition]Offset, len(offsets))
	for p, o := range offsets {
		switch {
		case !owned[p]:
			failed[p] = ErrNotOwned
		case o.Offset < 0:
			failed[p] = fmt.Errorf("offset %d is negative", o.Offset)
		default:
			mine[p] = o
		}
	}
	if len(mine) > 0 {
		err := r.send(ctx, mine)
		if partial, ok := errors.AsType[*CommitError](err); ok {
			maps.Copy(failed, partial.Failed)
		} else if err != nil {
			for p := range mine {
				failed[p] = err
			}
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return &CommitError{Failed: failed}
}

// send hands offsets that have been checked to the host.
func (r *Revocation) send(ctx context.Context, offsets map[strategy.TopicPartition]Offset) error {
	switch {
	case r.isEnded():
		return ErrEnded
	case r.CommitFunc == nil:
		return errors.ErrUnsupported
	}
	return r.CommitFunc(ctx, offsets)
}

// A CommitError says of which partitions the offsets were not committed, and why. Those of the others were.
type CommitError struct {
	Failed map[strategy.TopicPartition]error
}

func (e *CommitError) Error() string {
	var b strings.Builder
	b.WriteString("not committed: ")
	last := ""
	for i, p := range e.partitions() {
		why := e.Failed[p].Error()
		switch {
		case i == 0:
		case why == last: // said once behind all that it is about
			b.WriteString(", ")
		default:
			b.WriteString(": " + last + "; ")
		}
		fmt.Fprintf(&b, "%s-%d", p.Topic, p.Partition)
		last = why
	}
	b.WriteString(": " + last)
	return b.String()
}

// Unwrap returns the errors in the order of their partitions.
func (e *CommitError) Unwrap() []error {
	errs := make([]error, 0, len(e.Failed))
	for _, p := range e.partitions() {
		errs = append(errs, e.Failed[p])
	}
	return errs
}

func (e *CommitError) partitions() []strategy.TopicPartition {
	return slices.SortedFunc(maps.Keys(e.Failed), strategy.TopicPartition.Compare)
}
