package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// Subscriptions says which topics members read.
type Subscriptions string

// The subscriptions there are.
const (
	Equal  Subscriptions = "equal"  // every member reads every topic
	Half   Subscriptions = "half"   // each member reads each topic with probability 1/2
	Nested Subscriptions = "nested" // the first member reads one topic, each later one a few more
)

// A Shape describes a group by numbers.
type Shape struct {
	Topics, Partitions int // partitions of each topic
	Members            int
	Subscriptions      Subscriptions
	Capacities         int32 // members have 0 (draining) up to this capacity at random; 0: all have 1
}

// String names the shape, as in half/topics=100/partitions=10000/members=100.
func (s Shape) String() string {
	name := fmt.Sprintf("%s/topics=%d/partitions=%d/members=%d", s.Subscriptions, s.Topics, s.Topics*s.Partitions, s.Members)
	if s.Capacities > 0 {
		name += fmt.Sprintf("/capacities=0..%d", s.Capacities)
	}
	return name
}

// Phases are the states that a group is assigned from, in this order.
var Phases = []string{"fresh", "stable", "join", "leave", "arbitrary"}

// Group returns a group of this shape in a phase: "fresh" owns nothing; "stable" owns what a gives it; in "join" one member more is
// there, in "leave" one less; in "arbitrary" every partition is owned by any member that reads it. Unknown phases are an error.
func (s Shape) Group(ctx context.Context, phase string, a strategy.Assignor) (*strategy.Group, error) {
	fresh, newcomer := s.fresh()
	switch phase {
	case "fresh":
		return fresh, nil
	case "arbitrary":
		return arbitrary(fresh)
	}
	answer, err := a.Assign(ctx, fresh)
	if err != nil {
		return nil, err
	}
	g := Own(fresh, &answer)
	switch phase {
	case "stable":
	case "join":
		g.Members = append(g.Members, newcomer)
	case "leave":
		g.Members = slices.Delete(g.Members, len(g.Members)/3, len(g.Members)/3+1)
	default:
		return nil, fmt.Errorf("bench: no phase %q; there are %v", phase, Phases)
	}
	return g.Canonical(), nil
}

// fresh makes the group, and a member that may join it.
func (s Shape) fresh() (*strategy.Group, strategy.Member) {
	r := rand.New(rand.NewPCG(61, 62))
	g := &strategy.Group{Name: "bench", Generation: 2}
	all := make([]string, s.Topics)
	for i := range all {
		all[i] = fmt.Sprintf("topic-%05d", i)
		g.Topics = append(g.Topics, strategy.Topic{Name: all[i], Partitions: int32(s.Partitions)})
	}
	member := func(i int) strategy.Member {
		m := strategy.Member{ID: fmt.Sprintf("consumer-%d-%08x", i, r.Uint32()), Topics: all, Generation: strategy.NoGeneration}
		switch s.Subscriptions {
		case Half:
			m.Topics = nil
			for _, name := range all {
				if r.IntN(2) == 0 {
					m.Topics = append(m.Topics, name)
				}
			}
		case Nested:
			m.Topics = all[:1+i*(s.Topics-1)/s.Members]
		}
		if s.Capacities > 0 {
			m.Capacity = r.Int32N(s.Capacities + 1)
			m.Draining = m.Capacity == 0
		}
		return m
	}
	for i := range s.Members {
		g.Members = append(g.Members, member(i))
	}
	return g.Canonical(), member(s.Members / 2)
}

// Own returns the group after an assignment, in which each member owns what a gives it. It shares memory with both.
func Own(g *strategy.Group, a *strategy.Assignment) *strategy.Group {
	next := *g
	next.Members = slices.Clone(g.Members)
	for i := range next.Members {
		next.Members[i].Owned, next.Members[i].Generation = a.Members[next.Members[i].ID], g.Generation
	}
	next.Generation++
	return &next
}

// arbitrary gives each partition to any member that reads it.
func arbitrary(g *strategy.Group) (*strategy.Group, error) {
	r := rand.New(rand.NewPCG(63, 64))
	t, err := strategy.Tabulate(g)
	if err != nil {
		return nil, err
	}
	owner := t.Unowned()
	for i := range owner {
		topic, _ := t.Locate(i)
		if list := t.Subscribers(topic); len(list) > 0 {
			owner[i] = list[r.IntN(len(list))]
		}
	}
	a := t.Assignment(owner)
	return Own(t.Group, &a), nil
}
