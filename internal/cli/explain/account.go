package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/suggest"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// An Account is the explanation of a partition after a step of a simulation.
type Account struct {
	Strategy string `json:"strategy"` // as it was specified
	Step     int    `json:"step"`     // 0 is the start
	Event    string `json:"event"`
	Rounds   int    `json:"rounds"` // of rebalance
	// Since is the step since which the owner has had it, for a partition that was kept; -1 for since before the start.
	Since *int   `json:"since,omitempty"`
	Left  string `json:"left,omitempty"`  // who had it before and has left in this step
	Asked string `json:"asked,omitempty"` // the member that is asked about
	strategy.Explanation

	events   []string
	members  []strategy.Member
	recorded bool // nobody could be asked
}

// Of explains a partition after a step of a result, which a has made. Nil stands for nobody who can be asked: then it is concluded from the
// result alone.
func Of(ctx context.Context, r *simulation.Result, a strategy.Assignor, step int, of strategy.TopicPartition) (*Account, error) {
	s := &r.Steps[step]
	if err := check(s, of); err != nil {
		return nil, err
	}
	if len(s.Group.Members) == 0 {
		return nil, fmt.Errorf("step %d (%s) leaves no members, so nobody has %s-%d", step, output.Clean(s.Event), output.Clean(of.Topic), of.Partition)
	}
	answer := &s.Assignment
	if s.WithheldFirst > 0 && a != nil { // the answer of the first round says more: who has to give up what
		first, err := a.Assign(ctx, s.Group)
		if err != nil {
			return nil, err
		}
		answer = &first
	}
	var e strategy.Explanation
	var err error
	if a == nil {
		e, err = strategy.Derive(s.Group, answer, of, strategy.Terms{Assignor: r.Strategy, Derived: true})
	} else {
		e, err = strategy.Explain(ctx, a, s.Group, answer, of)
	}
	if err != nil {
		return nil, err
	}
	x := &Account{Strategy: r.Strategy, Step: step, Event: s.Event, Rounds: s.Rounds, Explanation: e, members: s.Group.Members, recorded: a == nil}
	for i := range r.Steps {
		x.events = append(x.events, r.Steps[i].Event)
	}
	if e.Before == "" && step > 0 {
		had := ownerOf(r.Steps[step-1].Assignment.Members, of)
		if had != "" && e.Find(had) == nil {
			x.Left = had
		}
	}
	if e.Fate == strategy.FateKept {
		since := since(r, step, of)
		x.Since = &since
	}
	return x, nil
}

// check finds the partition in a step's group.
func check(s *simulation.Step, of strategy.TopicPartition) error {
	var names []string
	for i := range s.Group.Topics {
		t := &s.Group.Topics[i]
		if t.Name != of.Topic {
			names = append(names, t.Name)
			continue
		}
		if of.Partition >= t.Partitions {
			return fmt.Errorf("topic %s has %s, numbered from 0; there is no partition %d", output.Clean(t.Name), output.Count(int(t.Partitions), "partition"), of.Partition)
		}
		return nil
	}
	return fmt.Errorf("the group has no topic %s%s", output.Clean(of.Topic), meant(of.Topic, names))
}

// meant suggests a name, or lists those that there are.
func meant(written string, names []string) string {
	if best := suggest.Nearest(written, names); best != "" {
		return "; did you mean " + output.Clean(best) + "?"
	}
	if len(names) == 0 {
		return ""
	}
	slices.SortFunc(names, output.CompareNames)
	const listed = 10
	more := ""
	if len(names) > listed {
		more = fmt.Sprintf(" and %d more", len(names)-listed)
		names = names[:listed]
	}
	for i := range names {
		names[i] = output.Clean(names[i])
	}
	return "; there are " + strings.Join(names, ", ") + more
}

// since finds the step by which a partition came to who has it after a step, -1 if it was there before all of them.
func since(r *simulation.Result, step int, of strategy.TopicPartition) int {
	owner := ownerOf(r.Steps[step].Assignment.Members, of)
	for i := step; i > 0; i-- {
		if ownerOf(r.Steps[i-1].Assignment.Members, of) != owner {
			return i
		}
	}
	for i := range r.Steps[0].Group.Members {
		if m := &r.Steps[0].Group.Members[i]; m.ID == owner && has(m.Owned, of) {
			return -1
		}
	}
	return 0
}

func ownerOf(members map[string][]strategy.TopicPartitions, of strategy.TopicPartition) string {
	for id, list := range members { // only one has it
		if has(list, of) {
			return id
		}
	}
	return ""
}

func has(list []strategy.TopicPartitions, of strategy.TopicPartition) bool {
	return slices.ContainsFunc(list, func(tp strategy.TopicPartitions) bool {
		return tp.Topic == of.Topic && slices.Contains(tp.Partitions, of.Partition)
	})
}

// Ask notes which member is asked about: by its id, its instance id, or how no other id begins. "" is none.
func (x *Account) Ask(member string) error {
	if member == "" {
		return nil
	}
	var ids, begin []string
	for i := range x.members {
		m := &x.members[i]
		if m.ID == member || m.InstanceID == member {
			x.Asked = m.ID
			return nil
		}
		ids = append(ids, m.ID)
		if strings.HasPrefix(m.ID, member) {
			begin = append(begin, m.ID)
		}
	}
	switch len(begin) {
	case 0:
		return fmt.Errorf("the group has no member %s after step %d%s", output.Clean(member), x.Step, meant(member, ids))
	case 1:
		x.Asked = begin[0]
		return nil
	}
	return fmt.Errorf("%d members begin with %s, such as %s and %s", len(begin), output.Clean(member), output.Clean(begin[0]), output.Clean(begin[1]))
}
