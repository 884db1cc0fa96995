//go:build python

package tenants

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/pythontest"
	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// sizes are the topics that groups read.
var sizes = map[string]int32{"acme.orders": 6, "acme.payments": 4, "globex.orders": 5}

// TestConsumers has a group on the embedded cluster assigned by the plugin.
func TestConsumers(t *testing.T) {
	var topics []embedded.Topic
	for name, n := range sizes {
		topics = append(topics, embedded.Topic{Name: name, Partitions: n})
	}
	cluster := embeddedtest.Start(t, embedded.Options{}, topics...)
	g := &group{t: t, brokers: cluster.Addrs(), assignor: pythontest.Open(t, "tenants"), produce: func(topic string, p int32, n int) { embeddedtest.Produce(t, cluster, topic, p, n) }}
	g.comeAndGo()
}

// A group is one of consumers whose leader asks the plugin.
type group struct {
	t        *testing.T
	brokers  []string
	assignor *plugin.Assignor
	produce  func(topic string, partition int32, n int)

	mu       sync.Mutex
	failures []strategy.Failure
	records  map[string]int // topic-partition@offset -> how often it was handled
	produced int
	members  []*member
}

type member struct {
	*consumer.Consumer
	result chan error
}

// comeAndGo has members join and leave. Each time all records that are written then are delivered, partitions are where the plugin says,
// and no other assignor was needed.
func (g *group) comeAndGo() {
	g.records = map[string]int{}
	for _, n := range []int{1, 2, 3, 2, 1} {
		for len(g.members) < n {
			g.join()
		}
		for len(g.members) > n {
			g.leave()
		}
		g.settled()
		g.deliver()
	}
	g.leave()
	if len(g.failures) > 0 {
		g.t.Errorf("the plugin failed: %v", g.failures)
	}
	if s := g.assignor.Stats(); s.Answers < 5 || s.Starts != 1 {
		g.t.Errorf("the plugin: %+v", s)
	}
}

func (g *group) join() {
	g.t.Helper()
	a := strategy.Fallback(pythontest.Kept{Assignor: g.assignor}, sticky.Assignor{})
	a.OnFailure = func(f strategy.Failure) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.failures = append(g.failures, f)
	}
	a.Timeout = time.Minute
	var topics []string
	for name := range sizes {
		topics = append(topics, name)
	}
	c, err := consumer.New(consumer.Config{
		Brokers: g.brokers, Group: "tenants", Topics: topics, Assignors: []strategy.Assignor{a}, AssignTimeout: time.Minute,
		HeartbeatInterval: 100 * time.Millisecond, CommitInterval: 100 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		g.t.Fatal(err)
	}
	m := &member{Consumer: c, result: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.WithoutCancel(g.t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		m.result <- c.Run(ctx, g.handle)
	}()
	g.t.Cleanup(func() { cancel(); <-ended })
	g.members = append(g.members, m)
}

// leave has the member go that came first, which leads.
func (g *group) leave() {
	m := g.members[0]
	g.members = g.members[1:]
	m.Stop()
	if err := <-m.result; err != nil {
		g.t.Errorf("a member ended: %v", err)
	}
}

func (g *group) handle(_ context.Context, m *consumer.Message) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.records[fmt.Sprintf("%s-%d@%d", m.Topic, m.Partition, m.Offset)]++
	return nil
}

// settled waits until the members have all partitions, each tenant's evenly.
func (g *group) settled() {
	g.t.Helper()
	g.eventually("partitions that are spread evenly", func() (string, bool) {
		even, total := true, 0
		var seen []string
		for tenant, partitions := range map[string]int{"acme": 10, "globex": 5} {
			for _, m := range g.members {
				n := 0
				for _, list := range m.Owned() {
					if list.Topic[:len(tenant)] == tenant {
						n += len(list.Partitions)
					}
				}
				even = even && n >= partitions/len(g.members) && n <= (partitions+len(g.members)-1)/len(g.members)
				total += n
			}
		}
		for _, m := range g.members {
			seen = append(seen, fmt.Sprint(m.Owned()))
		}
		return fmt.Sprint(seen), even && total == 15
	})
}

// deliver writes some records to each partition, and waits until all that were ever written have been handled.
func (g *group) deliver() {
	g.t.Helper()
	for topic, n := range sizes {
		for p := range n {
			g.produce(topic, p, 10)
			g.produced += 10
		}
	}
	g.eventually("all records", func() (string, bool) {
		g.mu.Lock()
		defer g.mu.Unlock()
		return fmt.Sprintf("%d of %d", len(g.records), g.produced), len(g.records) == g.produced
	})
}

func (g *group) eventually(what string, f func() (string, bool)) {
	g.t.Helper()
	for deadline := time.Now().Add(3 * embeddedtest.Patience); ; time.Sleep(10 * time.Millisecond) {
		seen, ok := f()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			g.t.Fatalf("waiting for %s in vain; last: %s; failures of the plugin: %v", what, seen, g.failures)
		}
	}
}
