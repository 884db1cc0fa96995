package rangeassign

import (
	"context"
	"fmt"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

var _ strategy.Explainer = Assignor{}

// Explain says that a partition is in a member's stretch of its topic. Loads are told beside it, though nobody looks at them.
func (a Assignor) Explain(_ context.Context, g *strategy.Group, answer *strategy.Assignment, of strategy.TopicPartition) (strategy.Explanation, error) {
	e, err := strategy.Derive(g, answer, of, strategy.Terms{Assignor: a.Name(), Count: true})
	holder := e.Holder()
	if err != nil || holder == nil {
		return e, err
	}
	switch e.Decided {
	case strategy.ObjectiveSubscription, strategy.ObjectiveDraining:
		return e, nil
	}
	t, err := strategy.Tabulate(g)
	if err != nil {
		return e, err
	}
	topic, _ := t.Topic(of.Topic)
	readers := t.Readers(topic)
	place := slices.IndexFunc(readers, func(m int32) bool { return t.Group.Members[m].ID == holder.Member })
	if place < 0 {
		return e, nil // the answer is not one of this assignor's
	}
	e.Decided = strategy.ObjectiveOrder
	part := make([]int32, t.Group.Topics[topic].Partitions)
	if cut := a.cut(part, readers); part[of.Partition] != readers[place] {
		e.Decided = strategy.ObjectiveRacks
		e.Why = fmt.Sprintf("%s has %s-%d because of racks: without them the stretches of %s would go by the order of members%s, and this one to %s.",
			holder.Member, e.Topic, e.Partition, e.Topic, cut, t.Group.Members[part[of.Partition]].ID)
	} else {
		e.Why = fmt.Sprintf("%s has %s-%d because it is in its stretch: %s is number %d of the %d members that the %d partitions of %s are divided among in order%s. Who had it before, and loads, play no role.",
			holder.Member, e.Topic, e.Partition, holder.Member, place+1, len(readers), len(part), e.Topic, cut)
	}
	holder.Says = e.Why
	return e, nil
}

// cut divides a topic without a look at racks, and says how.
func (a Assignor) cut(part, readers []int32) string {
	if a.Even {
		cutEven(part, readers)
		return ", as evenly as can be"
	}
	cutChunks(part, readers)
	return fmt.Sprintf(", %d to each as long as there are any", (len(part)+len(readers)-1)/len(readers))
}
