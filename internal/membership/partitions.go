package membership

import (
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// A set is partitions, sorted, none twice. Sets are not changed once made.
type set []strategy.TopicPartition

func newSet(list []strategy.TopicPartitions) set {
	n := 0
	for i := range list {
		n += len(list[i].Partitions)
	}
	s := make(set, 0, n)
	for _, tp := range list {
		for _, p := range tp.Partitions {
			s = append(s, strategy.TopicPartition{Topic: tp.Topic, Partition: p})
		}
	}
	slices.SortFunc(s, strategy.TopicPartition.Compare)
	return slices.Compact(s)
}

func (s set) has(p strategy.TopicPartition) bool {
	_, ok := slices.BinarySearchFunc(s, p, strategy.TopicPartition.Compare)
	return ok
}

func (s set) filter(keep func(strategy.TopicPartition) bool) set {
	var out set
	for _, p := range s {
		if keep(p) {
			out = append(out, p)
		}
	}
	return out
}

func (s set) minus(t set) set {
	if len(t) == 0 {
		return s
	}
	return s.filter(func(p strategy.TopicPartition) bool { return !t.has(p) })
}

func (s set) and(t set) set { return s.filter(t.has) }

func (s set) plus(t set) set {
	if len(t) == 0 {
		return s
	}
	if len(s) == 0 {
		return t
	}
	out := append(slices.Clone(s), t...)
	slices.SortFunc(out, strategy.TopicPartition.Compare)
	return slices.Compact(out)
}

// lists is the set as a member claims it.
func (s set) lists() []strategy.TopicPartitions {
	var out []strategy.TopicPartitions
	for _, p := range s {
		if n := len(out); n == 0 || out[n-1].Topic != p.Topic {
			out = append(out, strategy.TopicPartitions{Topic: p.Topic})
		}
		last := &out[len(out)-1]
		last.Partitions = append(last.Partitions, p.Partition)
	}
	return out
}
