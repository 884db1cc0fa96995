package group

import (
	"fmt"

	"github.com/assignkit/assignkit/internal/balance"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/live"
	"github.com/assignkit/assignkit/strategy"
)

// comparison says how even the loads of a group are: numbers of partitions over capacity, of members that are not draining.
type comparison struct {
	members   int // that count
	max, min  float64
	best      span // of the best loads there are
	moves     int  // the fewest that reach them
	even      bool // the loads are as even as can be
	estimated bool // the group is too intricate to know the best loads for sure
}

type span struct{ max, min float64 }

// compare measures what members have against the most even loads that their subscriptions allow.
func compare(g *live.Group) (*comparison, error) {
	group := g.Strategy()
	now := strategy.Assignment{Members: map[string][]strategy.TopicPartitions{}}
	for i := range group.Members {
		now.Members[group.Members[i].ID] = group.Members[i].Owned
	}
	for i := range group.Topics { // partitions are counted, however far behind they are
		group.Topics[i].Weights = nil
	}
	t, err := strategy.Tabulate(&group)
	if err != nil {
		return nil, fmt.Errorf("group %s: %w", output.Clean(g.Name), err)
	}
	m, err := t.Measure(&now)
	if err != nil {
		return nil, fmt.Errorf("group %s: %w", output.Clean(g.Name), err)
	}
	start, subscribers := t.Subscriptions()
	best, err := balance.Optimum(&balance.Problem{
		Partitions: t.Sizes(), Members: len(t.Group.Members), Capacity: t.Shares(), Start: start, Subscribers: subscribers, Owner: t.Keepers(),
	}, balance.Options{})
	if err != nil {
		return nil, fmt.Errorf("group %s: %w", output.Clean(g.Name), err)
	}
	c := &comparison{max: m.Max, min: m.Min, moves: m.VoluntaryMinimum, even: m.Regret == 0 && m.Unassigned == 0, estimated: m.Bound}
	for i := range t.Group.Members {
		share := t.Group.Members[i].Share()
		if share == 0 {
			continue
		}
		load := float64(best.Loads[i]) / float64(share)
		if c.members == 0 {
			c.best = span{load, load}
		}
		c.best.max, c.best.min = max(c.best.max, load), min(c.best.min, load)
		c.members++
	}
	return c, nil
}

// String is the comparison in words, "" where there is nobody to compare.
func (c *comparison) String() string {
	if c.members == 0 {
		return ""
	}
	text := "loads " + loads(c.max, c.min)
	switch {
	case c.even:
		return text + ", as even as can be"
	case c.moves == 0: // what nobody has is all there is to place
		return text + fmt.Sprintf("; %s once every partition is consumed", loads(c.best.max, c.best.min))
	}
	text += fmt.Sprintf("; %s is possible with %s", loads(c.best.max, c.best.min), output.Count(c.moves, "move"))
	if c.estimated {
		text += ", or nearly so"
	}
	return text
}

func loads(most, least float64) string { return output.Number(least) + ".." + output.Number(most) }
