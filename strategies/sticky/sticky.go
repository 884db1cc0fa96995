// Package sticky assigns partitions as evenly as subscriptions and capacities allow, and among all such ways moves the fewest
// partitions. Both are proven optimal, not approximated; see [Assignor] for what is optimised in which order.
//
// The package turns names into numbers and back. The solving is internal/balance's, which knows no Kafka; what members claim to
// own is judged by [strategy.Tabulate].
package sticky

import (
	"context"
	"fmt"
	"strconv"

	"github.com/assignkit/assignkit/internal/balance"
	"github.com/assignkit/assignkit/internal/problem"
	"github.com/assignkit/assignkit/strategy"
)

// Assignor is the sticky assignor. Its zero value is ready for use, safe for concurrent use, and keeps no state.
//
// Objectives, each among the assignments that are best by those before it:
//
//  1. Draining members get only what no other may have.
//  2. Least Σ load²/capacity, which with equal capacities makes every convex measure of skew least: a semi-matching as Harvey, Ladner, Lovász and Tamir
//     call it, decreasingly minimal in the words of Frank and Murota.
//  3. With Host: hosts' summed loads as even as can be.
//  4. Fewest partitions that a subscribed owner loses. A cooperative group settles in one follow-up round at most.
//  5. Fewest partitions away from the racks of their replicas, where racks are known.
//  6. Each topic's partitions as even over its members as the above allows.
//  7. The order of topics, partitions and members.
//
// 1 to 4 are exact unless the budget ends; 5 and 6 are exact in small groups and improved while the budget lasts in large ones.
// Weights of partitions are not looked at: each counts as one.
type Assignor struct {
	// Tolerance allows each load to differ from an optimal one by this many partitions where that saves moves. 0: balance first.
	Tolerance int32
	// Budget bounds the work, in steps of the solver, so that it ends at the same place on every machine. 0: about 100
	// milliseconds' worth; negative: no bound. What it was doing when the budget ended is in [strategy.Assignment.Stopped].
	Budget int64
	// Host is the label that tells members of one host. "": hosts play no role, nor do they for a member without that label.
	Host string
}

func init() {
	strategy.Register("sticky", strategy.Definition{
		Summary: "balanced, then fewest moves, both exact; then racks and spread of each topic",
		Parameters: []strategy.Parameter{
			{Name: "tolerance", Kind: strategy.KindInt, Default: "0", Summary: "how far a load may be from the best to save moves"},
			{Name: "host", Kind: strategy.KindText, Default: "none", Summary: "label of members that share a host, to balance hosts as well"},
			{Name: "budget", Kind: strategy.KindInt, Default: strconv.Itoa(balance.DefaultBudget), Summary: "bound of the solver's work, in steps"},
		},
		New: func(s strategy.Spec) (strategy.Assignor, error) {
			return Assignor{
				Tolerance: int32(s.Int("tolerance", 0)), Budget: int64(s.Int("budget", 0)), Host: s.Value("host", ""),
			}, nil
		},
	})
}

// Name returns "sticky", the name on the wire.
func (Assignor) Name() string { return "sticky" }

// Assign returns an assignment that is best by the objectives listed at [Assignor].
func (a Assignor) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	if err := ctx.Err(); err != nil {
		return strategy.Assignment{}, err
	}
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	p := problem.Of(t)
	p.Host = a.hosts(t.Group)
	r, err := balance.Solve(p, balance.Options{Tolerance: a.Tolerance, Budget: a.Budget})
	if err != nil {
		return strategy.Assignment{}, fmt.Errorf("sticky: %w", err)
	}
	answer := t.Assignment(r.Owner)
	if r.Stopped != balance.Complete {
		answer.Stopped = r.Stopped.String()
	}
	return answer, ctx.Err()
}

// hosts numbers the hosts of members, in the order of the members.
func (a Assignor) hosts(g *strategy.Group) []int32 {
	if a.Host == "" {
		return nil
	}
	number := map[string]int32{}
	hosts := make([]int32, len(g.Members))
	for i := range g.Members {
		name, ok := g.Members[i].Labels[a.Host]
		if !ok {
			hosts[i] = -1
			continue
		}
		n, known := number[name]
		if !known {
			n = int32(len(number))
			number[name] = n
		}
		hosts[i] = n
	}
	return hosts
}
