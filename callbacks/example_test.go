package callbacks_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

// A count for each partition, kept in a table while nobody owns the partition. In a program, the host makes the events.
func ExamplePartitionState() {
	table := map[strategy.TopicPartition]int{order(1): 40}
	state := &callbacks.PartitionState[*int]{
		Load: func(_ context.Context, _ *callbacks.Assignment, p strategy.TopicPartition) (*int, error) {
			n := table[p]
			return &n, nil
		},
		Save: func(ctx context.Context, r *callbacks.Revocation, p strategy.TopicPartition, n *int) error {
			table[p] = *n
			next, ok := r.Positions[p]
			if !ok {
				return nil // no record was handled: what is committed stays
			}
			return r.Commit(ctx, map[strategy.TopicPartition]callbacks.Offset{p: {Offset: next}})
		},
		Concurrency: 1, // as a map is no database
	}
	handle := func(p strategy.TopicPartition) {
		if n, ok := state.Get(p); ok {
			*n++
		}
	}

	ctx := context.Background()
	fmt.Println(state.Assigned(ctx, &callbacks.Assignment{Added: orders(0, 1)}))
	handle(order(0))
	handle(order(1))
	handle(order(2)) // not ours
	fmt.Println(state.Revoked(ctx, &callbacks.Revocation{
		Removed:   orders(1),
		Positions: map[strategy.TopicPartition]int64{order(1): 1001},
		CommitFunc: func(_ context.Context, offsets map[strategy.TopicPartition]callbacks.Offset) error {
			fmt.Println("committed", offsets[order(1)].Offset)
			return nil
		},
	}))
	fmt.Println(state.Lost(ctx, &callbacks.Loss{Removed: orders(0), Reason: callbacks.LossExpired}))
	fmt.Println(table)
	// Output:
	// <nil>
	// committed 1001
	// <nil>
	// <nil>
	// map[{orders 1}:41]
}

// Every event is logged, and what fails is told apart from what does not.
func ExampleChain() {
	logger := plain(os.Stdout, slog.LevelInfo) // without times
	cb := callbacks.Chain(
		callbacks.Log(nil, logger),
		callbacks.Funcs{
			OnAssign: func(_ context.Context, a *callbacks.Assignment) error {
				fmt.Println("open", a.Added)
				return nil
			},
			OnRevoke: func(_ context.Context, r *callbacks.Revocation) error {
				fmt.Println("close", r.Removed)
				return errors.New("disk full")
			},
		},
		callbacks.Timeout(callbacks.Funcs{
			OnRevoke: func(context.Context, *callbacks.Revocation) error {
				fmt.Println("flush")
				return nil
			},
		}, 5*time.Second),
	)
	ctx := context.Background()
	event := callbacks.Event{Group: "billing", Member: "billing-1", Generation: 4}
	if err := cb.Revoked(ctx, &callbacks.Revocation{Event: event, Removed: orders(0)}); err != nil {
		fmt.Println(err)
	}
	event.Generation, event.Current = 5, orders(1, 2, 3, 7)
	if err := cb.Assigned(ctx, &callbacks.Assignment{Event: event, Added: orders(7)}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// flush
	// close [{orders [0]}]
	// level=INFO msg="partitions revoked" group=billing member=billing-1 generation=4 current=0 removed=orders[0] count=1
	// callback 2 of 3: disk full
	// level=INFO msg="partitions assigned" group=billing member=billing-1 generation=5 current=4 added=orders[7] count=1
	// open [{orders [7]}]
}

// Where nothing was committed yet, reading starts with the records of the last hour.
func ExampleAssignment_SetStart() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	cb := callbacks.Funcs{OnAssign: func(_ context.Context, a *callbacks.Assignment) error {
		for p := range callbacks.Each(a.Added) {
			if _, ok := a.Committed[p]; ok {
				continue
			}
			if err := a.SetStart(p, callbacks.Start{From: callbacks.FromTimestamp, Time: now.Add(-time.Hour)}); err != nil {
				return err
			}
		}
		return nil
	}}

	a := &callbacks.Assignment{
		Added:     orders(0, 1),
		Committed: map[strategy.TopicPartition]callbacks.Offset{order(0): {Offset: 17}},
	}
	fmt.Println(cb.Assigned(context.Background(), a))
	for p, start := range a.End() {
		fmt.Println(p, start.From, start.Time.Format(time.TimeOnly))
	}
	// Output:
	// <nil>
	// {orders 1} timestamp 11:00:00
}
