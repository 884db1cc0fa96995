package simulation_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/assignkit/assignkit/simulation"
	_ "github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A rolling deploy, in which replacements join before the old members leave.
func Example() {
	s, err := simulation.Read("deploy.yaml", strings.NewReader(`
topics: {orders: 6}
members: [billing-1, billing-2]
strategy: sticky?cooperative
events:
  - deploy: {members: "billing-*", surge: 1}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, spec := range s.Strategies {
		a, err := strategy.Parse(spec)
		if err != nil {
			fmt.Println(err)
			return
		}
		result, err := simulation.Run(context.Background(), s, spec, a)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, step := range result.Steps {
			fmt.Printf("%s: %d moved in %d rounds\n", step.Event, len(step.Moved), step.Rounds)
		}
	}
	// Output:
	// start: 0 moved in 1 rounds
	// deploy 1/4: join billing-1~2: 2 moved in 2 rounds
	// deploy 2/4: leave billing-1: 2 moved in 1 rounds
	// deploy 3/4: join billing-2~2: 2 moved in 2 rounds
	// deploy 4/4: leave billing-2: 2 moved in 1 rounds
}
