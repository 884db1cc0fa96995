package simulation

import (
	"maps"
	"math"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// checkTopic says what no topic can be.
func checkTopic(n *strategy.Topic) error {
	switch {
	case n.Name == "":
		return fail("", "a topic has no name")
	case n.Partitions < 0 || n.Partitions > strategy.MaxPartitions:
		return fail(n.Name, "topic %q has %d partitions; 0 to %d can be", n.Name, n.Partitions, strategy.MaxPartitions)
	case len(n.Racks) != 0 && len(n.Racks) != int(n.Partitions):
		return fail(n.Name, "topic %q has racks for %d of %d partitions", n.Name, len(n.Racks), n.Partitions)
	case len(n.Weights) != 0 && len(n.Weights) != int(n.Partitions):
		return fail(n.Name, "topic %q has weights for %d of %d partitions", n.Name, len(n.Weights), n.Partitions)
	case len(n.LeaderRacks) != 0 && len(n.LeaderRacks) != int(n.Partitions):
		return fail(n.Name, "topic %q has leaders' racks for %d of %d partitions", n.Name, len(n.LeaderRacks), n.Partitions)
	}
	for p, w := range n.Weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return fail(n.Name, "topic %q: partition %d weighs %v", n.Name, p, w)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.Signals)) {
		list := n.Signals[name]
		if len(list) != int(n.Partitions) {
			return fail(n.Name, "topic %q has signal %q for %d of %d partitions", n.Name, name, len(list), n.Partitions)
		}
		for p, x := range list {
			if !isSignal(x) {
				return fail(n.Name, "topic %q: partition %d has signal %q of %v, which is not within ±%v", n.Name, p, name, x, strategy.MaxWeight)
			}
		}
	}
	return nil
}

// isSignal says whether a number may be that of a signal.
func isSignal(x float64) bool { return x >= -strategy.MaxWeight && x <= strategy.MaxWeight }

// listsOf is how many lists there are with something about each partition of a topic.
func listsOf(t *strategy.Topic) int {
	lists := len(t.Signals)
	for _, n := range []int{len(t.Racks), len(t.Weights), len(t.LeaderRacks)} {
		if n > 0 {
			lists++
		}
	}
	return lists
}

// extend gives a topic more partitions.
func extend(t *strategy.Topic, n int32) {
	equal := func(a, b float64) bool { return a == b }
	t.Racks = repeat(t.Racks, int(n), slices.Equal)
	t.Weights = repeat(t.Weights, int(n), equal)
	t.LeaderRacks = repeat(t.LeaderRacks, int(n), func(a, b string) bool { return a == b })
	t.Signals = maps.Clone(t.Signals)
	for name, list := range t.Signals {
		if t.Signals[name] = repeat(list, int(n), equal); len(list) == 0 { // there was no partition to know it of
			delete(t.Signals, name)
		}
	}
	t.Partitions = n
}

// repeat continues a list with its shortest period, so that a short list in a scenario means the same before and after growth.
func repeat[T any](list []T, n int, equal func(a, b T) bool) []T {
	if len(list) == 0 {
		return nil
	}
	// border[i] is the length of the longest proper prefix of list[:i+1] that also ends it.
	border := make([]int, len(list))
	for i := 1; i < len(list); i++ {
		k := border[i-1]
		for k > 0 && !equal(list[i], list[k]) {
			k = border[k-1]
		}
		if equal(list[i], list[k]) {
			k++
		}
		border[i] = k
	}
	period := len(list) - border[len(list)-1]
	out := make([]T, n)
	copy(out, list)
	for i := len(list); i < n; i++ {
		out[i] = out[i-period]
	}
	return out
}
