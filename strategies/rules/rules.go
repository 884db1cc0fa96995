package rules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"

	"github.com/assignkit/assignkit/internal/balance/weighted"
	"github.com/assignkit/assignkit/internal/expression"
	"github.com/assignkit/assignkit/internal/problem"
	"github.com/assignkit/assignkit/strategy"
)

// Assignor decides by rules. Make one with [New], [Parse] or [Load], or a [File]. It is safe for concurrent use, and remembers nothing between calls
// but what it has reported already.
//
// Objectives, each among what those before it leave:
//
//  1. A member has only partitions that it is eligible for, as many as the limit allows at most; partitions together go to one member, unless no
//     member may have them all, which is reported.
//  2. Load over capacity as even as the tolerance and hysteresis ask for.
//  3. Least weight that moves, and no more than the bound of moves.
//  4. Preference, for partitions that are placed anyway.
//
// Without rules but a capacity, and with equal weights, the answer is that of the sticky assignor. With weights it is near the best there
// is, see internal/balance/weighted.
//
// A partition that no member is eligible for is unassigned as [strategy.ReasonIneligible], one that is beyond all limits as
// [strategy.ReasonLimit], unless a reader of its topic has nothing at all: that one is not eligible for it. A rule that gives no number, an infinite one, or one out of range ends Assign with an error that says for which
// member and partition; nothing is guessed. A label that number() does not find is no error.
type Assignor struct {
	config  Config
	reports *reports

	eligible, weight, capacity, prefer, together, limit *expression.Program // nil: no rule
}

func init() {
	strategy.Register("rules", strategy.Definition{
		Summary:  "by rules in a file: who may have what, weights, capacities, preferences",
		Argument: "FILE",
		New: func(s strategy.Spec) (strategy.Assignor, error) {
			f, err := Open(s.Argument, nil)
			if errors.Is(err, fs.ErrNotExist) && !filepath.IsAbs(s.Argument) {
				return nil, fmt.Errorf("%w; give the path of a file of rules, from the working directory", err)
			}
			if err != nil {
				return nil, err
			}
			return f, nil
		},
	})
}

// Name returns the rules' name on the wire.
func (a *Assignor) Name() string { return a.config.Wire }

// Assign decides, see [Assignor].
func (a *Assignor) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	if err := ctx.Err(); err != nil {
		return strategy.Assignment{}, err
	}
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	p, err := a.problem(ctx, t)
	if err != nil {
		if ctx.Err() != nil {
			return strategy.Assignment{}, ctx.Err()
		}
		return strategy.Assignment{}, fmt.Errorf("rules %s: %w", a.config.Name, err)
	}
	r, err := weighted.Solve(ctx, p, a.config.options())
	if ctx.Err() != nil {
		return strategy.Assignment{}, ctx.Err()
	}
	if err != nil {
		return strategy.Assignment{}, fmt.Errorf("rules %s: %w", a.config.Name, err)
	}
	answer := t.Assignment(r.Owner)
	answer.Stopped = r.Stopped
	answer.Unassigned = unassigned(t, &r)
	if len(r.Split) > 0 {
		a.reports.once("split", "partitions are to stay together that no member may have together, so they are assigned one by one",
			slog.Int("units", len(r.Split)), slog.String("group", g.Name))
	}
	return answer, nil
}

// unassigned says why nobody has a partition. Where a reader has nothing, it is not eligible or its limit is 0, and so not all are full.
func unassigned(t *strategy.Table, r *weighted.Result) (list []strategy.Unassigned) {
	last, full := -1, false
	for _, u := range r.Unassigned {
		topic, number := t.Locate(int(u.Partition))
		readers := t.Subscribers(topic)
		if len(readers) == 0 {
			continue // nobody asked for it
		}
		if topic != last {
			last, full = topic, !slices.ContainsFunc(readers, func(m int32) bool { return r.Counts[m] == 0 && !t.Group.Members[m].Draining })
		}
		reason := strategy.ReasonIneligible
		if u.Lack == weighted.Full && full {
			reason = strategy.ReasonLimit
		}
		list = append(list, strategy.Unassigned{Topic: t.Group.Topics[topic].Name, Partition: number, Reason: reason})
	}
	return list
}

// Unit returns what together gives for a partition, so that a cooperative group hands over at one moment what belongs together.
func (a *Assignor) Unit(g *strategy.Group, t *strategy.Topic, partition int32) string {
	if a.together == nil {
		return ""
	}
	e := expression.NewEvaluator(context.Background(), cmp.Or(a.config.Budget, defaultBudget))
	defer e.Close()
	env := onPartition{Partition: &partitionVariables{}, Group: &groupVariables{}, base: base{reports: a.reports}}
	e.Attach(&env.Env)
	env.Partition.set(t, partition, a.together.LooksAt("partition.signals"))
	if a.together.LooksAt("group") {
		env.Group.set(g)
	}
	key, err := e.Key(a.together, &env)
	if err != nil {
		return "" // Assign has failed with this error before anything could be withheld
	}
	return key
}

// problem evaluates the rules on a group.
func (a *Assignor) problem(ctx context.Context, t *strategy.Table) (*weighted.Problem, error) {
	e := expression.NewEvaluator(ctx, cmp.Or(a.config.Budget, defaultBudget))
	defer e.Close()
	r := newRun(a, t, e)
	p := &weighted.Problem{Problem: *problem.Of(t)}
	for _, evaluate := range []func(*weighted.Problem) error{r.capacities, r.weights, r.eligibility, r.preferences, r.units, r.limits} {
		if err := evaluate(p); err != nil {
			return nil, err
		}
	}
	return p, nil
}
