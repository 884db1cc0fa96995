package bench_test

import (
	"reflect"
	"testing"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

func TestShapes(t *testing.T) {
	for _, s := range []bench.Shape{
		{Topics: 3, Partitions: 5, Members: 4, Subscriptions: bench.Equal},
		{Topics: 9, Partitions: 5, Members: 6, Subscriptions: bench.Half, Capacities: 4},
		{Topics: 9, Partitions: 5, Members: 6, Subscriptions: bench.Nested},
		{Topics: 12, Partitions: 5, Members: 7, Subscriptions: bench.Disjoint, Skewed: true, Racks: 3, Seed: 9},
	} {
		for _, phase := range bench.Phases {
			t.Run(s.String()+"/"+phase, func(t *testing.T) {
				g, err := s.Group(t.Context(), phase, sticky.Assignor{})
				if err != nil {
					t.Fatal(err)
				}
				if err := g.Check(); err != nil {
					t.Error(err)
				}
				if g.Canonical() != g {
					t.Error("not canonical")
				}
				want := map[string]int{"join": s.Members + 1, "leave": s.Members - 1, "join-many": s.Members + 1, "leave-many": s.Members - 1}[phase]
				if want == 0 {
					want = s.Members
				}
				if len(g.Members) != want {
					t.Errorf("%d members, want %d", len(g.Members), want)
				}
				table, err := strategy.Tabulate(g)
				if err != nil {
					t.Fatal(err)
				}
				owned := 0
				for i := range table.Len() {
					if table.Keeper(i) >= 0 {
						owned++
					}
				}
				if (owned > 0) != (phase != "fresh") {
					t.Errorf("%d partitions are owned", owned)
				}
				again, err := s.Group(t.Context(), phase, sticky.Assignor{})
				if err != nil || !reflect.DeepEqual(again, g) {
					t.Error("another group the second time", err)
				}
			})
		}
	}
	if _, err := (bench.Shape{}).Group(t.Context(), "jion", sticky.Assignor{}); err == nil {
		t.Error("a phase that does not exist")
	}
}
