package rules

import (
	"context"

	"github.com/assignkit/assignkit/strategy"
)

// Evaluate evaluates all rules on a group, and solves nothing.
func Evaluate(ctx context.Context, a *Assignor, t *strategy.Table) error {
	_, err := a.problem(ctx, t)
	return err
}
