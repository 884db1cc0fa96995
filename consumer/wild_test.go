package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// Tests in this file are of orders of events that have broken other clients' groups. Each says what was wrong there.

// Elsewhere: a rebalance began before the offsets of the last one had been fetched. What stayed was never read, or assigned twice.
func TestWild01and02SecondRebalanceBeforeOffsetsAreFetched(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 4, Records: []int{5}})
	release, asked := make(chan struct{}), make(chan struct{}, 100)
	fake := cluster.Fake()
	fake.ControlKey(int16(kmsg.OffsetFetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		asked <- struct{}{}
		fake.SleepControl(func() { <-release })
		return nil, nil, false
	})
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), nil)
	<-asked
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	b.sees("a rebalance", func(e consumer.Event) bool { _, ok := e.(consumer.RebalanceEnded); return ok })
	close(release)
	a.waitOwned(2)
	b.waitOwned(2)
	onceEach(t, 20, a, b)
}

// Elsewhere: Lost came before any Assigned when the first join failed.
func TestWild03NoLossBeforeAnAssignment(t *testing.T) {
	for code, want := range map[*kerr.Error]error{
		kerr.GroupAuthorizationFailed:  consumer.ErrGroupUnauthorized,
		kerr.InconsistentGroupProtocol: consumer.ErrNoCommonAssignor,
		kerr.InvalidSessionTimeout:     consumer.ErrSession,
		kerr.GroupMaxSizeReached:       consumer.ErrGroupFull,
		kerr.FencedInstanceID:          consumer.ErrFenced,
	} {
		t.Run(code.Message, func(t *testing.T) {
			cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1})
			cluster.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}, Err: code})
			a := start(t, "a", config(cluster.Addrs(), "g", "orders"), nil)
			if err := a.ended(); !errors.Is(err, want) || !errors.Is(err, sarama.KError(code.Code)) {
				t.Errorf("Run returned %v", err)
			}
			if log := a.noted(); len(log) > 0 {
				t.Errorf("callbacks %q", log)
			}
		})
	}
}

// Elsewhere: and when the member was put out of the group before it had the offsets of what it was given.
func TestWild03NoLossOfWhatWasNotAnnounced(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{5}})
	fetching, release := hold(cluster.Fake(), kmsg.OffsetFetch)
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.RebalanceTimeout = time.Second // which the group waits for the member that it still knows
	a := start(t, "a", cfg, nil)
	<-fetching
	cluster.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.UnknownMemberID})
	a.sees("another round", func(e consumer.Event) bool {
		r, ok := e.(consumer.RebalanceBegan)
		return ok && strings.Contains(r.Reason, "does not know the member")
	})
	if log := a.noted(); len(log) > 0 {
		t.Errorf("callbacks %q", log)
	}
	close(release)
	a.waitRecords(5)
	if log := a.noted(); len(log) != 1 {
		t.Errorf("callbacks %q", log)
	}
}

// Elsewhere: the context ended while a slow OnRevoked ran, and it was run once more beside itself. And: the last commit used the context
// that had ended.
func TestWild04and05ContextEndsInARevocation(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{5}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.CommitInterval = time.Hour
	revoking, release := make(chan struct{}, 10), make(chan struct{})
	var running atomic.Int32
	cfg.Callbacks = callbacks.Funcs{OnRevoke: func(context.Context, *callbacks.Revocation) error {
		if running.Add(1) > 1 {
			t.Error("two at a time")
		}
		defer running.Add(-1)
		revoking <- struct{}{}
		<-release
		return nil
	}}
	a := start(t, "a", cfg, nil)
	a.waitRecords(10)
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	<-revoking
	a.cancel()
	close(release)
	if err := a.ended(); err != nil {
		t.Error(err)
	}
	b.waitOwned(2)
	for p := range int32(2) {
		embeddedtest.Produce(t, cluster, "orders", p, 1)
	}
	onceEach(t, 12, a, b) // so all was committed
}

// Elsewhere: a member whose list has an eager and a cooperative assignor was half of each, and read partitions twice or not at all.
func TestWild07and08MixedLists(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 4, Records: []int{5}})
	both := config(cluster.Addrs(), "g", "orders")
	both.Assignors = []strategy.Assignor{strategy.Cooperative(sticky.Assignor{}), rangeassign.Assignor{}}
	a := start(t, "a", both, nil)
	a.waitOwned(4)
	eager := config(cluster.Addrs(), "g", "orders")
	eager.Assignors = []strategy.Assignor{rangeassign.Assignor{}}
	b := start(t, "b", eager, nil)
	b.waitOwned(2)
	a.waitOwned(2)
	onceEach(t, 20, a, b)
	if log := a.noted(); len(log) != 3 || log[1] != "revoke orders-0 orders-1 orders-2 orders-3" {
		t.Errorf("callbacks %q", log)
	}
}

// Elsewhere: a commit's caller gave up while the coordinator was looked for, and took the search away from the heartbeats, which then
// stopped for ever.
func TestWild09ASearchOutlivesTheCommitThatWaitsForIt(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{5}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Commits = consumer.CommitManual
	a := start(t, "a", cfg, nil)
	a.waitRecords(5)
	fake := cluster.Fake()
	searching, release := hold(fake, kmsg.FindCoordinator)
	fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.NotCoordinator})
	<-searching
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		result <- a.Commit(ctx, map[strategy.TopicPartition]callbacks.Offset{{Topic: "orders"}: {Offset: 3}})
	}()
	a.sees("the search", func(e consumer.Event) bool { _, ok := e.(consumer.CoordinatorLost); return ok })
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("the commit returned %v", err)
	}
	close(release)
	a.sees("the coordinator", func(e consumer.Event) bool { _, ok := e.(consumer.CoordinatorFound); return ok })
	beats := fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Observe: true, TopLevel: true, Count: -1})
	a.polls("heartbeats", func() bool { return beats.Hits() > 3 })
	if err := a.Commit(t.Context(), map[strategy.TopicPartition]callbacks.Offset{{Topic: "orders"}: {Offset: 5}}); err != nil {
		t.Error(err)
	}
	if log := a.noted(); len(log) != 1 {
		t.Errorf("callbacks %q", log)
	}
}

// Elsewhere: a commit that waited for a rebalance did not return when its caller gave up.
func TestWild10CallerGivesACommitUp(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{5}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Commits = consumer.CommitManual
	entered, release := hold(cluster.Fake(), kmsg.OffsetCommit)
	a := start(t, "a", cfg, nil)
	a.waitRecords(5)
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() {
		result <- a.Commit(ctx, map[strategy.TopicPartition]callbacks.Offset{{Topic: "orders"}: {Offset: 3}})
	}()
	<-entered
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("the commit returned %v", err)
	}
	close(release)
	a.closes()
}

// Elsewhere: a member that learned from a commit that it was put out went on until the next heartbeat.
func TestWild11CommitSaysThatTheMemberIsOut(t *testing.T) {
	for name, code := range map[string]*kerr.Error{"expired": kerr.UnknownMemberID, "outrun": kerr.IllegalGeneration} {
		t.Run(name, func(t *testing.T) {
			cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{5}})
			cfg := config(cluster.Addrs(), "g", "orders")
			cfg.HeartbeatInterval, cfg.SessionTimeout = time.Minute, 4*time.Minute
			cfg.Commits = consumer.CommitManual
			a := start(t, "a", cfg, nil)
			a.waitRecords(5)
			cluster.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit}, Err: code})
			err := a.Commit(t.Context(), map[strategy.TopicPartition]callbacks.Offset{{Topic: "orders"}: {Offset: 3}})
			if !errors.Is(err, consumer.ErrNotOwned) {
				t.Errorf("the commit returned %v", err)
			}
			a.wait("the loss", func() bool { return slices.Contains(a.log, "lost("+name+") orders-0") })
		})
	}
}

// Elsewhere: a later commit of less took the group back.
func TestWild13CommitsOvertakeEachOther(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Commits = consumer.CommitManual
	a := start(t, "a", cfg, nil)
	a.waitRecords(10)
	var answers sync.WaitGroup
	for _, offset := range []int64{4, 8, 6, 5} {
		answers.Add(1)
		a.CommitAsync(map[strategy.TopicPartition]callbacks.Offset{{Topic: "orders"}: {Offset: offset}}, func(err error) {
			if err != nil {
				t.Error(err)
			}
			answers.Done()
		})
	}
	answers.Wait()
	a.closes()
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	b.waitRecords(2)
	if got := b.handled()[0]; got != "orders-0@8" {
		t.Errorf("the next member begins with %s", got)
	}
}

// Elsewhere: records of a batch, cut short by a revocation, were committed though they were dropped, or handled after it.
func TestWild16and22and23RevocationInABatch(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{10}})
	a := newMember(t, "a", config(cluster.Addrs(), "g", "orders"))
	entered, release := make(chan struct{}, 10), make(chan struct{})
	result := make(chan error, 1)
	go func() {
		result <- a.RunBatches(context.WithoutCancel(t.Context()), func(_ context.Context, b *consumer.Batch) error {
			entered <- struct{}{}
			<-release
			for _, m := range b.Messages {
				a.mu.Lock()
				a.records = append(a.records, fmt.Sprintf("%s-%d@%d", m.Topic, m.Partition, m.Offset))
				a.mu.Unlock()
			}
			return nil
		})
	}()
	<-entered
	<-entered
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	b.sees("a rebalance", func(e consumer.Event) bool { _, ok := e.(consumer.RebalanceEnded); return ok })
	close(release)
	b.waitOwned(1)
	for p := range int32(2) {
		embeddedtest.Produce(t, cluster, "orders", p, 5)
	}
	onceEach(t, 30, a, b)
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	<-result
}

// Elsewhere: closing hung while an assignment or a revocation was under way, in one of ten deploys, with 256 partitions.
func TestWild17CloseAtAnyTime(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 256})
	start(t, "stays", config(cluster.Addrs(), "g", "orders"), nil).waitOwned(256)
	for i := range 12 {
		m := start(t, fmt.Sprint("goes", i), config(cluster.Addrs(), "g", "orders"), nil)
		time.Sleep(time.Duration(i*7) * time.Millisecond) // to be in another state each time
		m.closes()
	}
}

// Elsewhere: who took what was assigned for all there was lost what stayed.
func TestWild25CallbacksTellTheWholeToo(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 4})
	cfg := config(cluster.Addrs(), "g", "orders")
	mine := map[strategy.TopicPartition]bool{}
	check := func(e callbacks.Event, changed []strategy.TopicPartitions, owned bool) {
		for p := range callbacks.Each(changed) {
			if mine[p] = owned; !owned {
				delete(mine, p)
			}
		}
		whole := map[strategy.TopicPartition]bool{}
		for p := range callbacks.Each(e.Current) {
			whole[p] = true
		}
		if !reflect.DeepEqual(whole, mine) {
			t.Errorf("has %v, the callback says %v", mine, whole)
		}
	}
	cfg.Callbacks = callbacks.Funcs{
		OnAssign: func(_ context.Context, a *callbacks.Assignment) error { check(a.Event, a.Added, true); return nil },
		OnRevoke: func(_ context.Context, r *callbacks.Revocation) error { check(r.Event, r.Removed, false); return nil },
	}
	a := start(t, "a", cfg, nil)
	a.waitOwned(4)
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	a.waitOwned(2)
	b.waitOwned(2)
	b.closes()
	a.waitOwned(4)
	a.closes()
}

// Elsewhere: a rebalance ended the loop, and who ran it again left the group and joined it, for ever.
func TestWild27RebalancesEnd(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 64})
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), nil)
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	a.waitOwned(32)
	b.waitOwned(32)
	before := len(a.noted()) + len(b.noted())
	for range 20 { // many heartbeats
		embeddedtest.Produce(t, cluster, "orders", 0, 1)
		time.Sleep(10 * time.Millisecond)
	}
	if now := len(a.noted()) + len(b.noted()); now != before {
		t.Errorf("callbacks go on: %q, %q", a.noted(), b.noted())
	}
}

// Elsewhere: records came before the notice of the rebalance, and the notice of what goes after it had gone.
func TestWild29CallbacksBeforeRecords(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{50}})
	var mu sync.Mutex
	owner := map[int32]string{} // who may handle a partition
	configured := func(name string) (consumer.Config, consumer.Handler) {
		cfg := config(cluster.Addrs(), "g", "orders")
		set := func(list []strategy.TopicPartitions, before, after string) {
			mu.Lock()
			defer mu.Unlock()
			for p := range callbacks.Each(list) {
				if owner[p.Partition] != before {
					t.Errorf("%s: partition %d was %q's", name, p.Partition, owner[p.Partition])
				}
				owner[p.Partition] = after
			}
		}
		cfg.Callbacks = callbacks.Funcs{
			OnAssign: func(_ context.Context, a *callbacks.Assignment) error {
				time.Sleep(20 * time.Millisecond)
				set(a.Added, "", name)
				return nil
			},
			OnRevoke: func(_ context.Context, r *callbacks.Revocation) error {
				set(r.Removed, name, "")
				time.Sleep(20 * time.Millisecond)
				return nil
			},
		}
		return cfg, func(_ context.Context, m *consumer.Message) error {
			mu.Lock()
			defer mu.Unlock()
			if owner[m.Partition] != name {
				t.Errorf("%s handles a record of partition %d, which is %q's", name, m.Partition, owner[m.Partition])
			}
			return nil
		}
	}
	cfgA, handleA := configured("a")
	a := start(t, "a", cfgA, handleA)
	a.waitRecords(10)
	cfgB, handleB := configured("b")
	b := start(t, "b", cfgB, handleB)
	b.waitOwned(1)
	onceEach(t, 100, a, b)
	a.closes()
	b.waitOwned(2)
}

// Elsewhere: a member without partitions left the group, and got none when its turn came.
func TestWild32IdleMembersStay(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{5}})
	cfg := config(cluster.Addrs(), "g", "orders")
	a := start(t, "a", cfg, nil)
	a.waitRecords(5)
	b := start(t, "b", cfg, nil)
	b.sees("a rebalance", func(e consumer.Event) bool { _, ok := e.(consumer.RebalanceEnded); return ok })
	time.Sleep(10 * cfg.HeartbeatInterval)
	if err := b.Ready(); err != nil {
		t.Error(err)
	}
	a.closes()
	b.waitOwned(1)
}

// Elsewhere: handlers were cut off at each rebalance, their work was done twice, and nobody counted it.
func TestWild33DrainsThatTakeTooLongAreTold(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{5}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.RevokeTimeout, cfg.RebalanceTimeout = 50*time.Millisecond, 10*time.Second
	entered := make(chan struct{}, 1)
	a := start(t, "a", cfg, func(ctx context.Context, m *consumer.Message) error {
		if m.Offset < 2 {
			return nil
		}
		entered <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	<-entered
	a.closes()
	if log := a.noted(); len(log) != 2 || log[1] != "revoke orders-0" {
		t.Errorf("callbacks %q", log)
	}
	a.sees("what was cut off", func(e consumer.Event) bool {
		c, ok := e.(consumer.HandlerCancelled)
		return ok && c.Partition == strategy.TopicPartition{Topic: "orders"} && c.Offset == 2 && c.After >= cfg.RevokeTimeout
	})
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	b.waitRecords(3)
	if got := b.handled()[0]; got != "orders-0@2" {
		t.Errorf("the next member begins with %s", got)
	}
}
