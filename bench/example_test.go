package bench_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A workload of one's own: on Friday half of the members leave, whichever a seed says.
func ExampleSuite() {
	weekend := bench.Workload{
		Name: "weekend", Summary: "half of the members leave, one by one",
		New: func(seed uint64) (*bench.Sequence, error) {
			s := &simulation.Scenario{Group: strategy.Group{
				Topics: []strategy.Topic{{Name: "orders", Partitions: 60}}, Members: simulation.NewMembers(nil, 12),
			}}
			for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(12)[:6] {
				s.Events = append(s.Events, simulation.Leave{Members: []string{s.Group.Members[i].ID}})
			}
			return &bench.Sequence{Scenario: s}, nil
		},
	}
	suite := bench.Suite{
		Workloads:  []bench.Workload{weekend},
		Strategies: []bench.Strategy{{Spec: "sticky", Assignor: sticky.Assignor{}}, {Spec: "roundrobin", Assignor: roundrobin.Assignor{}}},
		First:      1, Seeds: 2,
	}
	err := suite.Run(context.Background(), func(r *bench.Result) error {
		t := &r.Total
		fmt.Printf("%s, seed %d: %d moves were forced, %d were not, %d of these needless\n", r.Strategy, r.Seed, t.Forced, t.Voluntary, t.Excess)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// sticky, seed 1: 39 moves were forced, 0 were not, 0 of these needless
	// sticky, seed 2: 39 moves were forced, 0 were not, 0 of these needless
	// roundrobin, seed 1: 39 moves were forced, 274 were not, 274 of these needless
	// roundrobin, seed 2: 39 moves were forced, 277 were not, 277 of these needless
}
