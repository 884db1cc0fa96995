package balance

import (
	"errors"
	"fmt"
	"math"
)

// None is the owner of a partition that nobody owns.
const None = -1

// A Problem says who may take which partitions and who has them now. Solve only reads it.
type Problem struct {
	// Partitions is the number of partitions of each topic.
	Partitions []int32
	// Members is the number of members.
	Members int
	// Capacity of each member, below 1<<20. Nil: all 1. A member with capacity 0 is draining.
	Capacity []int32
	// Topic t is subscribed by Subscribers[Start[t]:Start[t+1]], strictly ascending.
	// Start nil: every member subscribes to every topic.
	Start       []int32
	Subscribers []int32
	// Owner of each partition: partition p of topic t stands at Base(t)+p. Nil: nobody owns anything.
	// An owner that is out of range or does not subscribe to the topic counts as None.
	Owner []int32
	// MemberRack is the rack of each member, negative if unknown. Nil: racks play no role.
	MemberRack []int32
	// The racks of the partition at i are PartitionRacks[RackStart[i]:RackStart[i+1]]; none: not known.
	RackStart, PartitionRacks []int32
	// Host of each member, negative if unknown (the member counts as a host of its own).
	// Nil: hosts play no role.
	Host []int32
}

// Base is the place of the first partition of topic t in Owner.
func (p *Problem) Base(t int) int {
	base := 0
	for _, n := range p.Partitions[:t] {
		base += int(n)
	}
	return base
}

// Options limit what Solve may do.
type Options struct {
	// Tolerance is how far loads may lie outside the range of the optimal ones, in favour of fewer moves.
	Tolerance int32
	// Budget is the number of units of work (about a nanosecond each). 0: DefaultBudget; negative: no limit.
	Budget int64
}

// Result is an assignment.
type Result struct {
	// Owner of each partition; None where nobody subscribes to the topic.
	Owner []int32
	// Loads is the number of partitions of each member.
	Loads []int32
	// Voluntary counts the partitions that an owner lost although it subscribes to their topic.
	Voluntary int64
	// Placed counts the partitions that have an owner now and had none before.
	Placed int64
	// Stopped is the stage at which the budget ended; Complete if it did not.
	Stopped Stage
	// Proven tells whether racks and spread are known to be least too. In large groups they are improved with
	// a small share of the budget and seldom proven, which is no reason for Stopped.
	Proven bool
}

// Optimal tells what an optimal assignment reaches.
type Optimal struct {
	Loads     []int32
	Voluntary int64
	Stopped   Stage
}

// errProblem is wrapped by every error about a malformed problem.
var errProblem = errors.New("balance: malformed problem")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errProblem, fmt.Sprintf(format, args...))
}

// total is the number of partitions.
func (p *Problem) total() int {
	return p.Base(len(p.Partitions))
}

// Validate checks what Solve checks before it starts.
func (p *Problem) Validate() error {
	return p.validate(Options{})
}

// validate checks every index that the solver relies on.
func (p *Problem) validate(o Options) error {
	if o.Tolerance < 0 {
		return malformed("tolerance %d is negative", o.Tolerance)
	}
	if p.Members < 0 || p.Members > math.MaxInt32/8 || len(p.Partitions) > math.MaxInt32/8 {
		return malformed("%d members and %d topics", p.Members, len(p.Partitions))
	}
	var total int64
	for t, n := range p.Partitions {
		if n < 0 {
			return malformed("topic %d has %d partitions", t, n)
		}
		total += int64(n)
	}
	if total > math.MaxInt32/2 {
		return malformed("%d partitions", total)
	}
	if p.Owner != nil && int64(len(p.Owner)) != total {
		return malformed("%d owners of %d partitions", len(p.Owner), total)
	}
	if err := p.validateMembers(); err != nil {
		return err
	}
	if p.MemberRack != nil && p.RackStart != nil {
		if int64(len(p.RackStart)) != total+1 {
			return malformed("%d rack offsets of %d partitions", len(p.RackStart), total)
		}
		if err := ascending("rack", p.RackStart, len(p.PartitionRacks)); err != nil {
			return err
		}
	}
	return p.validateSubscribers()
}

func (p *Problem) validateMembers() error {
	for _, list := range []struct {
		name  string
		given []int32
	}{{"capacities", p.Capacity}, {"racks", p.MemberRack}, {"hosts", p.Host}} {
		if list.given != nil && len(list.given) != p.Members {
			return malformed("%d %s of %d members", len(list.given), list.name, p.Members)
		}
	}
	for m, c := range p.Capacity {
		if c < 0 || c >= 1<<20 {
			return malformed("member %d has capacity %d", m, c)
		}
	}
	return nil
}

func (p *Problem) validateSubscribers() error {
	if p.Start == nil {
		return nil
	}
	if len(p.Start) != len(p.Partitions)+1 {
		return malformed("%d subscription offsets of %d topics", len(p.Start), len(p.Partitions))
	}
	if len(p.Subscribers) > math.MaxInt32/2 {
		return malformed("%d subscriptions", len(p.Subscribers))
	}
	if err := ascending("subscription", p.Start, len(p.Subscribers)); err != nil {
		return err
	}
	for t := range p.Partitions {
		last := int32(-1)
		for _, m := range p.Subscribers[p.Start[t]:p.Start[t+1]] {
			if m <= last || int(m) >= p.Members {
				return malformed("topic %d: subscriber %d after %d, %d members", t, m, last, p.Members)
			}
			last = m
		}
	}
	return nil
}

// ascending checks that the offsets start at 0 or above, never fall and end within the list.
func ascending(what string, offsets []int32, length int) error {
	last := int32(0)
	for i, o := range offsets {
		if o < last || int(o) > length {
			return malformed("%s offset %d is %d after %d, list of %d", what, i, o, last, length)
		}
		last = o
	}
	return nil
}

// subscribers of topic t; all is every member in order.
func (p *Problem) subscribers(t int32, all []int32) []int32 {
	if p.Start == nil {
		return all
	}
	return p.Subscribers[p.Start[t]:p.Start[t+1]]
}

// numbers is 0 to n-1.
func numbers(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}
