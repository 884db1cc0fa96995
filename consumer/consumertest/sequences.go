package consumertest

import (
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

const (
	depth       = 4  // steps of the longest sequences that are all tried, in which everything goes well
	oddDepth    = 3  // of those in which one callback's context ends, or its commits are refused
	longHistory = 24 // steps of a sequence that is drawn
	drawn       = 64 // how many are
)

// sequences yields what a host may have callbacks go through: all short sequences of two partitions in which all goes well, then those in
// which something does not, each the shortest first, and longer ones of more partitions that are drawn. Each ends with the partitions coming back once more and the host's end.
func sequences(topics []string, seed uint64) iter.Seq[[]step] {
	return func(yield func([]step) bool) {
		two := universe(topics[:1], 2)
		for s := range upTo(depth, two) {
			if !yield(finished(s, two)) {
				return
			}
		}
		for s := range upTo(oddDepth, two) {
			for odd := range oddities(s) {
				if !yield(finished(odd, two)) {
					return
				}
			}
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		many := universe(topics, 3)
		for range drawn {
			if !yield(finished(draw(rng, many), many)) {
				return
			}
		}
	}
}

// universe returns the first partitions of topics, sorted.
func universe(topics []string, each int32) (list []strategy.TopicPartition) {
	for _, topic := range slices.Sorted(slices.Values(topics)) {
		for p := range each {
			list = append(list, strategy.TopicPartition{Topic: topic, Partition: p})
		}
	}
	return list
}

// owned returns what a member has after some steps, sorted.
func owned(steps []step) (list []strategy.TopicPartition) {
	for _, s := range steps {
		if s.kind == assign {
			list = append(list, s.parts...)
		} else {
			list = without(list, s.parts)
		}
	}
	slices.SortFunc(list, strategy.TopicPartition.Compare)
	return list
}

// upTo yields all sequences of up to n steps that go well, the shortest first.
func upTo(n int, all []strategy.TopicPartition) iter.Seq[[]step] {
	return func(yield func([]step) bool) {
		for k := 1; k <= n; k++ {
			for s := range exactly(k, all) {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// exactly yields all sequences of n steps that go well. As one partition is like the other, those that begin with the second alone are left out.
func exactly(n int, all []strategy.TopicPartition) iter.Seq[[]step] {
	return func(yield func([]step) bool) {
		var extend func(steps []step) bool
		extend = func(steps []step) bool {
			if len(steps) == n {
				return yield(slices.Clone(steps))
			}
			for _, s := range next(owned(steps), all) {
				if len(steps) == 0 && s.parts[0] != all[0] {
					continue
				}
				if !extend(append(steps, s)) {
					return false
				}
			}
			return true
		}
		extend(nil)
	}
}

// next returns the steps that are possible for who has some of the partitions.
func next(has, all []strategy.TopicPartition) (list []step) {
	for _, parts := range subsets(without(all, has)) {
		list = append(list, step{kind: assign, parts: parts})
	}
	for _, parts := range subsets(has) {
		list = append(list, step{kind: revoke, parts: parts}, step{kind: lose, parts: parts, reason: reason(parts, has)})
	}
	return list
}

// reason is one for which partitions are lost: those that fall back with the membership, or for some of them.
func reason(parts, has []strategy.TopicPartition) callbacks.LossReason {
	if len(parts) < len(has) {
		return callbacks.LossUndrained
	}
	return callbacks.LossExpired
}

// subsets returns those that are not empty.
func subsets(list []strategy.TopicPartition) (sets [][]strategy.TopicPartition) {
	for mask := 1; mask < 1<<len(list); mask++ {
		var set []strategy.TopicPartition
		for i, p := range list {
			if mask&(1<<i) != 0 {
				set = append(set, p)
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// oddities yields the sequence with something wrong with one of its steps.
func oddities(steps []step) iter.Seq[[]step] {
	return func(yield func([]step) bool) {
		for i, s := range steps {
			for _, odd := range odd(s) {
				list := slices.Clone(steps)
				if !yield(slices.Replace(list, i, i+1, after(odd, owned(steps[:i]))...)) {
					return
				}
			}
		}
	}
}

func odd(s step) []step {
	before, meanwhile, refused := s, s, s
	before.ends, meanwhile.ends, refused.refuse = endedBefore, endsInCall, true
	if s.kind == revoke {
		return []step{before, meanwhile, refused}
	}
	return []step{before, meanwhile}
}

// after returns a step and what has to follow it. An assignment's context ends when the partitions are lost again; here they come back then,
// so that the sequence can go on.
func after(s step, has []strategy.TopicPartition) []step {
	if s.kind != assign || s.ends == lives {
		return []step{s}
	}
	return []step{s, {kind: lose, parts: s.parts, reason: reason(s.parts, append(slices.Clone(s.parts), has...))}, {kind: assign, parts: s.parts}}
}

// draw returns a longer sequence.
func draw(rng *rand.Rand, all []strategy.TopicPartition) (steps []step) {
	for len(steps) < longHistory {
		has := owned(steps)
		possible := next(has, all)
		s := possible[rng.IntN(len(possible))]
		if list := odd(s); rng.IntN(5) == 0 {
			s = list[rng.IntN(len(list))]
		}
		steps = append(steps, after(s, has)...)
	}
	return steps
}

// finished appends the end: everything comes back, and is revoked as a host does that is closed.
func finished(steps []step, all []strategy.TopicPartition) []step {
	if missing := without(all, owned(steps)); len(missing) > 0 {
		steps = append(steps, step{kind: assign, parts: missing})
	}
	return append(steps, step{kind: revoke, parts: all})
}
