package simulation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// PlayBack is [Run] with answers that were given in reality, so that they can be compared with what a strategy would have answered. name is what
// the result and errors call them. rounds has, for each step of s, the answers of its rebalances, at least one.
//
// What really happened may break rules that a strategy has to keep: members may have lost what the simulation takes them to own, what was
// withheld may not have been handed out when the next thing happened, or partitions may have been forgotten. An answer that makes no
// sense, with members, topics or partitions that are not there, or a partition twice, is a [*RunError].
func PlayBack(ctx context.Context, s *Scenario, name string, rounds [][]strategy.Assignment) (*Result, error) {
	return (&runner{played: true, recorded: rounds}).run(ctx, s, name)
}

// playBack has the recorded answers of a step take effect.
func (r *runner) playBack(step *Step) error {
	at := len(r.result.Steps)
	if at >= len(r.recorded) || len(r.recorded[at]) == 0 {
		return errors.New("no answer is recorded")
	}
	for i := range r.recorded[at] {
		a := r.recorded[at][i] // a copy: lists are shared in it
		r.state.generation++
		table, err := strategy.Tabulate(r.state.group())
		if err != nil {
			return err
		}
		if err := sense(table, &a); err != nil {
			return fmt.Errorf("round %d: %w", i+1, err)
		}
		r.round(step, table, &a)
	}
	return nil
}

// sense returns what an answer cannot be by any rules.
func sense(t *strategy.Table, a *strategy.Assignment) error {
	var invalid *strategy.InvalidError
	err := t.Validate(a, strategy.ProtocolCooperative)
	if !errors.As(err, &invalid) {
		return err
	}
	invalid.Violations = slices.DeleteFunc(invalid.Violations, func(v strategy.Violation) bool {
		switch v.Rule {
		case strategy.RuleOwned, strategy.RuleReason, strategy.RuleComplete, strategy.RuleOrder:
			return true
		}
		return false
	})
	if len(invalid.Violations) == 0 {
		return nil
	}
	invalid.More = 0
	return invalid
}
