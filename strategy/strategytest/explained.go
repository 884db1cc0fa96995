package strategytest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// explained is how many partitions of a group are asked about, about: of large groups only some, as each may cost a few calls of Assign.
const explained, explainedOfLarge = 40, 3

// checkExplained has answers explained, by the assignor if it can, else by what is concluded from them.
func checkExplained(c *checker) {
	for _, g := range c.groups {
		a, ok := c.answer(g)
		if !ok || strategy.Validate(g.Group, &a, c.protocol(c.shared)) != nil {
			continue // other rules say so
		}
		table, err := strategy.Tabulate(g.Group)
		if err != nil {
			continue
		}
		v := newAccount(table, &a)
		most := explained
		if g.large() {
			most = explainedOfLarge
		}
		for i := 0; i < table.Len(); i += 1 + table.Len()/most {
			if problem := v.explain(c, g, i); problem != "" {
				name := table.Name(i)
				c.faultAt(g, "%s-%d: %s", name.Topic, name.Partition, problem)
				break
			}
		}
	}
}

// An account is what is known of an answer without asking the assignor, to hold explanations against.
type account struct {
	table  *strategy.Table
	answer *strategy.Assignment
	owner  []int32 // with what is withheld at the member that it is for
	count  []int
}

func newAccount(t *strategy.Table, a *strategy.Assignment) *account {
	v := &account{table: t, answer: a, owner: t.Owners(a), count: make([]int, len(t.Group.Members))}
	for _, u := range a.Unassigned {
		m := slices.IndexFunc(t.Group.Members, func(m strategy.Member) bool { return m.ID == u.For })
		if topic, ok := t.Topic(u.Topic); ok && m >= 0 && u.Reason == strategy.ReasonWithheld {
			v.owner[t.Base(topic)+int(u.Partition)] = int32(m)
		}
	}
	for _, o := range v.owner {
		if o >= 0 {
			v.count[o]++
		}
	}
	return v
}

// explain returns what is wrong with the explanation of partition number i, "" if nothing is.
func (v *account) explain(c *checker, g testGroup, i int) string {
	of := v.table.Name(i)
	e := new(strategy.Explanation)
	var failed error
	err := c.bounded("Explain for group "+g.name, func() {
		*e, failed = strategy.Explain(context.Background(), c.shared, g.Group, v.answer, of)
	})
	switch {
	case err != nil:
		return "Explain " + err.Error()
	case failed != nil:
		return "Explain returns the error: " + failed.Error()
	case e.Topic != of.Topic || e.Partition != of.Partition:
		return fmt.Sprintf("what is explained is %s-%d", e.Topic, e.Partition)
	case e.Decided == "" || e.Why == "" || e.Assignor == "":
		return fmt.Sprintf("it does not say what decided (%q), why (%q) or who (%q)", e.Decided, e.Why, e.Assignor)
	case len(e.Members) != len(v.table.Group.Members):
		return fmt.Sprintf("%d members are told of, there are %d", len(e.Members), len(v.table.Group.Members))
	}
	if problem := v.owners(e, i); problem != "" {
		return problem
	}
	topic, _ := v.table.Locate(i)
	for m := range e.Members {
		if problem := v.row(e, i, topic, m); problem != "" {
			return fmt.Sprintf("member %q: %s", e.Members[m].Member, problem)
		}
	}
	return ""
}

// owners holds what is said of owners and the partition's fate against the answer.
func (v *account) owners(e *strategy.Explanation, i int) string {
	name := func(m int) string {
		if m < 0 {
			return ""
		}
		return v.table.Group.Members[m].ID
	}
	before, now := v.table.Owner(i), int(v.table.Owners(v.answer)[i])
	want := strategy.FatePlaced
	switch keeper := v.table.Keeper(i); {
	case now < 0 && slices.ContainsFunc(v.answer.Unassigned, func(u strategy.Unassigned) bool {
		return u.Topic == e.Topic && u.Partition == e.Partition && u.Reason == strategy.ReasonWithheld
	}):
		want = strategy.FateWithheld
	case now < 0:
		want = strategy.FateUnassigned
	case now == before:
		want = strategy.FateKept
	case keeper >= 0:
		want = strategy.FateMoved
	case before >= 0:
		want = strategy.FateForced
	}
	if e.Before != name(before) || e.Owner != name(now) || e.Fate != want {
		return fmt.Sprintf("it is said to be %s, from %q to %q; it is %s, from %q to %q", e.Fate, e.Before, e.Owner, want, name(before), name(now))
	}
	return ""
}

// row holds what is said of one member against the answer.
func (v *account) row(e *strategy.Explanation, i, topic, m int) string {
	c := &e.Members[m]
	holds := int(v.owner[i]) == m
	then := c.Load + e.Weight
	if holds {
		then = c.Load - e.Weight
	}
	switch {
	case c.Member != v.table.Group.Members[m].ID:
		return fmt.Sprintf("it stands where %q should", v.table.Group.Members[m].ID)
	case c.Says == "":
		return "nothing is said of it"
	case c.Partitions != v.count[m]:
		return fmt.Sprintf("it is said to have %d partitions, and has %d", c.Partitions, v.count[m])
	case e.Loads == "partitions" && c.Load != float64(c.Partitions):
		return fmt.Sprintf("its load is %v, of %d partitions", c.Load, c.Partitions)
	case (c.Barred == strategy.ObjectiveSubscription) == v.table.Subscribed(m, topic):
		return fmt.Sprintf("it is barred by %q; whether it subscribes to the topic: %v", c.Barred, v.table.Subscribed(m, topic))
	case len(e.Together) == 0 && math.Abs(c.LoadThen-then) > 1e-9*math.Max(1, then):
		return fmt.Sprintf("its load would be %v with the partition moved, of weight %v, and is %v", c.LoadThen, e.Weight, c.Load)
	case (c.Effect != "") != (v.owner[i] >= 0 && !holds && c.Barred == ""):
		return fmt.Sprintf("the effect of a move to it is %q; it is barred by %q", c.Effect, c.Barred)
	}
	return ""
}
