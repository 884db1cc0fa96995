package consumer_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/strategy"
)

// startCluster starts an embedded cluster with topics.
func startCluster(t *testing.T, topics ...embedded.Topic) *embedded.Cluster {
	t.Helper()
	return embeddedtest.Start(t, embedded.Options{}, topics...)
}

// A member is a consumer under test, with all that happened to it.
type member struct {
	*consumer.Consumer
	t      *testing.T
	name   string
	cancel context.CancelFunc
	result chan error

	mu      sync.Mutex
	changed *sync.Cond
	records []string       // topic-partition@offset, in the order of handling
	log     []string       // callbacks and what else is noted
	marks   map[string]int // what was noted -> how many records had been handled
	owned   map[string]int // partition -> how many more OnAssigns than ends
	events  []consumer.Event
}

// config is one for tests: what is slow for good reason elsewhere is quick.
func config(brokers []string, group string, topics ...string) consumer.Config {
	return consumer.Config{
		Brokers: brokers, Group: group, Topics: topics,
		HeartbeatInterval: 50 * time.Millisecond, CommitInterval: 50 * time.Millisecond, TopicInterval: 100 * time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

// newMember makes a member whose callbacks are noted, and then are those of cfg.
func newMember(t *testing.T, name string, cfg consumer.Config) *member {
	t.Helper()
	m := &member{t: t, name: name, result: make(chan error, 1), marks: map[string]int{}, owned: map[string]int{}}
	m.changed = sync.NewCond(&m.mu)
	inner := cfg.Callbacks
	if inner == nil {
		inner = callbacks.Funcs{}
	}
	cfg.Callbacks = callbacks.Funcs{
		OnAssign: func(ctx context.Context, a *callbacks.Assignment) error {
			m.note("assign", a.Added, 1)
			return inner.Assigned(ctx, a)
		},
		OnRevoke: func(ctx context.Context, r *callbacks.Revocation) error {
			m.note("revoke", r.Removed, -1)
			return inner.Revoked(ctx, r)
		},
		OnLost: func(ctx context.Context, l *callbacks.Loss) error {
			if l.Generation == strategy.NoGeneration {
				t.Errorf("%s: lost(%s) does not say in which generation the member had it", name, l.Reason)
			}
			m.note("lost("+string(l.Reason)+")", l.Removed, -1)
			return inner.Lost(ctx, l)
		},
	}
	observer := cfg.Observer
	cfg.Observer = consumer.ObserverFunc(func(e consumer.Event) {
		m.mu.Lock()
		m.events = append(m.events, e)
		m.changed.Broadcast()
		m.mu.Unlock()
		if observer != nil {
			observer.Observe(e)
		}
	})
	c, err := consumer.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	m.Consumer = c
	return m
}

// start runs a member until the test ends. A nil handler accepts everything; what is handled without an error is noted.
func start(t *testing.T, name string, cfg consumer.Config, h consumer.Handler) *member {
	t.Helper()
	m := newMember(t, name, cfg)
	m.run(h)
	return m
}

func (m *member) run(h consumer.Handler) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(m.t.Context()))
	m.cancel = cancel
	if h == nil {
		h = func(context.Context, *consumer.Message) error { return nil }
	}
	go func() {
		m.result <- m.Run(ctx, func(ctx context.Context, r *consumer.Message) error {
			err := h(ctx, r)
			if err == nil {
				m.mu.Lock()
				m.records = append(m.records, fmt.Sprintf("%s-%d@%d", r.Topic, r.Partition, r.Offset))
				m.changed.Broadcast()
				m.mu.Unlock()
			}
			return err
		})
	}()
	m.t.Cleanup(func() {
		cancel()
		_ = m.Close()
	})
}

func (m *member) note(what string, list []strategy.TopicPartitions, by int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for p := range callbacks.Each(list) {
		key := fmt.Sprintf("%s-%d", p.Topic, p.Partition)
		if m.owned[key] += by; m.owned[key] != 0 && m.owned[key] != 1 {
			m.t.Errorf("%s: %s of %s makes it %d times owned", m.name, what, key, m.owned[key])
		}
	}
	m.log = append(m.log, what+" "+text(list))
	m.marks[what+" "+text(list)] = len(m.records)
	m.changed.Broadcast()
}

func text(list []strategy.TopicPartitions) string {
	var parts []string
	for p := range callbacks.Each(list) {
		parts = append(parts, fmt.Sprintf("%s-%d", p.Topic, p.Partition))
	}
	return strings.Join(parts, " ")
}

// wait waits until a condition, which is asked with m.mu held, is true.
func (m *member) wait(what string, condition func() bool) {
	m.t.Helper()
	timer := time.AfterFunc(embeddedtest.Patience, func() {
		m.mu.Lock()
		m.changed.Broadcast()
		m.mu.Unlock()
	})
	defer timer.Stop()
	deadline := time.Now().Add(embeddedtest.Patience)
	m.mu.Lock()
	defer m.mu.Unlock()
	for !condition() {
		if time.Now().After(deadline) {
			m.t.Fatalf("%s: waiting for %s in vain; callbacks %q, %d records, events %v", m.name, what, m.log, len(m.records), m.eventNames())
		}
		m.changed.Wait()
	}
}

// polls waits for what nobody tells.
func (m *member) polls(what string, condition func() bool) {
	m.t.Helper()
	for deadline := time.Now().Add(embeddedtest.Patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			m.t.Fatalf("%s: waiting for %s in vain; callbacks %q, ready: %v", m.name, what, m.noted(), m.Ready())
		}
	}
}

func (m *member) eventNames() []string {
	var names []string
	for _, e := range m.events {
		names = append(names, fmt.Sprintf("%T", e))
	}
	return names
}

func (m *member) waitRecords(n int) {
	m.t.Helper()
	m.wait(fmt.Sprintf("%d records", n), func() bool { return len(m.records) >= n })
}

func (m *member) waitOwned(n int) {
	m.t.Helper()
	m.wait(fmt.Sprintf("%d partitions", n), func() bool { return m.count() == n })
}

func (m *member) count() int {
	n := 0
	for _, c := range m.owned {
		n += c
	}
	return n
}

// sees waits for an event for which f returns true.
func (m *member) sees(what string, f func(consumer.Event) bool) {
	m.t.Helper()
	m.wait(what, func() bool { return slices.ContainsFunc(m.events, f) })
}

func (m *member) noted() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.log)
}

func (m *member) handled() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.records)
}

// close closes the member and returns what Run returned.
func (m *member) close() error {
	m.t.Helper()
	closed := m.Close()
	err := m.ended()
	if fmt.Sprint(closed) != fmt.Sprint(err) {
		m.t.Errorf("%s: Close returned %v and Run %v", m.name, closed, err)
	}
	return err
}

// closes closes the member, which nothing keeps from ending well.
func (m *member) closes() {
	m.t.Helper()
	if err := m.close(); err != nil {
		m.t.Errorf("%s: Run returned %v", m.name, err)
	}
}

// ended waits for Run to return.
func (m *member) ended() error {
	m.t.Helper()
	select {
	case err := <-m.result:
		m.result <- err
		return err
	case <-time.After(2 * embeddedtest.Patience):
		m.t.Fatalf("%s: Run does not return; callbacks %q", m.name, m.noted())
		return nil
	}
}

// onceEach waits until members have handled so many records together, and checks that none was handled twice.
func onceEach(t *testing.T, n int, members ...*member) {
	t.Helper()
	var all []string
	embeddedtest.Eventually(t, fmt.Sprintf("%d records", n), func() bool {
		all = nil
		for _, m := range members {
			all = append(all, m.handled()...)
		}
		return len(all) >= n
	})
	slices.Sort(all)
	if unique := slices.Compact(slices.Clone(all)); len(all) != n || len(unique) != n {
		t.Errorf("%d records were handled, %d of them different; want %d", len(all), len(unique), n)
	}
}
