package rules_test

import (
	"cmp"
	"context"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// byLag is the lag-based assignor that is in use elsewhere, to compare with: it deals the partitions of each topic by falling lag, each to
// the reader that has the fewest of that topic, then the least lag of it, then comes first. It neither looks at owners nor over topics.
type byLag struct{}

func (byLag) Name() string { return "known-by-lag" }

func (byLag) Assign(_ context.Context, g *strategy.Group) (strategy.Assignment, error) {
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	owner := t.Unowned()
	for at := range t.Group.Topics {
		topic := &t.Group.Topics[at]
		readers := t.Subscribers(at)
		if len(readers) == 0 {
			continue
		}
		order := make([]int, topic.Partitions)
		for p := range order {
			order[p] = p
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(topic.Weights[b], topic.Weights[a]) })
		count, lag := make([]int, len(t.Group.Members)), make([]float64, len(t.Group.Members))
		for _, p := range order {
			m := slices.MinFunc(readers, func(a, b int32) int {
				return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(lag[a], lag[b]), cmp.Compare(a, b))
			})
			owner[t.Base(at)+p] = m
			count[m]++
			lag[m] += topic.Weights[p]
		}
	}
	return t.Assignment(owner), nil
}
