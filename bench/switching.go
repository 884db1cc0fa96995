package bench

import (
	"slices"
	"strings"

	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategy"
)

// offers is the label in which members of the profile "switch" say which assignors they offer, the one they would rather have first.
const offers = "offers"

// switching rolls twice: from members that offer range to such that offer the assignor that is measured as well, and from these to such
// that offer nothing else.
func switching(seed uint64) *Sequence {
	p := newPods(seed, 10, deployed)
	offer := func(m *strategy.Member, names string) { m.Labels = map[string]string{offers: names} }
	for i := range p.members {
		offer(&p.members[i], "range")
	}
	p.replaced = func(m *strategy.Member) { offer(m, "measured,range") }
	p.roll(1, func() {
		p.replaced = func(m *strategy.Member) { offer(m, "measured") }
		p.roll(1, nil)
	})
	q := p.sequence(deployedTopics())
	q.Other = func(g *strategy.Group) strategy.Assignor {
		if chosen(g) == "range" {
			return rangeassign.Assignor{}
		}
		return nil
	}
	return q
}

// chosen is the assignor that a group's coordinator settles on: the first one in the list of the first member that all others offer too.
func chosen(g *strategy.Group) string {
	if len(g.Members) == 0 {
		return ""
	}
	for name := range strings.SplitSeq(g.Members[0].Labels[offers], ",") {
		if !slices.ContainsFunc(g.Members, func(m strategy.Member) bool {
			return !slices.Contains(strings.Split(m.Labels[offers], ","), name)
		}) {
			return name
		}
	}
	return ""
}
