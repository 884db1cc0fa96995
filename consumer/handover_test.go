package consumer_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/strategy"
)

// produceAll goes on producing to partitions 0 to n-1 until it is stopped, and returns how many records each got.
func produceAll(t *testing.T, cluster *embedded.Cluster, n int32) (stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var producing sync.WaitGroup
	sent := 0
	producing.Go(func() {
		for ctx.Err() == nil {
			for p := range n {
				embeddedtest.Produce(t, cluster, "orders", p, 1)
			}
			sent++
			time.Sleep(2 * time.Millisecond)
		}
	})
	var once sync.Once
	stop = func() int {
		once.Do(func() {
			cancel()
			producing.Wait()
		})
		return sent
	}
	t.Cleanup(func() { stop() })
	return stop
}

// TestHandOver has partitions move to a member that comes, and from one that closes, while records keep coming: each record is handled once,
// in order, and the old owner goes on until the round that was announced.
func TestHandOver(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*consumer.Config)
	}{
		{"on", func(*consumer.Config) {}},
		{"off", func(c *consumer.Config) { c.HandOver.Off = true }},
		{"manual commits", func(c *consumer.Config) {
			c.Commits = consumer.CommitManual
			c.Callbacks = callbacks.Funcs{OnRevoke: func(ctx context.Context, r *callbacks.Revocation) error {
				offsets := map[strategy.TopicPartition]callbacks.Offset{}
				for p, next := range r.Positions {
					offsets[p] = callbacks.Offset{Offset: next}
				}
				return r.Commit(ctx, offsets)
			}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 4})
			cfg := config(cluster.Addrs(), "g", "orders")
			cfg.HeartbeatInterval = time.Second // longer than the time between announcement and round
			c.set(&cfg)
			a := start(t, "a", cfg, nil)
			a.waitOwned(4)
			stop := produceAll(t, cluster, 4)
			a.waitRecords(20)
			b := start(t, "b", cfg, nil)
			b.waitOwned(2)
			b.waitRecords(20)
			a.closes()
			b.waitOwned(4)
			before := len(b.handled())
			b.waitRecords(before + 20)
			records := stop()
			onceEach(t, records*4, a, b)
			inOrder(t, a.handled())
			inOrder(t, b.handled())
			if slices.ContainsFunc(append(a.noted(), b.noted()...), func(s string) bool { return s[:4] == "lost" }) {
				t.Errorf("something was lost: %q, %q", a.noted(), b.noted())
			}
		})
	}
}

// TestCloseHandsOver has a member that closes work on until the round in which others take over.
func TestCloseHandsOver(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 4})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.HandOver.After = 300 * time.Millisecond
	a := start(t, "a", cfg, nil)
	a.waitOwned(4)
	b := start(t, "b", cfg, nil)
	b.waitOwned(2)
	c := start(t, "c", cfg, nil)
	c.waitOwned(1)
	closed := make(chan error, 1)
	go func() { closed <- a.Close() }()
	b.sees("a round that a has asked for", func(e consumer.Event) bool {
		r, ok := e.(consumer.RebalanceEnded)
		return ok && len(r.Added) == 0 && r.Generation > 3
	})
	embeddedtest.Produce(t, cluster, "orders", 0, 1)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	b.waitOwned(2)
	c.waitOwned(2)
	onceEach(t, 1, a, b, c)
}

// TestCloseWithoutTime has a member close in a group whose round does not come, as another member does not answer.
func TestCloseWithoutTime(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 4})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.CloseTimeout = 600 * time.Millisecond
	a := start(t, "a", cfg, nil)
	a.waitOwned(4)
	slow := cfg
	slow.HeartbeatInterval = 20 * time.Second // so that it does not notice
	b := start(t, "b", slow, nil)
	b.waitOwned(2)
	a.waitOwned(2)
	a.closes()
	if log := a.noted(); log[len(log)-1][:6] != "revoke" {
		t.Errorf("callbacks %q", log)
	}
}

// TestHandOverSlowRevoke has one member take its time to revoke. What others give up is not kept waiting by that.
func TestHandOverSlowRevoke(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 6})
	cfg := config(cluster.Addrs(), "g", "orders")
	a := start(t, "a", cfg, nil)
	a.waitOwned(6)
	release := make(chan struct{})
	held := cfg
	held.Callbacks = callbacks.Funcs{OnRevoke: func(context.Context, *callbacks.Revocation) error {
		<-release
		return nil
	}}
	b := start(t, "b", held, nil)
	b.waitOwned(3)
	c := start(t, "c", cfg, nil)
	c.waitOwned(1) // of a
	if n := len(c.noted()); n != 1 {
		t.Errorf("the callbacks of c: %q", c.noted())
	}
	close(release)
	c.waitOwned(2)
}

// TestReadAhead has a partition move to a member that has read it ahead, when its old owner has processed much of that meanwhile, and when the
// application sets another start.
func TestReadAhead(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{50}})
	cfg := config(cluster.Addrs(), "g", "orders")
	gate := make(chan struct{})
	a := start(t, "a", cfg, func(ctx context.Context, m *consumer.Message) error {
		if m.Offset < 25 {
			return nil
		}
		select { // the rest while the other member reads ahead
		case <-gate:
		case <-ctx.Done():
		}
		return ctx.Err()
	})
	a.waitRecords(50)
	time.AfterFunc(200*time.Millisecond, func() { close(gate) })
	b := start(t, "b", cfg, nil)
	b.waitOwned(1)
	onceEach(t, 100, a, b)

	again := cfg
	again.Group = "h"
	c := start(t, "c", again, nil)
	c.polls("the commits, from which is read ahead", func() bool {
		s := c.Stats().Partitions
		return len(s) == 2 && s[0].Committed == 50 && s[1].Committed == 50
	})
	again.Callbacks = callbacks.Funcs{OnAssign: func(_ context.Context, a *callbacks.Assignment) error {
		for p := range callbacks.Each(a.Added) {
			a.SetStart(p, callbacks.Start{From: callbacks.FromOffset, Offset: 10})
		}
		return nil
	}}
	d := start(t, "d", again, nil)
	d.waitOwned(1)
	d.waitRecords(40)
	if got := d.handled(); got[0][len("orders-0"):] != "@10" {
		t.Errorf("the first record is %s", got[0])
	}
}
