package main

import (
	"github.com/assignkit/assignkit/bench"
	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A cell is an assignor on a group in a phase.
type cell struct {
	shape    bench.Shape
	phase    string
	assignor strategy.Assignor
}

func (c cell) String() string { return c.assignor.Name() + "/" + c.shape.String() + "/step=" + c.phase }

// cells are the groups that a slower core would show on: of each kind of subscriptions one, small and large, in the phases that take different
// paths.
func cells() []cell {
	eager, cooperative := sticky.Assignor{}, strategy.Cooperative(sticky.Assignor{})
	small := bench.Shape{Topics: 10, Partitions: 100, Members: 20, Subscriptions: bench.Equal}
	exact := bench.Shape{Topics: 100, Partitions: 10, Members: 20, Subscriptions: bench.Equal, Skewed: true}
	equal := bench.Shape{Topics: 100, Partitions: 100, Members: 200, Subscriptions: bench.Equal}
	disjoint, nested, half := equal, equal, equal
	disjoint.Subscriptions, nested.Subscriptions, half.Subscriptions = bench.Disjoint, bench.Nested, bench.Half
	racks := bench.Shape{Topics: 100, Partitions: 10, Members: 20, Subscriptions: bench.Nested, Racks: 3}
	return []cell{
		{small, "fresh", eager}, {small, "stable", eager}, {small, "join", cooperative},
		{exact, "leave", eager},
		{equal, "fresh", eager}, {equal, "stable", cooperative}, {equal, "join-many", cooperative},
		{disjoint, "join", eager}, {nested, "leave-many", eager}, {half, "join", eager}, {half, "arbitrary", cooperative},
		{racks, "growth", eager},
		{equal, "fresh", rangeassign.Assignor{}}, {nested, "fresh", roundrobin.Assignor{}},
	}
}
