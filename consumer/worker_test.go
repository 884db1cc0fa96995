package consumer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
)

// nextBegins has another member of group g read on, and says with which record of orders-0 it is to begin.
func nextBegins(t *testing.T, cluster *embedded.Cluster, record string) {
	t.Helper()
	next := start(t, "next", config(cluster.Addrs(), "g", "orders"), nil)
	next.waitRecords(1)
	if got := next.handled()[0]; got != record {
		t.Errorf("the next member begins with %s, want %s", got, record)
	}
}

// TestStopIsAfterTheRecordInWork closes a member whose handler works on one of many records that are there. It may finish that one.
func TestStopIsAfterTheRecordInWork(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
	entered, release := make(chan struct{}), make(chan struct{})
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), func(ctx context.Context, m *consumer.Message) error {
		if m.Offset == 2 {
			close(entered)
			<-release
		}
		return ctx.Err()
	})
	<-entered
	a.Stop()
	a.polls("its end to begin", func() bool { return a.Stats().State == "leaving" })
	close(release)
	if err := a.close(); err != nil {
		t.Error(err)
	}
	if got := a.handled(); len(got) != 3 {
		t.Errorf("handled %q; want three records", got)
	}
	nextBegins(t, cluster, "orders-0@3")
}

// TestRetryIsCutShort closes a member that waits before it tries a record again.
func TestRetryIsCutShort(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Failure = consumer.FailurePolicy{Retries: -1, Backoff: time.Hour, MaxBackoff: time.Hour}
	a := start(t, "a", cfg, func(_ context.Context, m *consumer.Message) error {
		if m.Offset == 3 {
			return errors.New("broken")
		}
		return nil
	})
	a.sees("the failure", func(e consumer.Event) bool { f, ok := e.(consumer.HandlerFailed); return ok && f.Next == "retry" })
	if err := a.close(); err != nil {
		t.Error(err)
	}
	nextBegins(t, cluster, "orders-0@3")
}

// TestDeadLetter has dead letters that are not stored: the record counts as processed only when they are.
func TestDeadLetter(t *testing.T) {
	broken, full := errors.New("broken"), errors.New("full")
	fails := func(_ context.Context, m *consumer.Message) error {
		if m.Offset == 3 {
			return broken
		}
		return nil
	}
	t.Run("refused", func(t *testing.T) {
		cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
		cfg := config(cluster.Addrs(), "g", "orders")
		cfg.Failure.DeadLetter = func(context.Context, *consumer.Message, error) error { return full }
		a := start(t, "a", cfg, fails)
		a.wait("the end, or what is behind the record", func() bool { return len(a.log) > 1 || len(a.records) > 3 })
		if err := a.close(); !errors.Is(err, broken) || !errors.Is(err, full) {
			t.Errorf("Run returned %v", err)
		}
		nextBegins(t, cluster, "orders-0@3")
	})
	t.Run("cut short", func(t *testing.T) {
		cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
		cfg := config(cluster.Addrs(), "g", "orders")
		storing := make(chan struct{})
		cfg.Failure.DeadLetter = func(ctx context.Context, _ *consumer.Message, _ error) error {
			close(storing)
			<-ctx.Done()
			return ctx.Err()
		}
		a := start(t, "a", cfg, fails)
		<-storing
		a.cancel()
		if err := a.ended(); err != nil {
			t.Error(err)
		}
		nextBegins(t, cluster, "orders-0@3")
	})
}

// TestComesBackWhileItsHandlerWorks has a partition move and come back while its handler, which was given up, still works.
func TestComesBackWhileItsHandlerWorks(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{1}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.RevokeTimeout = 50 * time.Millisecond
	var working [2]atomic.Int32
	entered, release := make(chan struct{}, 10), make(chan struct{})
	a := start(t, "a", cfg, func(_ context.Context, m *consumer.Message) error {
		if working[m.Partition].Add(1) > 1 {
			t.Errorf("two handlers work on partition %d", m.Partition)
		}
		defer working[m.Partition].Add(-1)
		entered <- struct{}{}
		<-release
		return nil
	})
	<-entered
	<-entered
	manual := config(cluster.Addrs(), "g", "orders") // commits nothing, so that the record comes once more
	manual.Commits = consumer.CommitManual
	b := start(t, "b", manual, nil)
	b.waitOwned(1)
	moved := strings.TrimPrefix(b.noted()[0], "assign ")
	if err := b.close(); err != nil {
		t.Error(err)
	}
	a.wait("the partition", func() bool { return slices.Index(a.log, "lost(undrained) "+moved) >= 0 && a.owned[moved] == 1 })
	time.Sleep(100 * time.Millisecond) // for who does not wait
	close(release)
	a.wait("its record, once more", func() bool {
		n := 0
		for _, r := range a.records {
			if r == moved+"@0" {
				n++
			}
		}
		return n == 2
	})
}
