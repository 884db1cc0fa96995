package sticky_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// shape describes a group by numbers.
type shape struct {
	topics, partitions, members int
	subscriptions               string // equal, half (each member reads each topic with probability 1/2), nested (prefixes of the topics)
	capacities                  bool   // 0 to 4
}

func (s shape) String() string {
	name := fmt.Sprintf("%s/topics=%d/partitions=%d/members=%d", s.subscriptions, s.topics, s.topics*s.partitions, s.members)
	if s.capacities {
		name += "/capacities=0..4"
	}
	return name
}

// group makes a group of this shape without claims, and a member more to join it.
func (s shape) group() (*strategy.Group, strategy.Member) {
	r := rand.New(rand.NewPCG(61, 62))
	g := &strategy.Group{Name: "bench", Generation: 2}
	all := make([]string, s.topics)
	for i := range all {
		all[i] = fmt.Sprintf("topic-%05d", i)
		g.Topics = append(g.Topics, strategy.Topic{Name: all[i], Partitions: int32(s.partitions)})
	}
	member := func(i int) strategy.Member {
		m := strategy.Member{ID: fmt.Sprintf("consumer-%d-%08x", i, r.Uint32()), Topics: all, Generation: strategy.NoGeneration}
		switch s.subscriptions {
		case "half":
			m.Topics = nil
			for _, name := range all {
				if r.IntN(2) == 0 {
					m.Topics = append(m.Topics, name)
				}
			}
		case "nested":
			m.Topics = all[:1+i*(s.topics-1)/s.members]
		}
		if s.capacities {
			m.Capacity = int32(r.IntN(5))
			m.Draining = m.Capacity == 0
		}
		return m
	}
	for i := range s.members {
		g.Members = append(g.Members, member(i))
	}
	newcomer := member(s.members / 2)
	return g.Canonical(), newcomer
}

// own lets each member own what the answer gives it.
func own(g *strategy.Group, a *strategy.Assignment) *strategy.Group {
	next := *g
	next.Members = append([]strategy.Member(nil), g.Members...)
	for i := range next.Members {
		next.Members[i].Owned, next.Members[i].Generation = a.Members[next.Members[i].ID], g.Generation
	}
	next.Generation++
	return &next
}

// phases are the states that a group of this shape is assigned from.
func (s shape) phases(b *testing.B) map[string]*strategy.Group {
	fresh, newcomer := s.group()
	answer := assign(b, sticky.Assignor{}, fresh)
	stable := own(fresh, &answer)
	join, leave := *stable, *stable
	join.Members = append(append([]strategy.Member(nil), stable.Members...), newcomer)
	gone := len(stable.Members) / 3
	leave.Members = append(append([]strategy.Member(nil), stable.Members[:gone]...), stable.Members[gone+1:]...)
	return map[string]*strategy.Group{
		"fresh": fresh, "stable": stable, "join": join.Canonical(), "leave": leave.Canonical(), "arbitrary": arbitrary(fresh),
	}
}

// arbitrary gives each partition to any subscriber.
func arbitrary(g *strategy.Group) *strategy.Group {
	r := rand.New(rand.NewPCG(63, 64))
	t, err := strategy.Tabulate(g)
	if err != nil {
		panic(err)
	}
	start, readers := t.Subscribers()
	owner := make([]int32, t.Len())
	for i := range owner {
		topic, _ := t.Locate(i)
		owner[i] = strategy.NoOwner
		if list := readers[start[topic]:start[topic+1]]; len(list) > 0 {
			owner[i] = list[r.IntN(len(list))]
		}
	}
	a := t.Assignment(owner)
	return own(g, &a)
}

// From names to names, one call of Assign: the numbers of the project's table of targets.
func BenchmarkAssign(b *testing.B) {
	for _, x := range []struct {
		shape  shape
		phases []string
	}{
		{shape{1000, 1000, 5000, "equal", false}, []string{"join", "stable", "fresh"}},
		{shape{100, 100, 100, "half", false}, []string{"join", "fresh", "leave"}},
		{shape{1000, 50, 500, "nested", false}, []string{"fresh", "join", "leave", "arbitrary"}},
		{shape{1000, 100, 1000, "half", false}, []string{"fresh", "join", "leave", "arbitrary"}},
		{shape{1000, 100, 1000, "half", true}, []string{"fresh", "join", "leave", "arbitrary"}},
	} {
		b.Run(x.shape.String(), func(b *testing.B) {
			phases := x.shape.phases(b)
			for _, phase := range x.phases {
				b.Run("step="+phase, func(b *testing.B) {
					g := phases[phase]
					b.ReportAllocs()
					var stopped string
					for b.Loop() {
						a, err := sticky.Assignor{}.Assign(context.Background(), g)
						if err != nil {
							b.Fatal(err)
						}
						stopped = a.Stopped
					}
					if stopped != "" {
						b.Fatal("the budget ended at", stopped)
					}
					partitions := float64(x.shape.topics * x.shape.partitions)
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/partitions, "ns/partition")
				})
			}
		})
	}
}
