package strategytest

import (
	"context"
	"errors"
	"fmt"

	"github.com/assignkit/assignkit/strategy"
)

// maxRounds is how many answers in a row may change something. Two are enough for everything to move: its owner gives it up, and
// somebody else gets it. The third is for assignors that think again in between.
const maxRounds = 3

// checkCooperative plays rounds: members own what they were given, claim that in the next round, and lose the rest.
func checkCooperative(c *checker) {
	if c.protocol(c.shared) != strategy.ProtocolCooperative {
		return
	}
	for _, g := range c.groups {
		if a, ok := c.answer(g); ok {
			c.settle(g, a)
		}
	}
}

func (c *checker) settle(g testGroup, a strategy.Assignment) {
	start := g
	for round := 1; ; round++ {
		var invalid *strategy.InvalidError
		if err := strategy.Validate(g.Group, &a, strategy.ProtocolCooperative); errors.As(err, &invalid) && invalid.Breaks(strategy.RuleOwned) {
			c.faultAt(g, "in round %d, %v", round, invalid)
			return
		}
		settled := round > 1 && owns(g.Group, &a)
		if settled && !a.Withholds() {
			return
		}
		if round > maxRounds {
			c.faultAt(start, "it has not settled in %d rounds", maxRounds)
			return
		}
		g = testGroup{fmt.Sprintf("%s, round %d", start.name, round+1), applied(g.Group, &a)}
		var err error
		if a, err = c.assign(context.Background(), c.shared, g); err != nil {
			c.faultAt(g, "%s", verdict(err))
			return
		}
	}
}

// applied is the group of the next round: every member has done as it was told, and claims what it was given.
func applied(g *strategy.Group, a *strategy.Assignment) *strategy.Group {
	next := g.Canonical().Clone() // in which every member stands once
	next.Generation++
	for i := range next.Members {
		m := &next.Members[i]
		m.Owned, m.Generation = a.Members[m.ID], g.Generation
	}
	return next.Clone()
}

// owns says whether a gives every member just what it owns.
func owns(g *strategy.Group, a *strategy.Assignment) bool {
	for i := range g.Members {
		if m := &g.Members[i]; !equalLists(m.Owned, a.Members[m.ID]) {
			return false
		}
	}
	return true
}
