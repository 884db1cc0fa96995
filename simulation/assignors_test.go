package simulation

import (
	"context"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// spread deals partitions to their subscribers in turn, whoever owns them.
type spread struct{}

func (spread) Name() string { return "spread" }

func (spread) Assign(_ context.Context, g *strategy.Group) (strategy.Assignment, error) {
	return deal(g, false)
}

// keep leaves partitions where they are as long as nobody has too many, and gives the others to who has least.
type keep struct{}

func (keep) Name() string { return "keep" }

func (keep) Assign(_ context.Context, g *strategy.Group) (strategy.Assignment, error) {
	return deal(g, true)
}

func deal(g *strategy.Group, sticky bool) (strategy.Assignment, error) {
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	members := len(t.Group.Members)
	owner := make([]int32, t.Len())
	load := make([]int, members)
	most := (t.Len() + members - 1) / members
	var open []int
	for i := range owner {
		owner[i] = strategy.NoOwner
		k := t.Keeper(i)
		if sticky && k >= 0 && load[k] < most && !t.Group.Members[k].Draining {
			owner[i] = int32(k)
			load[k]++
			continue
		}
		open = append(open, i)
	}
	var left []strategy.Unassigned
	next := 0
	for _, i := range open {
		topic, p := t.Locate(i)
		best, drains := -1, false
		for k := range members {
			m := (next + k) % members
			if !t.Subscribed(m, topic) {
				continue
			}
			if t.Group.Members[m].Draining {
				drains = true
				continue
			}
			if best < 0 || sticky && load[m] < load[best] {
				best = m
			}
		}
		if best < 0 {
			if drains {
				left = append(left, strategy.Unassigned{Topic: t.Group.Topics[topic].Name, Partition: p, Reason: strategy.ReasonDraining})
			}
			continue
		}
		owner[i] = int32(best)
		load[best]++
		next = best + 1
	}
	a := t.Assignment(owner)
	a.Unassigned = left
	return a, nil
}

// unsharing is keep with an answer that shares nothing with the group.
type unsharing struct{ keep }

func (unsharing) Assign(_ context.Context, g *strategy.Group) (strategy.Assignment, error) {
	return deal(g.Clone(), true)
}

// broken does something that no assignor may.
type broken struct {
	assign func(g *strategy.Group) (strategy.Assignment, error)
	coop   bool
}

func (broken) Name() string { return "broken" }

func (b broken) Assign(_ context.Context, g *strategy.Group) (strategy.Assignment, error) {
	return b.assign(g)
}

func (b broken) Protocol() strategy.Protocol {
	if b.coop {
		return strategy.ProtocolCooperative
	}
	return strategy.ProtocolEager
}

// testStrategies are what scenarios in testdata name.
var testStrategies = map[string]strategy.Assignor{
	"spread":           spread{},
	"keep":             keep{},
	"keep?cooperative": strategy.Cooperative(keep{}),
}

func specs(m map[string]strategy.Assignor) []string {
	var list []string
	for name := range m {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
