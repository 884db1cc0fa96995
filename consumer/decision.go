package consumer

import (
	"context"
	"errors"
	"fmt"

	"github.com/assignkit/assignkit/strategy"
)

// A Decision is what a member decided for a generation as its group's leader, and from what. It may be kept, and used on any goroutine; nothing
// in it may be changed.
type Decision struct {
	Group      *strategy.Group      // as the assignor saw it, with claims and signals
	Assignment *strategy.Assignment // what it answered
	// Assignor is what answered: its specification if it is [Specified], else its name, and "last resort" where no assignor gave an answer
	// that could be used.
	Assignor string
	Failures []strategy.Failure // of the assignors that were asked before it, in turn

	by strategy.Assignor // nil: the last resort
}

// Explain says why a partition is where it is by this decision, as [strategy.Explain] does. It asks the assignor that decided, and so may
// take as long as a few plans: do not call it in [Observer.Observe], but on a goroutine of your own, and before the assignor is closed.
// Failures are among the notes. Its error for a partition that the group does not have is a [*strategy.GroupError].
func (d *Decision) Explain(ctx context.Context, of strategy.TopicPartition) (e strategy.Explanation, err error) {
	switch {
	case d.Group == nil || d.Assignment == nil:
		return e, errors.New("consumer: a decision without group or assignment cannot be explained")
	case d.by == nil:
		e, err = strategy.Derive(d.Group, d.Assignment, of, strategy.Terms{Assignor: d.Assignor, Derived: true})
	default:
		e, err = strategy.Explain(ctx, d.by, d.Group, d.Assignment, of)
	}
	if err != nil {
		return e, fmt.Errorf("consumer: explaining a partition: %w", err)
	}
	var notes []string
	for _, f := range d.Failures {
		notes = append(notes, fmt.Sprintf("%s gave no answer that could be used (%s): %v", f.Assignor, f.Cause, f.Err))
	}
	e.Notes = append(notes, e.Notes...)
	return e, nil
}

// decision is the plan for those who watch; of nil, nil.
func (p *plan) decision() *Decision {
	if p == nil {
		return nil
	}
	d := &Decision{Group: p.group, Assignment: &p.assignment, Assignor: p.decided, Failures: p.failures}
	switch n := len(p.failures); {
	case n == 0:
		d.by = p.assignor.First
	case n <= len(p.assignor.Then):
		d.by = p.assignor.Then[n-1]
		if p.assignor.Protocol() == strategy.ProtocolCooperative {
			d.by = strategy.Cooperative(d.by)
		}
	}
	return d
}
