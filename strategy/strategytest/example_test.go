package strategytest_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/assignkit/assignkit/strategy"
	"github.com/assignkit/assignkit/strategy/strategytest"
)

// firstComes gives everything to the first member in the list, so its answer depends on the order of the list.
type firstComes struct{}

func (firstComes) Name() string { return "first-comes" }

func (firstComes) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	owner := make([]int32, t.Len())
	for n := range t.Group.Topics {
		reader := first(g, t, n)
		for i := t.Base(n); i < t.Base(n+1); i++ {
			owner[i] = reader
		}
	}
	return t.Assignment(owner), ctx.Err()
}

// first finds the first subscriber in g.Members; t.Group.Members would be in an order that all agree on.
func first(g *strategy.Group, t *strategy.Table, topic int) int32 {
	for _, m := range g.Members {
		for k := range t.Group.Members {
			if t.Group.Members[k].ID == m.ID && t.Subscribed(k, topic) {
				return int32(k)
			}
		}
	}
	return strategy.NoOwner
}

// In a test one calls Run, which makes a subtest of each rule. Check is for use outside of tests.
func ExampleCheck() {
	err := strategytest.Check(func() strategy.Assignor { return firstComes{} })
	broken := map[string]bool{}
	for _, err := range err.(interface{ Unwrap() []error }).Unwrap() {
		var f *strategytest.Fault
		if errors.As(err, &f) {
			broken[f.Rule] = true
		}
	}
	fmt.Println("broken rules:", broken)
	// Output: broken rules: map[deterministic:true]
}

// An assignor that leaves partitions to nobody says so.
func ExampleOptions() {
	err := strategytest.Options{Ineligible: true}.Check(func() strategy.Assignor { return strategy.Cooperative(nobody{}) })
	fmt.Println(err)
	// Output: <nil>
}

// nobody finds no member eligible for anything.
type nobody struct{}

func (nobody) Name() string { return "nobody" }

func (nobody) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	var a strategy.Assignment
	for i := range t.Len() {
		if topic, p := t.Locate(i); len(t.Subscribers(topic)) > 0 {
			a.Unassigned = append(a.Unassigned, strategy.Unassigned{Topic: t.Group.Topics[topic].Name, Partition: p, Reason: strategy.ReasonIneligible})
		}
	}
	a.Members = t.Assignment(t.Unowned()).Members
	return a, ctx.Err()
}
