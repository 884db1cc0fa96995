package consumertest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/consumer/consumertest"
)

// These callbacks open something for each partition, and forget that partitions can be lost. In a test one calls TestCallbacks, which makes
// a subtest of each rule.
func ExampleCheckCallbacks() {
	err := consumertest.CheckCallbacks(func(*consumertest.Host) consumertest.Subject {
		open := map[partition]bool{}
		return consumertest.Subject{
			Callbacks: callbacks.Funcs{
				OnAssign: func(_ context.Context, a *callbacks.Assignment) error {
					for p := range callbacks.Each(a.Added) {
						open[p] = true
					}
					return nil
				},
				OnRevoke: func(_ context.Context, r *callbacks.Revocation) error {
					for p := range callbacks.Each(r.Removed) {
						delete(open, p)
					}
					return nil
				},
			},
			State: func(p partition) (string, bool) { return "", open[p] },
		}
	})
	for _, fault := range faults(err)[:1] {
		fmt.Println(fault)
	}
	// Output:
	// gone: after OnLost, something is kept for orders-0
	// 	in the sequence
	// 		OnAssign orders-0
	// 		OnLost orders-0 (expired)
}

// What a test of an application looks like. examples/tested is a whole application with its tests.
func ExampleCluster() {
	_ = func(t *testing.T) {
		c := consumertest.NewCluster(t, consumertest.Config{Topics: map[string]int32{"orders": 4}})
		app, err := consumer.New(c.Prepare(consumer.Config{Group: "billing", Topics: []string{"orders"}}))
		if err != nil {
			t.Fatal(err)
		}
		go func() { _ = app.Run(t.Context(), func(context.Context, *consumer.Message) error { return nil }) }()
		c.Settle(t, 1)

		other := c.Join(t) // half of the partitions are revoked
		c.Produce(t, consumertest.Record{Topic: "orders", Partition: 3, Key: "alice", Value: "12.50"})
		c.KillCoordinator(t) // nothing is lost by that
		other.Leave(t)       // they come back
		c.Expire(t)          // all are lost, and come back

		at := partition{Topic: "orders", Partition: 3}
		c.Wait(t, "the order is committed", func() bool { return c.Committed(t, "billing")[at].Offset == 1 })
		if err := app.Close(); err != nil {
			t.Error(err)
		}
	}
}
