package roundrobin

import (
	"context"
	"fmt"

	"github.com/assignkit/assignkit/strategy"
)

var _ strategy.Explainer = Assignor{}

// Explain says that a partition goes to whose turn it is. Loads are told beside it, though nobody looks at them.
func (a Assignor) Explain(_ context.Context, g *strategy.Group, answer *strategy.Assignment, of strategy.TopicPartition) (strategy.Explanation, error) {
	e, err := strategy.Derive(g, answer, of, strategy.Terms{Assignor: a.Name(), Count: true})
	holder := e.Holder()
	if err != nil || holder == nil {
		return e, err
	}
	switch e.Decided {
	case strategy.ObjectiveSubscription, strategy.ObjectiveDraining:
	default:
		e.Decided = strategy.ObjectiveOrder
		e.Why = fmt.Sprintf("%s has %s-%d because it was its turn: partitions are dealt in their order to the members in theirs. Who had it before, and loads, play no role.",
			holder.Member, e.Topic, e.Partition)
		holder.Says = e.Why
	}
	return e, nil
}
