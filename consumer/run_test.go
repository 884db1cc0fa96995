package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategy"
)

// inOrder checks that the records of each partition were handled in order, without a gap, each once.
func inOrder(t *testing.T, records []string) {
	t.Helper()
	next := map[string]int64{}
	for _, r := range records {
		partition, at, _ := strings.Cut(r, "@")
		var offset int64
		if _, err := fmt.Sscan(at, &offset); err != nil {
			t.Fatal(err)
		}
		if want, ok := next[partition]; ok && offset != want {
			t.Errorf("%s was handled where %s@%d was next", r, partition, want)
		}
		next[partition] = offset + 1
	}
}

// TestAskedWhileItBegins has everything asked that can be, before the member has connected.
func TestAskedWhileItBegins(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1})
	m := newMember(t, "a", config(cluster.Addrs(), "g", "orders"))
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				_, _, _ = m.Ready(), m.Owned(), m.Rejoin("asked")
				m.CommitAsync(map[strategy.TopicPartition]callbacks.Offset{{Topic: "orders"}: {Offset: 0}}, nil)
			}
		}
	}()
	m.run(nil)
	m.waitOwned(1)
	close(stop)
	<-done
	m.closes()
}

func TestRun(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 3, Records: []int{100}})
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), nil)
	a.waitRecords(300)
	inOrder(t, a.handled())
	if err := a.Ready(); err != nil {
		t.Error(err)
	}
	a.closes()
	if got, want := a.noted(), []string{"assign orders-0 orders-1 orders-2", "revoke orders-0 orders-1 orders-2"}; !slices.Equal(got, want) {
		t.Errorf("callbacks %q, want %q", got, want)
	}
	if err := a.Run(t.Context(), func(context.Context, *consumer.Message) error { return nil }); !errors.Is(err, consumer.ErrRan) {
		t.Errorf("a second run: %v", err)
	}

	// Who comes next begins where the first has ended.
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	b.waitOwned(3)
	embeddedtest.Produce(t, cluster, "orders", 1, 1)
	b.waitRecords(1)
	if got := b.handled(); !slices.Equal(got, []string{"orders-1@100"}) {
		t.Errorf("handled %q", got)
	}
}

// TestMembersComeAndGo has partitions that stay with their member while others move, no record lost and none handled twice.
func TestMembersComeAndGo(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 6, Records: []int{10}})
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), nil)
	a.waitOwned(6)
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	b.waitOwned(3)
	a.waitOwned(3)
	c := start(t, "c", config(cluster.Addrs(), "g", "orders"), nil)
	for _, m := range []*member{a, b, c} {
		m.waitOwned(2)
	}
	a.closes()
	b.waitOwned(3)
	c.waitOwned(3)
	for p := range int32(6) {
		embeddedtest.Produce(t, cluster, "orders", p, 10)
	}
	all := func() []string { return slices.Concat(a.handled(), b.handled(), c.handled()) }
	deadline := time.Now().Add(embeddedtest.Patience)
	for len(all()) < 120 && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
	got := all()
	slices.Sort(got)
	if unique := slices.Compact(slices.Clone(got)); len(got) != 120 || len(unique) != 120 {
		t.Errorf("%d records were handled, %d of them different; want 120", len(got), len(unique))
	}
	if log := a.noted(); len(log) != 4 { // all; minus three; minus one; minus two
		t.Errorf("the callbacks of a: %q", log)
	}
}

func TestDrain(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 4, Records: []int{5}})
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), nil)
	a.waitOwned(4)
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	b.waitOwned(2)
	if err := a.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a.Owned() != nil {
		t.Errorf("drained, and owns %v", a.Owned())
	}
	b.waitOwned(4)
	a.closes()
	if err := a.Drain(t.Context()); !errors.Is(err, consumer.ErrNotRunning) {
		t.Errorf("draining after the end: %v", err)
	}
}

// TestHandlerOutlivesTheDrain has a handler that does not return when its partition is revoked, whatever its context says.
func TestHandlerOutlivesTheDrain(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{5}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.RevokeTimeout = 50 * time.Millisecond
	cfg.RebalanceTimeout = 10 * time.Second
	release, entered := make(chan struct{}), make(chan *consumer.Message, 10)
	var hang atomic.Bool
	hang.Store(true)
	var a *member
	cfg.Callbacks = callbacks.Funcs{OnLost: func(ctx context.Context, _ *callbacks.Loss) error {
		if err := a.Commit(ctx, map[strategy.TopicPartition]callbacks.Offset{{Topic: "orders"}: {Offset: 3}}); !errors.Is(err, consumer.ErrNotOwned) {
			t.Errorf("a commit while it is told that it was given up: %v", err)
		}
		return nil
	}}
	a = newMember(t, "a", cfg)
	a.run(func(_ context.Context, m *consumer.Message) error {
		if m.Partition == 0 && m.Offset == 2 && hang.Load() {
			entered <- m
			<-release
		}
		return nil
	})
	stuck := <-entered
	a.waitRecords(5 + 2)
	if err := a.Rejoin("to see it"); err != nil { // nothing moves, nothing happens
		t.Error(err)
	}
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	b.waitOwned(1)
	if b.Owned()[0].Partitions[0] == 1 { // then the hanging one stayed: have everything move
		if err := a.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	a.wait("a loss", func() bool { return slices.Contains(a.log, "lost(undrained) orders-0") })
	if err := a.Ready(); err == nil || !strings.Contains(err.Error(), "orders-0") {
		t.Errorf("ready: %v", err)
	}
	if err := stuck.Commit(t.Context()); !errors.Is(err, consumer.ErrNotOwned) {
		t.Errorf("a commit of what was given up: %v", err)
	}
	b.wait("the record that hung", func() bool { return slices.Contains(b.records, "orders-0@2") })
	hang.Store(false)
	close(release)
	a.sees("the handler's return", func(e consumer.Event) bool { _, ok := e.(consumer.HandlerReturned); return ok })
	if err := a.Ready(); err != nil {
		t.Errorf("ready: %v", err)
	}
}

// TestUnclean has a handler that does not heed its context. The end does not wait for it for ever.
func TestUnclean(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{1}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.CloseTimeout = 100 * time.Millisecond
	working, release := make(chan struct{}), make(chan struct{})
	a := start(t, "a", cfg, func(context.Context, *consumer.Message) error {
		close(working)
		<-release
		return nil
	})
	<-working
	a.cancel()
	if err := a.ended(); !errors.Is(err, consumer.ErrUnclean) {
		t.Errorf("Run returned %v", err)
	}
	close(release)
}

func TestStuckHandler(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{5}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.StuckAfter = 50 * time.Millisecond
	cfg.RevokeTimeout = 50 * time.Millisecond
	cfg.LeaveWhenStuck = true
	a := start(t, "a", cfg, func(ctx context.Context, m *consumer.Message) error {
		if m.Offset == 2 {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	var stuck *consumer.StuckError
	if err := a.ended(); !errors.As(err, &stuck) || stuck.Offset != 2 {
		t.Errorf("Run returned %v", err)
	}
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	b.waitRecords(3)
	if got := b.handled()[0]; got != "orders-0@2" {
		t.Errorf("the next member begins with %s", got)
	}
}

func TestEagerGroup(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 4, Records: []int{5}})
	eager := func() consumer.Config {
		cfg := config(cluster.Addrs(), "g", "orders")
		cfg.Assignors = []strategy.Assignor{roundrobin.Assignor{}}
		return cfg
	}
	a := start(t, "a", eager(), nil)
	a.waitOwned(4)
	b := start(t, "b", eager(), nil)
	b.waitOwned(2)
	a.waitOwned(2)
	if got, want := a.noted()[:3], []string{"assign orders-0 orders-1 orders-2 orders-3", "revoke orders-0 orders-1 orders-2 orders-3"}; !slices.Equal(got[:2], want) {
		t.Errorf("callbacks %q", got)
	}
}

func TestHandlerFails(t *testing.T) {
	broken := errors.New("broken")
	at := func(offset int64) consumer.Handler {
		return func(_ context.Context, m *consumer.Message) error {
			if m.Offset == offset {
				return broken
			}
			return nil
		}
	}
	t.Run("stop", func(t *testing.T) {
		cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
		a := start(t, "a", config(cluster.Addrs(), "g", "orders"), at(3))
		err := a.ended()
		var h *consumer.HandlerError
		if !errors.As(err, &h) || h.Offset != 3 || h.Partition.Topic != "orders" || !errors.Is(err, broken) {
			t.Errorf("Run returned %v", err)
		}
		b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
		b.waitRecords(7)
		if got := b.handled()[0]; got != "orders-0@3" {
			t.Errorf("the next member begins with %s", got)
		}
	})
	t.Run("panic", func(t *testing.T) {
		cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
		a := start(t, "a", config(cluster.Addrs(), "g", "orders"), func(context.Context, *consumer.Message) error { panic(broken) })
		err := a.ended()
		var p *strategy.PanicError
		if !errors.As(err, &p) || !errors.Is(err, broken) || len(p.Stack) == 0 {
			t.Errorf("Run returned %v", err)
		}
	})
	t.Run("skip", func(t *testing.T) {
		cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
		cfg := config(cluster.Addrs(), "g", "orders")
		cfg.Failure = consumer.FailurePolicy{Retries: 1, Backoff: time.Millisecond, Then: consumer.ThenSkip}
		a := start(t, "a", cfg, at(3))
		a.waitRecords(9)
		a.sees("the skip", func(e consumer.Event) bool {
			f, ok := e.(consumer.HandlerFailed)
			return ok && f.Attempt == 2 && f.Next == "skip"
		})
	})
	t.Run("dead letter", func(t *testing.T) {
		cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
		cfg := config(cluster.Addrs(), "g", "orders")
		dead := make(chan int64, 10)
		cfg.Failure.DeadLetter = func(_ context.Context, m *consumer.Message, err error) error {
			if !errors.Is(err, broken) {
				t.Errorf("the dead letter's error is %v", err)
			}
			dead <- m.Offset
			return nil
		}
		a := start(t, "a", cfg, at(3))
		a.waitRecords(9)
		if got := <-dead; got != 3 {
			t.Errorf("offset %d was the dead letter", got)
		}
	})
	t.Run("retry", func(t *testing.T) {
		cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{10}})
		cfg := config(cluster.Addrs(), "g", "orders")
		cfg.Failure = consumer.FailurePolicy{Retries: -1, Backoff: time.Millisecond, MaxBackoff: time.Millisecond}
		var tries, heal atomic.Int64
		a := start(t, "a", cfg, func(_ context.Context, m *consumer.Message) error {
			if m.Partition == 0 && m.Offset == 3 && heal.Load() == 0 {
				tries.Add(1)
				return broken
			}
			return nil
		})
		a.waitRecords(13) // the other partition goes on
		a.wait("retries", func() bool { return tries.Load() > 3 })
		heal.Store(1)
		a.waitRecords(20)
		inOrder(t, a.handled())
	})
}

// TestNothingIsCommittedPastAnUnprocessedRecord has a handler that hangs until the member is closed.
func TestNothingIsCommittedPastAnUnprocessedRecord(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), func(ctx context.Context, m *consumer.Message) error {
		if m.Offset == 4 {
			<-ctx.Done()
			return ctx.Err()
		}
		return nil
	})
	a.waitRecords(4)
	a.cancel()
	if err := a.ended(); err != nil {
		t.Errorf("Run returned %v", err)
	}
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	b.waitRecords(6)
	if got := b.handled()[0]; got != "orders-0@4" {
		t.Errorf("the next member begins with %s", got)
	}
}

func TestManualCommits(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
	manual := config(cluster.Addrs(), "g", "orders")
	manual.Commits = consumer.CommitManual
	async := make(chan error, 1)
	a := newMember(t, "a", manual)
	a.run(func(ctx context.Context, m *consumer.Message) error {
		switch m.Offset {
		case 4:
			return m.Commit(ctx)
		case 6:
			a.CommitAsync(map[strategy.TopicPartition]callbacks.Offset{m.At(): {Offset: 6}}, func(err error) { async <- err })
		}
		return nil
	})
	a.waitRecords(10)
	if err := <-async; err != nil {
		t.Error(err)
	}
	err := a.Commit(t.Context(), map[strategy.TopicPartition]callbacks.Offset{{Topic: "orders", Partition: 7}: {Offset: 1}, {Topic: "orders", Partition: 0}: {Offset: 5}})
	var failed *callbacks.CommitError
	if !errors.As(err, &failed) || len(failed.Failed) != 1 || !errors.Is(err, consumer.ErrNotOwned) {
		t.Errorf("a commit of what is not owned: %v", err)
	}
	a.closes()
	if err := a.Commit(t.Context(), nil); !errors.Is(err, consumer.ErrNotRunning) {
		t.Errorf("a commit after the end: %v", err)
	}
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	b.waitRecords(4)
	if got := b.handled()[0]; got != "orders-0@6" {
		t.Errorf("the next member begins with %s", got)
	}
}

func TestBatches(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{100}})
	m := newMember(t, "a", config(cluster.Addrs(), "g", "orders"))
	var total atomic.Int64
	result := make(chan error, 1)
	go func() {
		result <- m.RunBatches(context.WithoutCancel(t.Context()), func(_ context.Context, b *consumer.Batch) error {
			if b.Topic != "orders" || len(b.Messages) == 0 || b.Messages[0].Topic != "orders" {
				t.Errorf("a batch of %s-%d with %d messages", b.Topic, b.Partition, len(b.Messages))
			}
			if total.Add(int64(len(b.Messages))) == 100 {
				go m.Stop()
			}
			return nil
		})
	}()
	if err := <-result; err != nil {
		t.Error(err)
	}
	if total.Load() != 100 {
		t.Errorf("%d records", total.Load())
	}
}

// TestCloseInACallback has everybody call Close who could wait for himself by that.
func TestCloseInACallback(t *testing.T) {
	for _, where := range []string{"assign", "revoke", "handler"} {
		t.Run(where, func(t *testing.T) {
			cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{1}})
			cfg := config(cluster.Addrs(), "g", "orders")
			var m *member
			closes := func(here string) {
				if here == where {
					if err := m.Close(); err != nil {
						t.Error(err)
					}
				}
			}
			cfg.Callbacks = callbacks.Funcs{
				OnAssign: func(context.Context, *callbacks.Assignment) error { closes("assign"); return nil },
				OnRevoke: func(context.Context, *callbacks.Revocation) error { closes("revoke"); return nil },
			}
			m = newMember(t, "a", cfg)
			m.run(func(context.Context, *consumer.Message) error { closes("handler"); return nil })
			if where == "revoke" {
				m.waitOwned(1)
				m.Stop()
			}
			if err := m.ended(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTopicThatComesLater(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{1}})
	cfg := config(cluster.Addrs(), "g", "orders", "later")
	cfg.Start.From = callbacks.FromLatest
	a := start(t, "a", cfg, nil)
	a.sees("a missing topic", func(e consumer.Event) bool { return e == consumer.TopicMissing{Topic: "later"} })
	a.waitOwned(1)
	if err := cluster.Create(t.Context(), embedded.Topic{Name: "later", Partitions: 2, Records: []int{5}}); err != nil {
		t.Fatal(err)
	}
	a.waitOwned(3)
	a.waitRecords(10) // a new topic is read from its beginning
}

func TestAssignFails(t *testing.T) {
	broken := errors.New("broken")
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{1}})
	cfg := config(cluster.Addrs(), "g", "orders")
	var calls atomic.Int64
	cfg.Callbacks = callbacks.Funcs{OnAssign: func(context.Context, *callbacks.Assignment) error {
		if calls.Add(1) < 3 {
			return broken
		}
		return nil
	}}
	a := start(t, "a", cfg, nil)
	if err := a.ended(); !errors.Is(err, broken) {
		t.Errorf("Run returned %v", err)
	}
	if n := len(a.handled()); n > 0 {
		t.Errorf("%d records were delivered", n)
	}
	calls.Store(0)
	cfg.RetryAssign = true
	b := start(t, "b", cfg, nil)
	b.waitRecords(1)
	want := []string{"assign orders-0", "revoke orders-0", "assign orders-0", "revoke orders-0", "assign orders-0"}
	if got := b.noted(); !slices.Equal(got, want) {
		t.Errorf("callbacks %q", got)
	}
}
