package strategytest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// generated makes groups up, always the same ones.
func generated() []testGroup {
	var all []testGroup
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2026))
		g := shape{topics: 1 + r.IntN(5), partitions: 1 + r.IntN(9), members: 1 + r.IntN(7), odd: seed%3 == 0, mixed: seed%2 == 1}.make(r)
		all = append(all, testGroup{fmt.Sprintf("made up %d", seed), g})
	}
	for k, s := range []shape{
		{topics: 1, partitions: 3000, members: 40},
		{topics: 50, partitions: 100, members: 60, mixed: true},
		{topics: 1500, partitions: 2, members: 30, odd: true},
		{topics: 100, partitions: 30, members: 300, mixed: true, odd: true},
	} {
		r := rand.New(rand.NewPCG(uint64(k), 2027))
		all = append(all, testGroup{fmt.Sprintf("large %d", k), s.make(r)})
	}
	return all
}

// A shape says what a made-up group is like.
type shape struct {
	topics, partitions, members int  // partitions of a topic at most
	mixed                       bool // not all members subscribe to all topics
	odd                         bool // some claims are wrong, and all the rest that may be there is
}

func (s shape) make(r *rand.Rand) *strategy.Group {
	g := &strategy.Group{}
	for n := range s.topics {
		t := strategy.Topic{Name: fmt.Sprintf("topic-%d", n), Partitions: int32(s.partitions)}
		if s.topics > 1 {
			t.Partitions = int32(r.IntN(s.partitions + 1))
			if s.partitions > 20 { // so that large ones are
				t.Partitions = int32(s.partitions - r.IntN(5))
			}
		}
		g.Topics = append(g.Topics, t)
	}
	for m := range s.members {
		g.Members = append(g.Members, s.member(r, g.Topics, m))
	}
	s.claim(r, g)
	if s.odd {
		s.disturb(r, g)
		measure(r, g)
	}
	return g
}

func (s shape) member(r *rand.Rand, topics []strategy.Topic, number int) strategy.Member {
	m := strategy.Member{ID: fmt.Sprintf("member-%d", number), Generation: strategy.NoGeneration}
	for n := range topics {
		if !s.mixed || r.IntN(3) > 0 {
			m.Topics = append(m.Topics, topics[n].Name)
		}
	}
	if !s.odd {
		return m
	}
	if r.IntN(4) == 0 {
		m.InstanceID = fmt.Sprintf("instance-%d", s.members-number)
	}
	if r.IntN(3) > 0 {
		m.Rack = fmt.Sprintf("rack-%d", r.IntN(3))
	}
	switch r.IntN(6) {
	case 0:
		m.Draining = true
	case 1, 2:
		m.Capacity = int32(1 + r.IntN(4))
	}
	if r.IntN(3) == 0 {
		m.Labels = map[string]string{"zone": m.Rack, "host": fmt.Sprintf("host-%d", r.IntN(4)), "tier": []string{"gold", "silver"}[r.IntN(2)]}
	}
	return m
}

// claim gives most partitions an owner, as after a round in which one member was not there yet.
func (s shape) claim(r *rand.Rand, g *strategy.Group) {
	newcomer := &g.Members[r.IntN(s.members)]
	for n := range g.Topics {
		for p := range g.Topics[n].Partitions {
			m := &g.Members[r.IntN(s.members)]
			if r.IntN(8) == 0 || m == newcomer || !slices.Contains(m.Topics, g.Topics[n].Name) {
				continue
			}
			own(m, g.Topics[n].Name, p)
			m.Generation = 8
		}
	}
}

// own adds a claim.
func own(m *strategy.Member, topic string, partition int32) {
	for k := len(m.Owned) - 1; k >= 0; k-- {
		if m.Owned[k].Topic == topic {
			m.Owned[k].Partitions = append(m.Owned[k].Partitions, partition)
			return
		}
	}
	m.Owned = append(m.Owned, strategy.TopicPartitions{Topic: topic, Partitions: []int32{partition}})
}

// disturb makes some claims stale, double or unknown, and gives some topics racks and weights.
func (s shape) disturb(r *rand.Rand, g *strategy.Group) {
	for i := range g.Members {
		m := &g.Members[i]
		if r.IntN(4) == 0 {
			m.Generation = int32(r.IntN(9)) - 1
		}
		if r.IntN(3) == 0 {
			t := &g.Topics[r.IntN(len(g.Topics))]
			for range 1 + r.IntN(3) {
				own(m, t.Name, int32(r.IntN(int(t.Partitions)+3))-1)
			}
		}
		if r.IntN(6) == 0 {
			own(m, "unknown", int32(r.IntN(3)))
		}
	}
	for n := range g.Topics {
		t := &g.Topics[n]
		racks, weights := r.IntN(2) == 0, r.IntN(3) == 0
		for range t.Partitions {
			if racks {
				var of []string
				for range r.IntN(3) {
					of = append(of, fmt.Sprintf("rack-%d", r.IntN(4)))
				}
				t.Racks = append(t.Racks, of)
			}
			if weights {
				t.Weights = append(t.Weights, float64(r.IntN(20))/4)
			}
		}
	}
}

// measure gives some topics and members what is measured while a group runs.
func measure(r *rand.Rand, g *strategy.Group) {
	for n := range g.Topics {
		t := &g.Topics[n]
		if r.IntN(3) == 0 {
			for range t.Partitions {
				t.LeaderRacks = append(t.LeaderRacks, []string{"", "rack-0", "rack-1"}[r.IntN(3)])
			}
		}
		for _, name := range []string{strategy.SignalLag, strategy.SignalActive, "depth"} {
			if r.IntN(2) == 0 {
				continue
			}
			list := make([]float64, t.Partitions)
			for p := range list {
				list[p] = float64(r.IntN(4) * r.IntN(300))
			}
			if t.Signals == nil {
				t.Signals = map[string][]float64{}
			}
			t.Signals[name] = list
		}
	}
	for i := range g.Members {
		if m := &g.Members[i]; r.IntN(2) == 0 {
			m.Uptime = time.Duration(r.IntN(3600)) * time.Second
			m.Signals = map[string]float64{"cpu": float64(r.IntN(9)) / 8, "temperature": float64(r.IntN(60) - 20)}
		}
	}
}
