package main

import (
	"context"

	"github.com/assignkit/assignkit/strategy"
)

func init() {
	strategy.Register("pinned", strategy.Definition{
		Summary: "each topic as a whole on one member, spread by the names of topics",
		New:     func(strategy.Spec) (strategy.Assignor, error) { return pinned{}, nil },
	})
}

// pinned keeps each topic together: topic n of those that are read goes to the n-th of its readers, over and over.
type pinned struct{}

func (pinned) Name() string { return "pinned" }

func (pinned) Assign(_ context.Context, g *strategy.Group) (strategy.Assignment, error) {
	t, err := strategy.Tabulate(g) // members, topics and partitions by number, in an order that all agree on
	if err != nil {
		return strategy.Assignment{}, err
	}
	owner := t.Unowned()
	for topic := range t.Group.Topics {
		readers := t.Readers(topic)
		if len(readers) == 0 {
			continue
		}
		for i := t.Base(topic); i < t.Base(topic+1); i++ {
			owner[i] = readers[topic%len(readers)]
		}
	}
	return t.Assignment(owner), nil
}
