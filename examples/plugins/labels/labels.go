package main

import (
	"context"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// label is the one that members are told apart by.
const label = "tier"

// labels pins topics to members: one whose name begins with a tier and a dot, as gold.orders does, is read by members with the label tier=gold alone. Every
// other topic is read by all who subscribe to it, and so is a topic of a tier that none of them has: records that the wrong member reads are better
// than records that nobody does.
//
// Within that it balances, and members keep what they have, as sticky has it: a member that may not have a topic is to sticky one that does
// not subscribe to it.
type labels struct{}

func (labels) Name() string { return "labels" }

// Version is what the lock file says of the plugin, and its log.
func (labels) Version() string { return version }

func (labels) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	readers := readersByTier(g)
	own := g.Clone()
	for i := range own.Members {
		m := &own.Members[i]
		m.Topics = slices.DeleteFunc(m.Topics, func(topic string) bool {
			t := tier(topic)
			return t != m.Labels[label] && readers[t][topic]
		})
	}
	return sticky.Assignor{}.Assign(ctx, own)
}

// readersByTier says for each tier which topics somebody of that tier subscribes to who stays.
func readersByTier(g *strategy.Group) map[string]map[string]bool {
	readers := map[string]map[string]bool{}
	for i := range g.Members {
		m := &g.Members[i]
		t := m.Labels[label]
		if t == "" || m.Draining {
			continue
		}
		if readers[t] == nil {
			readers[t] = map[string]bool{}
		}
		for _, topic := range m.Topics {
			readers[t][topic] = true
		}
	}
	return readers
}

// tier is what a topic's name begins with, "" if it has no dot.
func tier(topic string) string {
	before, _, found := strings.Cut(topic, ".")
	if !found {
		return ""
	}
	return before
}
