package sticky

import (
	"context"
	"fmt"

	"github.com/assignkit/assignkit/strategy"
)

var _ strategy.Explainer = Assignor{}

// Explain says which of the objectives listed at [Assignor] puts a partition where it is. As the sum of load²/capacity is least, no move of a
// partition by itself makes loads more even, unless an objective before it, the tolerance or the budget speaks against it.
func (a Assignor) Explain(_ context.Context, g *strategy.Group, answer *strategy.Assignment, of strategy.TopicPartition) (strategy.Explanation, error) {
	e, err := strategy.Derive(g, answer, of, strategy.Terms{
		Assignor: a.Name(), Count: true, Ties: []strategy.Objective{strategy.ObjectiveRacks, strategy.ObjectiveSpread},
	})
	holder := e.Holder()
	if err != nil || holder == nil || e.Decided != strategy.ObjectiveUnknown {
		return e, err
	}
	say := func(o strategy.Objective, format string, args ...any) {
		e.Decided = o
		e.Why += " " + fmt.Sprintf(format, args...)
		holder.Says = e.Why
	}
	switch {
	case answer.Stopped != "":
		say(strategy.ObjectiveBudget, "The budget of work ended before that was found.")
	case a.Host != "":
		say(strategy.ObjectiveHosts, "Loads of hosts, by the label %s, are as even as can be, which comes first; or other partitions move with it.", a.Host)
	case a.Tolerance > 0:
		say(strategy.ObjectiveTolerance, "Loads may be off by %d, as that saves moves.", a.Tolerance)
	case e.Fate == strategy.FatePlaced || e.Fate == strategy.FateForced:
		say(strategy.ObjectiveOrder, "Racks, the spread of each topic and the order of partitions decide over all partitions together, not over this one alone.")
	default:
		say(strategy.ObjectiveMovement, "It is one of several moves that together are the fewest.")
	}
	return e, nil
}
