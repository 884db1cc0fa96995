package simulate

import (
	"testing"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// step is one with 8 partitions, of which somebody moved some.
func step(rounds int, m strategy.Metrics, unassigned ...strategy.Unassigned) simulation.Step {
	if m.Partitions = 8; m.Members == 0 {
		m.Members = 2
	}
	group := &strategy.Group{Topics: []strategy.Topic{{Name: "orders", Partitions: 8}}}
	return simulation.Step{Event: "event", Group: group, Rounds: rounds, Metrics: m, Assignment: strategy.Assignment{Unassigned: unassigned}}
}

func TestSummary(t *testing.T) {
	start := step(1, strategy.Metrics{Max: 4, Min: 4, Placed: 8})
	takeover := start
	takeover.Moved = make([]simulation.Move, 3)
	takeover.Metrics.Voluntary, takeover.Metrics.VoluntaryMinimum, takeover.Metrics.Forced = 2, 1, 1
	limit := strategy.Unassigned{Topic: "orders", Reason: strategy.ReasonLimit}
	draining := strategy.Unassigned{Topic: "orders", Partition: 1, Reason: strategy.ReasonDraining}
	tests := []struct {
		name  string
		steps []simulation.Step
		want  string
	}{
		{"at rest", []simulation.Step{start}, "8 partitions on 2 members, skew 0, optimal"},
		{"found", []simulation.Step{takeover}, "3 of 8 partitions move at the start (2 voluntary, minimum 1; 1 forced), skew 0, optimal"},
		{"one event", []simulation.Step{start, step(1, strategy.Metrics{Voluntary: 1, VoluntaryMinimum: 1, Placed: 2, Skew: 1})},
			"1 of 8 partitions moves (1 voluntary, minimum 1), 2 newly placed, skew 1, optimal"},
		{"cooperative", []simulation.Step{start, step(2, strategy.Metrics{Voluntary: 2, VoluntaryMinimum: 2})},
			"2 of 8 partitions move in 2 rebalances (2 voluntary, minimum 2), skew 0, optimal"},
		{"nothing moves", []simulation.Step{start, step(1, strategy.Metrics{})}, "nothing moves, skew 0, optimal"},
		{"nothing happens", []simulation.Step{start, step(0, strategy.Metrics{VoluntaryMinimum: 1}), step(0, strategy.Metrics{})},
			"nothing moves, no rebalance, skew 0, optimal"},
		{"found, then events", []simulation.Step{takeover, step(1, strategy.Metrics{Max: 5, Min: 1, Skew: 4, Forced: 2}), step(2, strategy.Metrics{Max: 4, Min: 4})},
			"2 moves in 3 rebalances (0 voluntary, minimum 0; 2 forced), and 3 at the start; at worst max 5, min 1, skew 4; in the end skew 0, optimal"},
		{"placed", []simulation.Step{start, step(1, strategy.Metrics{Placed: 4}), step(1, strategy.Metrics{Placed: 4, Max: 8, Min: 8})},
			"8 newly placed in 2 rebalances; at worst max 8, min 0, skew 0; in the end skew 0, optimal"},
		{"regret", []simulation.Step{start, step(1, strategy.Metrics{Skew: 2, Regret: 2, RegretRatio: 0.25})},
			"nothing moves, skew 2, regret 2 (25% above the optimum)"},
		{"weights", []simulation.Step{start, step(1, strategy.Metrics{Voluntary: 3, VoluntaryMinimum: 2, Skew: 2, Bound: true, Regret: 2, RegretRatio: 0.25})},
			"3 of 8 partitions move (3 voluntary), skew 2, regret 2 against a lower bound (25% above it)"},
		{"weights at their best", []simulation.Step{start, step(1, strategy.Metrics{Bound: true})}, "nothing moves, skew 0, optimal"},
		{"unassigned", []simulation.Step{step(1, strategy.Metrics{Unassigned: 2}, limit, limit)},
			"6 partitions on 2 members, skew 0, optimal, 2 unassigned: limit"},
		{"unassigned for two reasons", []simulation.Step{step(1, strategy.Metrics{Unassigned: 3}, limit, draining, limit)},
			"5 partitions on 2 members, skew 0, optimal, 3 unassigned: 1 draining, 2 limit"},
	}
	for _, test := range tests {
		got := string(appendSummary(nil, &simulation.Result{Strategy: "s", Steps: test.steps}, output.Paper{}))
		if got != "s: "+test.want+"\n" {
			t.Errorf("%s:\n%swant\ns: %s", test.name, got, test.want)
		}
	}
}

// What nobody gets says why, in both forms of the table of partitions.
func TestUnassignedInTables(t *testing.T) {
	first := step(1, strategy.Metrics{})
	first.Assignment.Members = map[string][]strategy.TopicPartitions{"a": {{Topic: "orders", Partitions: []int32{0, 1}}}}
	last := step(1, strategy.Metrics{Unassigned: 1}, strategy.Unassigned{Topic: "orders", Partition: 1, Reason: strategy.ReasonLimit})
	last.Group = &strategy.Group{Topics: []strategy.Topic{{Name: "orders", Partitions: 2}}}
	last.Assignment.Members = map[string][]strategy.TopicPartitions{"a": {{Topic: "orders", Partitions: []int32{0}}}}
	last.Moved = []simulation.Move{{Topic: "orders", Partition: 1, From: "a"}}
	r := &simulation.Result{Strategy: "s", Steps: []simulation.Step{first, last}}
	o := &options{}
	for _, test := range []struct {
		results []*simulation.Result
		want    string
	}{
		{[]*simulation.Result{r}, `event, before -> after:
MEMBER  BEFORE  AFTER  GAINED  LOST  PARTITIONS
a            2      1       -    -1  -orders:1

PARTITION  BEFORE      AFTER      MOVE
orders:0   a           a
orders:1   a       ->  - (limit)  voluntary

`},
		{[]*simulation.Result{r, r}, `event, before -> after:
MEMBER  s            s
a       2 -> 1 (-1)  2 -> 1 (-1)

PARTITION  s               s
orders:0   a               a
orders:1   a -> - (limit)  a -> - (limit)

`},
	} {
		if got := string(o.appendChanges(nil, test.results, output.FullNames(), output.Paper{Width: 80})); got != test.want {
			t.Errorf("%d strategies:\n%s", len(test.results), got)
		}
	}
}
