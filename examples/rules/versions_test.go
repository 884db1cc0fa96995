package rules_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/strategies/rules"
	"github.com/assignkit/assignkit/strategy"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

const shared = 12 // partitions of the topic orders

func TestVersions(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: shared})
	upgrade(t, cluster.Addrs())
}

// upgrade has a group with capacities by processors upgraded member by member, from a version that sends no label cpu to one that does.
func upgrade(t *testing.T, brokers []string) {
	t.Helper()
	var told log
	a, err := rules.Open("cpu.yaml", slog.New(slog.NewTextHandler(&told, nil)))
	if err != nil {
		t.Fatal(err)
	}
	g := &upgraded{t: t, brokers: brokers, assignor: strategy.Cooperative(a), members: map[string]*consumer.Consumer{}, stops: map[string]func(){}}
	g.join("old-1", nil)
	g.join("old-2", nil)
	g.settles(map[string]int{"old-1": 6, "old-2": 6}) // both are taken to have two processors
	g.leave("old-1")
	g.join("new-1", map[string]string{"cpu": "4"})
	g.settles(map[string]int{"new-1": 8, "old-2": 4})
	if !strings.Contains(told.String(), "label=cpu") {
		t.Errorf("nobody is told of the member without the label: %s", told.String())
	}
	g.leave("old-2")
	g.join("new-2", map[string]string{"cpu": "8"})
	g.settles(map[string]int{"new-1": 4, "new-2": 8})
}

// upgraded is a group whose members come and go.
type upgraded struct {
	t        *testing.T
	brokers  []string
	assignor strategy.Assignor
	members  map[string]*consumer.Consumer
	stops    map[string]func()
}

func (g *upgraded) join(name string, labels map[string]string) {
	g.t.Helper()
	c, err := consumer.New(consumer.Config{
		Brokers: g.brokers, Group: "versions", Topics: []string{"orders"}, Assignors: []strategy.Assignor{g.assignor}, Labels: labels,
		HeartbeatInterval: 100 * time.Millisecond, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		g.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(g.t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := c.Run(ctx, func(context.Context, *consumer.Message) error { return nil }); err != nil && ctx.Err() == nil {
			g.t.Errorf("%s ended: %v", name, err)
		}
	}()
	g.t.Cleanup(func() { cancel(); <-ended })
	g.members[name], g.stops[name] = c, func() { c.Stop(); <-ended }
}

func (g *upgraded) leave(name string) {
	g.stops[name]()
	delete(g.members, name)
}

// settles waits until members have as many partitions each as said.
func (g *upgraded) settles(want map[string]int) {
	g.t.Helper()
	embeddedtest.Eventually(g.t, "partitions by processors", func() bool {
		for name, c := range g.members {
			if strategy.Count(c.Owned()) != want[name] {
				return false
			}
		}
		return true
	})
}

// A log is what was told, for several goroutines.
type log struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
