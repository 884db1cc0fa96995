package strategy

import (
	"context"
	"fmt"
)

// Explainer is an optional interface of an [Assignor] that can tell why it decides as it does. Without it, [Explain] concludes what
// follows from the group and the answer.
type Explainer interface {
	// Explain says why answer, which Assign returned for g, puts a partition where it is. It must be deterministic and safe for concurrent use, and
	// change and keep neither. It may do the work of a few calls of Assign. Most begin with [Derive] and correct what they know
	// better. Its error for a partition that the group does not have is a [*GroupError].
	Explain(ctx context.Context, g *Group, answer *Assignment, of TopicPartition) (Explanation, error)
}

// Explain says why an answer of a to g puts a partition where it is: by a itself if it is an [Explainer], else by [Derive], and then
// says so. It returns a [*GroupError] for a group that cannot be assigned or does not have the partition, and a's panic as an error.
func Explain(ctx context.Context, a Assignor, g *Group, answer *Assignment, of TopicPartition) (e Explanation, err error) {
	defer Recover(&err)
	t, err := Tabulate(g)
	if err != nil {
		return Explanation{}, err
	}
	if _, err := t.partition(of); err != nil {
		return Explanation{}, err
	}
	if x, ok := As[Explainer](a); ok {
		return x.Explain(ctx, t.Group, answer, of)
	}
	return Derive(t.Group, answer, of, Terms{Assignor: a.Name(), Derived: true})
}

// partition returns the number of a partition.
func (t *Table) partition(of TopicPartition) (int, error) {
	topic, ok := t.Topic(of.Topic)
	if !ok {
		return 0, &GroupError{Subject: fmt.Sprintf("topic %q", of.Topic), Problem: "is not one of the group"}
	}
	if n := t.Group.Topics[topic].Partitions; of.Partition < 0 || of.Partition >= n {
		return 0, &GroupError{Subject: fmt.Sprintf("topic %q", of.Topic), Problem: fmt.Sprintf("has %d partitions, numbered from 0; there is no partition %d", n, of.Partition)}
	}
	return t.Base(topic) + int(of.Partition), nil
}

// Explain has the assignor that is wrapped explain its own answer, in which nothing is withheld, and adds what is.
func (c cooperative) Explain(ctx context.Context, g *Group, answer *Assignment, of TopicPartition) (Explanation, error) {
	t, err := Tabulate(g)
	if err != nil {
		return Explanation{}, err
	}
	i, err := t.partition(of)
	if err != nil {
		return Explanation{}, err
	}
	will, whole := t.promised(), t.Assignment(t.intended(answer))
	whole.Stopped = answer.Stopped
	for _, u := range answer.Unassigned {
		if u.Reason != ReasonWithheld {
			whole.Unassigned = append(whole.Unassigned, u)
		}
	}
	e, err := Explain(ctx, c.inner, will, &whole, of)
	if err != nil {
		return Explanation{}, err
	}
	d := derivation{table: t, answer: answer, number: i}
	d.fates(&e)
	if w, err := Tabulate(will); err == nil && w.Keeper(i) >= 0 {
		e.promise(will.Members[w.Keeper(i)].ID)
	}
	e.sayWithheld()
	return e, nil
}

// intended is who each partition is to go to in the end: what is withheld counts as its new owner's.
func (t *Table) intended(a *Assignment) []int32 {
	owner := t.Owners(a)
	members := map[string]int32{}
	for k := range a.Unassigned {
		u := &a.Unassigned[k]
		if u.Reason != ReasonWithheld || u.For == "" {
			continue
		}
		if len(members) == 0 {
			for m := range t.Group.Members {
				members[t.Group.Members[m].ID] = int32(m)
			}
		}
		m, known := members[u.For]
		if i, err := t.partition(TopicPartition{Topic: u.Topic, Partition: u.Partition}); err == nil && known {
			owner[i] = m
		}
	}
	return owner
}

// Explain has the assignor explain whose answer it is: they are asked again, in turn, which reports nothing. What failed before is in
// the notes.
func (f *FallbackAssignor) Explain(ctx context.Context, g *Group, answer *Assignment, of TopicPartition) (Explanation, error) {
	t, err := Tabulate(g)
	if err != nil {
		return Explanation{}, err
	}
	protocol := f.Protocol()
	assignors := f.assignors(protocol)
	var notes []string
	for i, a := range assignors {
		_, cause, err := f.ask(ctx, a, g, protocol, len(assignors)-i)
		if err != nil {
			notes = append(notes, fmt.Sprintf("%s gave no answer that could be used (%s): %v", a.Name(), cause, err))
			continue
		}
		e, err := Explain(ctx, a, g, answer, of)
		e.Notes = append(notes, e.Notes...)
		return e, err
	}
	e, err := Derive(t.Group, answer, of, Terms{Assignor: lastResortName, Derived: true})
	e.Notes = append(notes, e.Notes...)
	return e, err
}

// lastResortName stands for what answers where no assignor does.
const lastResortName = "last resort"
