package strategy_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/assignkit/assignkit/strategy"
)

// first gives everything to the first member that may read it.
type first struct{}

func (first) Name() string { return "first" }

func (first) Assign(_ context.Context, g *strategy.Group) (strategy.Assignment, error) {
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	owner := t.Unowned()
	for topic := range t.Group.Topics {
		if readers := t.Readers(topic); len(readers) > 0 {
			for i := t.Base(topic); i < t.Base(topic+1); i++ {
				owner[i] = readers[0]
			}
		}
	}
	return t.Assignment(owner), nil
}

// billing is a group whose second member owns a partition.
func billing() *strategy.Group {
	return &strategy.Group{
		Name: "billing", Generation: 5,
		Topics: []strategy.Topic{{Name: "orders", Partitions: 3}},
		Members: []strategy.Member{
			{ID: "billing-1", Topics: []string{"orders"}, Generation: strategy.NoGeneration},
			{ID: "billing-2", Topics: []string{"orders"}, Generation: 4, Owned: []strategy.TopicPartitions{{Topic: "orders", Partitions: []int32{2}}}},
		},
	}
}

// An assignor computes on a Table, in numbers, and has it write the answer.
func ExampleTabulate() {
	answer, err := first{}.Assign(context.Background(), billing())
	fmt.Println(answer.Members, err)
	// Output: map[billing-1:[{orders [0 1 2]}] billing-2:[]] <nil>
}

// Any assignor can be made safe for cooperative rebalancing: what is still owned elsewhere waits for one round.
func ExampleCooperative() {
	a := strategy.Cooperative(first{})
	answer, err := a.Assign(context.Background(), billing())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Name(), answer.Members["billing-1"])
	for _, u := range answer.Unassigned {
		fmt.Println(u.Topic, u.Partition, u.Reason)
	}
	// Output:
	// cooperative-first [{orders [0 1]}]
	// orders 2 withheld
}

// What an assignor answers can be checked, its own answers and anybody else's; every fault is named.
func ExampleValidate() {
	answer := strategy.Assignment{Members: map[string][]strategy.TopicPartitions{
		"billing-1": {{Topic: "orders", Partitions: []int32{0, 3}}},
		"billing-3": {{Topic: "orders", Partitions: []int32{1}}},
	}}
	var invalid *strategy.InvalidError
	if err := strategy.Validate(billing(), &answer, strategy.ProtocolEager); errors.As(err, &invalid) {
		for _, v := range invalid.Violations {
			fmt.Println(v)
		}
	}
	// Output:
	// complete: orders-1: nobody gets it, and no reason is given
	// complete: orders-2: nobody gets it, and no reason is given
	// member: member "billing-2": has no entry
	// member: member "billing-3": is not in the group
	// partition: orders, member "billing-1": has no partition 3, only 3
}

// broken stands for an assignor that does not work today.
type broken struct{ first }

func (broken) Assign(context.Context, *strategy.Group) (strategy.Assignment, error) {
	return strategy.Assignment{}, errors.New("the load service does not answer")
}

// A group goes on although an assignor fails, and somebody is told.
func ExampleFallback() {
	a := strategy.Fallback(broken{}, first{})
	a.Logger = slog.New(slog.DiscardHandler)
	a.OnFailure = func(f strategy.Failure) { fmt.Println(f.Group, f.Cause, "-", f.Err, "- next:", f.Next) }
	answer, err := a.Assign(context.Background(), billing())
	fmt.Println(len(answer.Members), err)
	// Output:
	// billing error - the load service does not answer - next: first
	// 2 <nil>
}

// What is registered can be named in a specification, with parameters, wherever a user names an assignor.
func ExampleRegister() {
	strategy.Register("first", strategy.Definition{
		Summary: "everything to the first member",
		New:     func(strategy.Spec) (strategy.Assignor, error) { return first{}, nil },
	})
	a, err := strategy.Parse("first?cooperative")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a.Name(), strategy.ProtocolOf(a))
	_, err = strategy.Parse("fist")
	fmt.Println(err)
	// Output:
	// cooperative-first cooperative
	// unknown strategy "fist"; did you mean "first"?
}

// Skew, distance from the best there is, and movement, of any answer.
func ExampleMeasure() {
	g := billing()
	answer, err := first{}.Assign(context.Background(), g)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := strategy.Measure(g, &answer)
	fmt.Println(m.Max, m.Min, "regret", m.Regret, "moved", m.Voluntary, "needed", m.VoluntaryMinimum, err)
	// Output: 3 0 regret 4 moved 1 needed 0 <nil>
}
