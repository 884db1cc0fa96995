package consumer_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
)

// putOut has the group forget a member.
func putOut(cluster *embedded.Cluster, m *member) {
	id := m.Stats().Member
	cluster.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.UnknownMemberID, When: func(r kmsg.Request) bool {
		return r.(*kmsg.HeartbeatRequest).MemberID == id
	}})
}

// TestOneCallbackAtATime has a member put out of its group while an OnRevoke runs, which takes its time to see that its context has ended.
func TestOneCallbackAtATime(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.RebalanceTimeout = 5 * time.Second // which the group waits for the member that it still knows
	var running atomic.Int32
	begins := func() (ends func()) {
		if running.Add(1) > 1 {
			t.Error("two callbacks run at once")
		}
		return func() { running.Add(-1) }
	}
	var once sync.Once
	revoking := make(chan struct{})
	cfg.Callbacks = callbacks.Funcs{
		OnRevoke: func(ctx context.Context, _ *callbacks.Revocation) error {
			defer begins()()
			once.Do(func() {
				close(revoking)
				<-ctx.Done()
				time.Sleep(100 * time.Millisecond) // for who does not wait
			})
			return nil
		},
		OnLost: func(context.Context, *callbacks.Loss) error {
			defer begins()()
			return nil
		},
	}
	a := start(t, "a", cfg, nil)
	a.waitOwned(2)
	start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	<-revoking
	putOut(cluster, a)
	a.wait("the loss of the other partition", func() bool { return len(a.log) > 2 && a.log[2][:4] == "lost" })
}

// TestCallbackIsGivenUp has an OnRevoke that does not return, whatever its context says. The member ends all the same, in bounds.
func TestCallbackIsGivenUp(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.CloseTimeout = 500 * time.Millisecond
	release := make(chan struct{})
	defer close(release)
	cfg.Callbacks = callbacks.Funcs{OnRevoke: func(context.Context, *callbacks.Revocation) error {
		<-release
		return nil
	}}
	a := start(t, "a", cfg, nil)
	a.waitOwned(1)
	a.Stop()
	a.sees("the callback that blocks", func(e consumer.Event) bool {
		c, ok := e.(consumer.CallbackReturned)
		return ok && c.Callback == "revoke" && errors.Is(c.Err, callbacks.ErrTimeout)
	})
	_ = a.ended()
}

// TestLossWaitsForHandlers has a member put out of its group whose handler takes a moment to return.
func TestLossWaitsForHandlers(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{1}})
	cfg := config(cluster.Addrs(), "g", "orders")
	var working atomic.Bool
	cfg.Callbacks = callbacks.Funcs{OnLost: func(context.Context, *callbacks.Loss) error {
		if working.Load() {
			t.Error("OnLost is called while a handler works")
		}
		return nil
	}}
	entered := make(chan struct{}, 10)
	a := start(t, "a", cfg, func(ctx context.Context, _ *consumer.Message) error {
		working.Store(true)
		defer working.Store(false)
		entered <- struct{}{}
		<-ctx.Done()
		time.Sleep(20 * time.Millisecond) // for who does not wait
		return ctx.Err()
	})
	<-entered
	putOut(cluster, a)
	a.wait("the loss", func() bool { return len(a.log) > 1 && a.log[1] == "lost(expired) orders-0" })
}
