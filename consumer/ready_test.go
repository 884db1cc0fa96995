package consumer_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
)

// blocking returns a handler that waits.
func blocking(release <-chan struct{}) consumer.Handler {
	return func(ctx context.Context, _ *consumer.Message) error {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return ctx.Err()
	}
}

// becomesReady waits until it is.
func (m *member) becomesReady() {
	m.t.Helper()
	m.polls("to be ready", func() bool { return m.Ready() == nil })
}

// notReady checks that Ready says so, and why.
func (m *member) notReady(why string) {
	m.t.Helper()
	if err := m.Ready(); err == nil || !strings.Contains(err.Error(), why) {
		m.t.Errorf("ready: %v; want %q", err, why)
	}
}

// hold keeps answers to a kind of requests back until it is released.
func hold(fake *kfake.Cluster, key kmsg.Key) (entered chan struct{}, release chan struct{}) {
	entered, release = make(chan struct{}, 1000), make(chan struct{})
	fake.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) {
		select {
		case <-release:
		default:
			fake.KeepControl()
			entered <- struct{}{}
			fake.SleepControl(func() { <-release })
		}
		return nil, nil, false
	})
	return entered, release
}

func TestReadyOnlyWhileItRuns(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1})
	m := newMember(t, "a", config(cluster.Addrs(), "g", "orders"))
	if err := m.Ready(); !errors.Is(err, consumer.ErrNotRunning) {
		t.Errorf("before Run: %v", err)
	}
	entered, release := hold(cluster.Fake(), kmsg.JoinGroup)
	m.run(nil)
	<-entered
	m.notReady("has not joined the group yet")
	close(release)
	m.waitOwned(1)
	m.becomesReady()
	m.closes()
	if err := m.Ready(); !errors.Is(err, consumer.ErrNotRunning) {
		t.Errorf("after Run: %v", err)
	}
}

func TestReadyFenced(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.InstanceID = "one"
	m := start(t, "a", cfg, nil)
	m.waitOwned(1)
	m.becomesReady()
	cluster.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.FencedInstanceID})
	if err := m.ended(); !errors.Is(err, consumer.ErrFenced) {
		t.Errorf("Run returned %v", err)
	}
	if err := m.Ready(); !errors.Is(err, consumer.ErrFenced) || !errors.Is(err, consumer.ErrNotRunning) {
		t.Errorf("ready: %v", err)
	}
}

// TestReadyExpired has a member that was put out of its group, and has to wait to be back.
func TestReadyExpired(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.RebalanceTimeout = time.Second // which the group waits for the member that it still knows
	m := start(t, "a", cfg, nil)
	m.waitOwned(1)
	m.becomesReady()
	entered, release := hold(cluster.Fake(), kmsg.JoinGroup)
	cluster.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.UnknownMemberID})
	m.wait("the loss", func() bool { return len(m.log) > 1 && m.log[1] == "lost(expired) orders-0" })
	<-entered
	m.notReady("put out of the group")
	close(release)
	m.waitOwned(1)
	m.becomesReady()
}

// TestReadyWhileClosing has a handler that takes its time at the end.
func TestReadyWhileClosing(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{1}})
	entered, release := make(chan struct{}), make(chan struct{})
	m := start(t, "a", config(cluster.Addrs(), "g", "orders"), func(context.Context, *consumer.Message) error {
		close(entered)
		<-release
		return nil
	})
	<-entered
	m.Stop()
	m.polls("to be ending", func() bool { return m.Ready() != nil })
	m.notReady("about to end")
	close(release)
	m.closes()
}

// TestReadyAfterADeletion has the trouble of a partition go with it.
func TestReadyAfterADeletion(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1}, embedded.Topic{Name: "gone", Partitions: 1})
	m := start(t, "a", config(cluster.Addrs(), "g", "orders", "gone"), nil)
	m.waitOwned(2)
	deleteTopic(t, cluster, "gone")
	m.sees("the trouble", func(e consumer.Event) bool {
		r, ok := e.(consumer.ReadTrouble)
		return ok && r.Partition.Topic == "gone" && r.Err != nil
	})
	m.waitOwned(1)
	m.becomesReady()
}
