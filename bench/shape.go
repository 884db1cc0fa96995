package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// Subscriptions says which topics members read.
type Subscriptions string

// The subscriptions there are.
const (
	Equal    Subscriptions = "equal"    // every member reads every topic
	Half     Subscriptions = "half"     // each member reads each topic with probability 1/2
	Disjoint Subscriptions = "disjoint" // five parts of the members read a part of the topics each
	Nested   Subscriptions = "nested"   // the first member reads one topic, each later one a few more
)

// parts is how many parts [Disjoint] members fall into, as far as there are topics and members.
const parts = 5

// A Shape describes a group by numbers.
type Shape struct {
	Topics, Partitions int // partitions of each topic; of skewed topics, the mean
	Members            int
	Subscriptions      Subscriptions
	Skewed             bool   `json:",omitempty"` // a tenth of the topics have half of all partitions
	Racks              int    `json:",omitempty"` // members are spread over so many racks, and each partition is in two of them; 0: none are known
	Capacities         int32  // members have 0 (draining) up to this capacity at random; 0: all have 1
	Seed               uint64 `json:",omitempty"` // another one gives other ids, and where there is chance, other members
}

// String names the shape, as in half/topics=100/partitions=10000/members=100.
func (s Shape) String() string {
	name := fmt.Sprintf("%s/topics=%d/partitions=%d/members=%d", s.Subscriptions, s.Topics, s.Topics*s.Partitions, s.Members)
	if s.Skewed {
		name += "/skewed"
	}
	if s.Racks > 0 {
		name += fmt.Sprintf("/racks=%d", s.Racks)
	}
	if s.Capacities > 0 {
		name += fmt.Sprintf("/capacities=0..%d", s.Capacities)
	}
	if s.Seed > 0 {
		name += fmt.Sprintf("/seed=%d", s.Seed)
	}
	return name
}

// Phases are the states that a group is assigned from, in this order.
var Phases = []string{"fresh", "stable", "join", "join-many", "leave", "leave-many", "growth", "arbitrary"}

// Group returns a group of this shape in a phase: "fresh" owns nothing; "stable" owns what a gives it; in "join" one member more is
// there, in "leave" one less; in "join-many" and "leave-many" it is a fifth of the members; in "growth" a tenth of the topics have twice
// as many partitions; in "arbitrary" every partition is owned by any member that reads it. Unknown phases are an error.
func (s Shape) Group(ctx context.Context, phase string, a strategy.Assignor) (*strategy.Group, error) {
	m := newMaker(s)
	fresh := m.fresh()
	switch phase {
	case "fresh":
		return fresh, nil
	case "arbitrary":
		return arbitrary(fresh, s.Seed)
	}
	if !slices.Contains(Phases, phase) {
		return nil, fmt.Errorf("bench: no phase %q; there are %v", phase, Phases)
	}
	answer, err := a.Assign(ctx, fresh)
	if err != nil {
		return nil, err
	}
	g := Own(fresh, &answer)
	change := m.change(phase, g)
	g.Members = append(slices.DeleteFunc(g.Members, func(m strategy.Member) bool { return slices.Contains(change.Leave, m.ID) }), change.Join...)
	if change.Topics != nil {
		g.Topics = change.Topics
	}
	return g.Canonical(), nil
}

// Workload has a group of this shape go through all phases but "arbitrary", one after the other: each begins with what the assignor that
// is measured made of the one before. A seed takes the place of s.Seed.
func (s Shape) Workload() Workload {
	return Workload{
		Name: "grid/" + s.String(), Summary: s.describe(), Source: "apache/kafka PR 23491",
		New: func(seed uint64) (*Sequence, error) {
			s := s
			s.Seed = seed
			m := newMaker(s)
			g := m.fresh()
			q := &Sequence{Scenario: &simulation.Scenario{Group: *g}}
			members := slices.Clone(g.Members)
			for _, phase := range Phases[1 : len(Phases)-1] {
				now := strategy.Group{Topics: g.Topics, Members: members}
				change := m.change(phase, &now)
				members = append(slices.DeleteFunc(members, func(m strategy.Member) bool { return slices.Contains(change.Leave, m.ID) }), change.Join...)
				change.Label = phase
				q.Scenario.Events = append(q.Scenario.Events, change)
			}
			return q, nil
		},
	}
}

func (s Shape) describe() string {
	topics := fmt.Sprintf("%d topics of %d partitions", s.Topics, s.Partitions)
	if s.Skewed {
		topics = fmt.Sprintf("%d topics, few of them large, with %d partitions", s.Topics, s.Topics*s.Partitions)
	}
	text := fmt.Sprintf("%d members, %s, %s subscriptions", s.Members, topics, s.Subscriptions)
	if s.Racks > 0 {
		text += fmt.Sprintf(", %d racks", s.Racks)
	}
	return text
}

// A maker makes what a shape consists of, and what happens to it.
type maker struct {
	Shape
	random *rand.Rand
	topics []strategy.Topic
	names  []string
}

func newMaker(s Shape) *maker {
	m := &maker{Shape: s, random: rand.New(rand.NewPCG(61, 62+s.Seed))}
	for i, n := range s.sizes() {
		m.names = append(m.names, fmt.Sprintf("topic-%05d", i))
		t := strategy.Topic{Name: m.names[i], Partitions: n}
		m.topics = append(m.topics, m.replicated(t, i))
	}
	return m
}

// sizes are the partitions of each topic.
func (s Shape) sizes() []int32 {
	list := make([]int32, s.Topics)
	large := 0
	if s.Skewed {
		large = max(1, s.Topics/10)
	}
	if large == 0 || large == s.Topics || s.Partitions < 2 {
		for i := range list {
			list[i] = int32(s.Partitions)
		}
		return list
	}
	all := s.Topics * s.Partitions
	deal(list[:large], all-all/2)
	deal(list[large:], all/2)
	return list
}

// deal shares n out, to the first ones more.
func deal(list []int32, n int) {
	for i := range list {
		list[i] = int32((n + len(list) - 1 - i) / len(list))
	}
}

// replicated says in which two racks each partition of a topic is.
func (m *maker) replicated(t strategy.Topic, number int) strategy.Topic {
	if m.Racks == 0 {
		return t
	}
	t.Racks = make([][]string, t.Partitions)
	for p := range t.Racks {
		t.Racks[p] = []string{rack((number + p) % m.Racks), rack((number + p + 1) % m.Racks)}
	}
	return t
}

func rack(i int) string { return fmt.Sprintf("rack-%d", i) }

// fresh makes the group.
func (m *maker) fresh() *strategy.Group {
	g := &strategy.Group{Name: "bench", Generation: 2, Topics: slices.Clone(m.topics)}
	for i := range m.Members {
		g.Members = append(g.Members, m.member(i))
	}
	return g.Canonical()
}

// member makes the one in place i, or one that is like it.
func (m *maker) member(i int) strategy.Member {
	c := strategy.Member{ID: fmt.Sprintf("consumer-%d-%08x", i, m.random.Uint32()), Topics: m.names, Generation: strategy.NoGeneration}
	switch m.Subscriptions {
	case Half:
		c.Topics = []string{}
		for _, name := range m.names {
			if m.random.IntN(2) == 0 {
				c.Topics = append(c.Topics, name)
			}
		}
	case Disjoint:
		n := min(parts, m.Topics, m.Members)
		part := i % n
		c.Topics = m.names[part*m.Topics/n : (part+1)*m.Topics/n]
	case Nested:
		c.Topics = m.names[:1+i*(m.Topics-1)/m.Members]
	}
	if m.Racks > 0 {
		c.Rack = rack(i % m.Racks)
	}
	if m.Capacities > 0 {
		c.Capacity = m.random.Int32N(m.Capacities + 1)
		c.Draining = c.Capacity == 0
	}
	return c
}

// change is what happens to g in a phase.
func (m *maker) change(phase string, g *strategy.Group) simulation.Change {
	var c simulation.Change
	many := max(1, m.Members/5)
	switch phase {
	case "join":
		c.Join = append(c.Join, m.member(m.Members/2))
	case "join-many":
		for i := range many {
			c.Join = append(c.Join, m.member(i*m.Members/many))
		}
	case "leave":
		c.Leave = append(c.Leave, g.Members[len(g.Members)/3].ID)
	case "leave-many":
		for i := range many {
			c.Leave = append(c.Leave, g.Members[i*len(g.Members)/many].ID)
		}
	case "growth":
		c.Topics = slices.Clone(g.Topics)
		n := max(1, m.Topics/10)
		for i := range n {
			t := &c.Topics[i*m.Topics/n]
			t.Partitions *= 2
			*t = m.replicated(*t, i*m.Topics/n)
		}
	}
	return c
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
func arbitrary(g *strategy.Group, seed uint64) (*strategy.Group, error) {
	r := rand.New(rand.NewPCG(63, 64+seed))
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

// Grid returns the shapes that groups are compared on: members, topics and partitions in all are independent of each other, topics equal or
// skewed, subscriptions equal, disjoint or nested; and some with racks.
func Grid() []Shape {
	var list []Shape
	for _, subscriptions := range []Subscriptions{Equal, Disjoint, Nested} {
		for _, members := range []int{20, 200} {
			for _, topics := range []int{10, 100} {
				for _, partitions := range []int{1000, 10000} {
					s := Shape{Topics: topics, Partitions: partitions / topics, Members: members, Subscriptions: subscriptions}
					skewed := s
					skewed.Skewed = true
					list = append(list, s, skewed)
				}
			}
		}
		list = append(list, Shape{Topics: 100, Partitions: 10, Members: 20, Subscriptions: subscriptions, Racks: 3})
	}
	return list
}
