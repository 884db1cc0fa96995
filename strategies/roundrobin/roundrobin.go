// Package roundrobin deals the partitions of all topics over one circle of members, as Kafka's assignor of that name does. It is
// registered as "roundrobin" by importing the package.
//
// What belongs here: that assignor. It looks neither at what members own nor at weights, capacities or racks.
package roundrobin

import (
	"context"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// Assignor deals topics by name, and their partitions by number, to the members in order, over and over; it goes on where it
// stopped from one topic to the next and passes over members that do not subscribe. Where all subscribe to the same topics, any two members differ
// by one partition at most; otherwise they may differ by more than they have to.
//
// A draining member is passed over for topics that a member which is not draining subscribes to as well.
//
// The zero value is ready for use, safe for concurrent use, and keeps nothing between calls.
type Assignor struct{}

var _ strategy.Assignor = Assignor{}

// Name returns "roundrobin", the name on the wire, that of Kafka's clients.
func (Assignor) Name() string { return "roundrobin" }

// Assign deals the partitions of g. Its only errors are the [*strategy.GroupError] of a malformed group, and ctx's.
func (Assignor) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	if err := ctx.Err(); err != nil {
		return strategy.Assignment{}, err
	}
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	owner := t.Unowned()
	next := int32(0) // whose turn it is
	for n := range t.Group.Topics {
		if n%1024 == 1023 && ctx.Err() != nil {
			return strategy.Assignment{}, ctx.Err()
		}
		next = deal(owner[t.Base(n):t.Base(n+1)], t.Readers(n), next)
	}
	return t.Assignment(owner), nil
}

// deal hands the partitions of one topic to its readers, beginning with the first at or after next, and returns who is next then.
func deal(part, readers []int32, next int32) int32 {
	if len(readers) == 0 {
		return next
	}
	at, _ := slices.BinarySearch(readers, next)
	for p := range part {
		if at == len(readers) {
			at = 0
		}
		part[p] = readers[at]
		next = readers[at] + 1
		at++
	}
	return next
}

func init() {
	strategy.Register("roundrobin", strategy.Definition{
		Summary: "partitions of all topics dealt one by one over the members in order, as Kafka's own",
		New:     func(strategy.Spec) (strategy.Assignor, error) { return Assignor{}, nil },
	})
}
