package callbacks

import (
	"iter"

	"github.com/assignkit/assignkit/strategy"
)

// An Event is what an [Assignment], a [Revocation] and a [Loss] have in common. Partitions are listed as in a
// [strategy.Assignment]: topics by name, partitions by number, no topic without partitions.
type Event struct {
	Group  string
	Member string // its id; "" where the coordinator has taken it back
	// Generation is the one in which the partitions were added or, for a revocation, in which offsets are committed: the group's
	// last one if the member gives up everything before it joins again, the new one if it gives up only what it was not given again.
	// For a loss it is the last one in which the member owned them.
	Generation int32
	// Current is all that the member owns as of this event: with what is added, without what is removed.
	Current []strategy.TopicPartitions
}

// Each returns the partitions of a list one by one, in its order.
func Each(list []strategy.TopicPartitions) iter.Seq[strategy.TopicPartition] {
	return func(yield func(strategy.TopicPartition) bool) {
		for _, tp := range list {
			for _, p := range tp.Partitions {
				if !yield(strategy.TopicPartition{Topic: tp.Topic, Partition: p}) {
					return
				}
			}
		}
	}
}

// set returns the partitions of some lists as a set.
func set(lists ...[]strategy.TopicPartitions) map[strategy.TopicPartition]bool {
	m := make(map[strategy.TopicPartition]bool)
	for _, list := range lists {
		for p := range Each(list) {
			m[p] = true
		}
	}
	return m
}
