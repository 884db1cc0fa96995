package strategytest

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// checkDeterministic asks again, and for each group in other orders.
func checkDeterministic(c *checker) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, g := range c.groups {
		was, ok := c.answer(g)
		if !ok {
			continue
		}
		variants := []struct {
			what string
			testGroup
		}{
			{"asked again", g},
			{"with members and topics in reverse", testGroup{g.name + ", reversed", reversed(g.Group)}},
			{"with members, topics, subscriptions and claims in another order", testGroup{g.name + ", shuffled", shuffled(g.Group, random)}},
		}
		for _, v := range variants {
			a, err := c.assign(context.Background(), c.shared, v.testGroup)
			if err != nil {
				c.faultAt(v.testGroup, "%s, %s", v.what, verdict(err))
				break
			}
			if difference := different(&was, &a); difference != "" {
				c.faultAt(g, "%s, the answer is another:\n%s", v.what, difference)
				break
			}
		}
	}
}

func reversed(g *strategy.Group) *strategy.Group {
	r := g.Clone()
	slices.Reverse(r.Topics)
	slices.Reverse(r.Members)
	return r
}

// shuffled puts everything into another order whose order says nothing.
func shuffled(g *strategy.Group, random *rand.Rand) *strategy.Group {
	s := g.Clone()
	shuffle(s.Topics, random)
	shuffle(s.Members, random)
	for i := range s.Members {
		m := &s.Members[i]
		shuffle(m.Topics, random)
		shuffle(m.Owned, random)
		for k := range m.Owned {
			shuffle(m.Owned[k].Partitions, random)
		}
	}
	for i := range s.Topics {
		for p := range s.Topics[i].Racks {
			shuffle(s.Topics[i].Racks[p], random)
		}
	}
	return s
}

func shuffle[T any](list []T, random *rand.Rand) {
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}
