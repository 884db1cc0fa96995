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
	return sorted(s)
}

// sorted makes a set of partitions in any order, which it takes over.
func sorted(list []strategy.TopicPartition) set {
	slices.SortFunc(list, strategy.TopicPartition.Compare)
	return slices.Compact(list)
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
	if len(t) == 0 || len(s) == 0 {
		return s
	}
	return s.compared(t, func(out set, c int, p strategy.TopicPartition) set {
		if c < 0 {
			return append(out, p)
		}
		return out
	})
}

func (s set) and(t set) set {
	return s.compared(t, func(out set, c int, p strategy.TopicPartition) set {
		if c == 0 {
			return append(out, p)
		}
		return out
	})
}

func (s set) plus(t set) set {
	if len(t) == 0 {
		return s
	}
	if len(s) == 0 {
		return t
	}
	return s.compared(t, func(out set, _ int, p strategy.TopicPartition) set { return append(out, p) })
}

// compared goes through two sets side by side: take is given what is in s only (below 0), in both (0), and in t only.
func (s set) compared(t set, take func(out set, c int, p strategy.TopicPartition) set) set {
	var out set
	i, k := 0, 0
	for i < len(s) || k < len(t) {
		c := 1
		switch {
		case k == len(t):
			c = -1
		case i < len(s):
			c = s[i].Compare(t[k])
		}
		if c <= 0 {
			out = take(out, c, s[i])
			i++
		} else {
			out = take(out, c, t[k])
		}
		if c >= 0 {
			k++
		}
	}
	return out
}

// lists is the set as a member claims it.
func (s set) lists() []strategy.TopicPartitions { return strategy.ByTopic(s) }
