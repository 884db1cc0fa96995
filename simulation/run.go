package simulation

import (
	"context"
	"slices"
	"strconv"

	"github.com/assignkit/assignkit/strategy"
)

// MaxRounds is how often a cooperative assignor is asked until nothing is withheld any more. Two rounds are enough for any event.
const MaxRounds = 5

// A Result is what a strategy made of a scenario.
type Result struct {
	Strategy string // as it was specified
	Steps    []Step // the first is the start
}

// A Step is the group after one event, or after one leave or join of a deploy. Steps share memory with each other and with the
// assignor's answers, so nothing in them may be changed.
type Step struct {
	// Event is what happened: "start", "join billing-3", "deploy 1/6: leave billing-1".
	Event string
	// Group is what the assignor was asked about, in canonical order: the members after the event, with what they owned before.
	Group *strategy.Group
	// Assignment is the answer of the last round. Without a round it is what it was before, or that of an empty group: nothing.
	Assignment strategy.Assignment
	// Moved compares the state before the step with Assignment, in the order of topics and partitions. Partitions that nobody owned
	// before are not in it, nor those of topics that are gone.
	Moved []Move
	// Metrics are those of Assignment. Forced is the number of forced moves in Moved, also of partitions whose owner has left and those
	// that nobody gets; Placed counts only what really nobody owned.
	Metrics strategy.Metrics
	// Rounds is how many rebalances it took: 1, 2 with a follow-up, 0 if the group is empty or the broker does not rebalance.
	Rounds int
	// WithheldFirst is how many partitions the first round withheld.
	WithheldFirst int
}

// Run applies the events of a scenario and has a answer after each. spec is how the result and errors name a. Run does not close a, does
// not change s, and may run several times at once.
//
// The error is a [*EventError] for a scenario that cannot happen, and otherwise a [*RunError]: the assignor failed or panicked, its
// answer is invalid, a cooperative one does not settle, or ctx has ended.
func Run(ctx context.Context, s *Scenario, spec string, a strategy.Assignor) (*Result, error) {
	return (&runner{assignor: a}).run(ctx, s, spec)
}

// run applies the events of s.
func (r *runner) run(ctx context.Context, s *Scenario, spec string) (*Result, error) {
	steps, _, err := s.rehearse()
	if err != nil {
		return nil, err
	}
	t, err := newState(s)
	if err != nil {
		return nil, err
	}
	r.state, r.result = t, &Result{Strategy: spec, Steps: make([]Step, 0, steps)}
	if err := r.step(ctx, &change{text: "start"}, nil); err != nil {
		return nil, err
	}
	for i, e := range s.Events {
		changes, err := t.changes(i+1, e)
		if err != nil {
			return nil, err
		}
		for k := range changes {
			gone, err := t.apply(i+1, e, &changes[k])
			if err != nil {
				return nil, err
			}
			if err := r.step(ctx, &changes[k], gone); err != nil {
				return nil, err
			}
		}
	}
	return r.result, nil
}

type runner struct {
	state    *state
	assignor strategy.Assignor
	played   bool                    // answers are played back, and no assignor is asked
	recorded [][]strategy.Assignment // then: of each step, those of its rounds
	result   *Result
	table    *strategy.Table // of the group in the first round of the step at hand
	moved    []Move          // a buffer
}

// step has the state, in which a change has happened, assigned, and adds the step to the result.
func (r *runner) step(ctx context.Context, c *change, gone []strategy.Member) error {
	step := Step{Event: c.text}
	fail := func(err error) error {
		return &RunError{Strategy: r.result.Strategy, Step: len(r.result.Steps), Event: c.text, Err: err}
	}
	err := ctx.Err()
	switch {
	case err != nil:
	case len(r.state.members) == 0:
		step.Group = r.state.group()
		step.Assignment = strategy.Assignment{Members: map[string][]strategy.TopicPartitions{}}
	case c.quiet:
		step.Group = r.state.group()
		step.Assignment = r.result.Steps[len(r.result.Steps)-1].Assignment
	case r.played:
		err = r.playBack(&step)
	default:
		err = r.rebalance(ctx, &step)
	}
	if err != nil {
		return fail(err)
	}
	table := r.table // of step.Group, if there was a round
	if step.Rounds == 0 {
		if table, err = strategy.Tabulate(step.Group); err != nil {
			return fail(err)
		}
	}
	moved, placed := moves(table, gone, &step.Assignment, r.moved)
	r.moved, step.Moved = moved, retain(moved)
	if step.Metrics, err = table.Measure(&step.Assignment); err != nil {
		return fail(err)
	}
	// Who has left is not in the group that was measured.
	step.Metrics.Forced, step.Metrics.Placed = 0, placed
	for i := range step.Moved {
		if step.Moved[i].Kind == MoveForced {
			step.Metrics.Forced++
		}
	}
	r.result.Steps = append(r.result.Steps, step)
	return nil
}

// rebalance asks the assignor until nothing is withheld.
func (r *runner) rebalance(ctx context.Context, step *Step) error {
	for step.Rounds < MaxRounds {
		r.state.generation++
		g := r.state.group()
		table, err := strategy.Tabulate(g)
		if err != nil {
			return err
		}
		a, err := ask(ctx, r.assignor, table)
		if err != nil {
			return err
		}
		if r.round(step, table, &a) == 0 {
			return nil
		}
	}
	return unsettled(&step.Assignment)
}

// round has an answer take effect, and returns how many partitions it withholds.
func (r *runner) round(step *Step, table *strategy.Table, a *strategy.Assignment) (withheld int) {
	g := table.Group
	share(g, a)
	r.state.settle(a)
	for i := range a.Unassigned {
		if a.Unassigned[i].Reason == strategy.ReasonWithheld {
			withheld++
		}
	}
	if step.Rounds++; step.Rounds == 1 {
		step.Group, step.WithheldFirst, r.table = g, withheld, table
	}
	step.Assignment = *a
	return withheld
}

// ask returns a's answer if it is valid, and its panic as an error. An assignor that does not heed ctx is left behind.
func ask(ctx context.Context, a strategy.Assignor, t *strategy.Table) (strategy.Assignment, error) {
	type result struct {
		answer strategy.Assignment
		err    error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() { done <- r }()
		defer strategy.Recover(&r.err)
		r.answer, r.err = a.Assign(ctx, t.Group)
	}()
	select {
	case r := <-done:
		if r.err != nil {
			return r.answer, r.err
		}
		return r.answer, t.Validate(&r.answer, strategy.ProtocolOf(a))
	case <-ctx.Done():
		return strategy.Assignment{}, ctx.Err()
	}
}

// share puts the lists of members that keep what they have in place of equal ones, so that a result of many steps stays small.
func share(g *strategy.Group, a *strategy.Assignment) {
	var members map[string][]strategy.TopicPartitions // a copy: the assignor's own map may be one that it uses again
	for i := range g.Members {
		m := &g.Members[i]
		list := a.Members[m.ID]
		if len(list) == 0 || len(list) != len(m.Owned) || &list[0] == &m.Owned[0] || !equalLists(list, m.Owned) {
			continue
		}
		if members == nil {
			members = make(map[string][]strategy.TopicPartitions, len(a.Members))
			for id, list := range a.Members {
				members[id] = list
			}
		}
		members[m.ID] = m.Owned
	}
	if members != nil {
		a.Members = members
	}
}

func equalLists(a, b []strategy.TopicPartitions) bool {
	return slices.EqualFunc(a, b, strategy.TopicPartitions.Equal)
}

func unsettled(a *strategy.Assignment) error {
	const shown = 10
	e := &UnsettledError{}
	for i := range a.Unassigned {
		switch u := &a.Unassigned[i]; {
		case u.Reason != strategy.ReasonWithheld:
		case len(e.Partitions) < shown:
			e.Partitions = append(e.Partitions, u.Topic+"-"+strconv.Itoa(int(u.Partition)))
		default:
			e.More++
		}
	}
	return e
}
