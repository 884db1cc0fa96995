package main

import (
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
)

const (
	goldTopic  = "gold.orders"
	otherTopic = "orders"
	partitions = 6 // of each
)

// A group is members whose plugin pins gold.orders to those of the tier gold.
type group struct {
	t       *testing.T
	site    *site
	cfg     consumer.Config
	members map[string]*member
	results map[string]chan error
	read    int64        // by members that have gone
	failed  atomic.Int32 // answers of the plugin that were not used
}

func newGroup(t *testing.T, s *site, brokers []string) *group {
	g := &group{t: t, site: s, members: map[string]*member{}, results: map[string]chan error{}}
	g.cfg = consumer.Config{
		Brokers: brokers, Group: "plugins", Topics: []string{goldTopic, otherTopic},
		HeartbeatInterval: 100 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(s, nil)),
		Observer: consumer.ObserverFunc(func(e consumer.Event) {
			if f, ok := e.(consumer.AssignorFailed); ok {
				g.failed.Add(1)
				t.Logf("not the plugin decides: %v", f.Failure.Err)
			}
		}),
	}
	t.Cleanup(func() {
		for _, name := range slices.Sorted(maps.Keys(g.members)) {
			g.leave(name)
		}
	})
	return g
}

// join has a member join, with a tier unless it is "".
func (g *group) join(name, tier string) {
	g.t.Helper()
	cfg := g.cfg
	if tier != "" {
		cfg.Labels = map[string]string{"tier": tier}
	}
	m, err := newMember(g.site.Catalog, "labels", name, cfg, log.New(io.Discard, "", 0))
	if err != nil {
		g.t.Fatal(err)
	}
	result := make(chan error, 1)
	go func() { result <- m.run(g.t.Context()) }()
	g.members[name], g.results[name] = m, result
}

func (g *group) leave(name string) {
	m := g.members[name]
	m.Stop()
	if err := <-g.results[name]; err != nil {
		g.t.Errorf("%s: %v", name, err)
	}
	g.read += m.read.Load()
	delete(g.members, name)
}

// owners says who has each partition of a topic.
func (g *group) owners(topic string) map[int32][]string {
	who := map[int32][]string{}
	for _, name := range slices.Sorted(maps.Keys(g.members)) {
		for _, list := range g.members[name].Owned() {
			if list.Topic != topic {
				continue
			}
			for _, p := range list.Partitions {
				who[p] = append(who[p], name)
			}
		}
	}
	return who
}

// settles waits until every partition has one owner, every member some, and all of a topic are with those who are to have it.
func (g *group) settles(topic string, who ...string) {
	g.t.Helper()
	var last string
	embeddedtest.Eventually(g.t, fmt.Sprintf("%s is read by %q", topic, who), func() bool {
		has := map[string]bool{}
		whole := true
		for _, topic := range g.cfg.Topics {
			owners := g.owners(topic)
			whole = whole && len(owners) == partitions
			for _, names := range owners {
				whole = whole && len(names) == 1
				has[names[0]] = true
			}
		}
		with := map[string]bool{}
		for _, names := range g.owners(topic) {
			with[names[0]] = true
		}
		last = fmt.Sprint(g.owners(goldTopic), g.owners(otherTopic))
		return whole && len(has) == len(g.members) && slices.Equal(slices.Sorted(maps.Keys(with)), who)
	})
	g.t.Log(last)
}

// answers says how often the plugin has answered.
func (g *group) answers() int64 { return g.site.state().Answers }

// rehearse takes a group through a day: members join, the plugin is upgraded while they read, its process is killed in rebalances, members leave. The
// plugin decides each time.
func rehearse(t *testing.T, s *site, brokers []string, kills int) *group {
	g := newGroup(t, s, brokers)
	g.join("gold-1", "gold")
	g.join("other", "")
	g.settles(goldTopic, "gold-1")
	g.join("gold-2", "gold")
	g.settles(goldTopic, "gold-1", "gold-2")

	s.install("1.1.0")
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.state(); got.Version != "1.1.0" || !got.Running {
		t.Errorf("after the upgrade: %+v", got)
	}
	for i := range kills {
		before, doomed := g.answers(), s.process()
		if i%2 == 0 {
			g.join("gold-3", "gold")
		} else {
			g.leave("gold-3")
		}
		time.Sleep(time.Duration(i) * 40 * time.Millisecond) // at another moment of the rebalance each time
		_ = doomed.Kill()                                    // unless an earlier one has gone, and none was needed since
		if i%2 == 0 {
			g.settles(goldTopic, "gold-1", "gold-2", "gold-3")
		} else {
			g.settles(goldTopic, "gold-1", "gold-2")
		}
		if g.answers() == before {
			t.Error("the plugin was not asked")
		}
	}
	if got := s.state(); got.Failures == 0 || got.Version != "1.1.0" {
		t.Errorf("after %d kills: %+v", kills, got)
	}
	return g
}

// end checks that the plugin has decided every time, and has all members leave, having read all records.
func (g *group) end(records int64) {
	g.t.Helper()
	if n := g.failed.Load(); n > 0 {
		g.t.Errorf("%d answers of the plugin were not used", n)
	}
	embeddedtest.Eventually(g.t, fmt.Sprintf("all of %d records are read", records), func() bool {
		n := g.read
		for _, m := range g.members {
			n += m.read.Load()
		}
		return n == records
	})
	for _, name := range slices.Sorted(maps.Keys(g.members)) {
		g.leave(name)
	}
	if len(g.site.Stats()) > 0 {
		g.t.Error("the plugin is kept, and nobody uses it")
	}
}

func TestGroup(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{},
		embedded.Topic{Name: goldTopic, Partitions: partitions, Records: []int{10}},
		embedded.Topic{Name: otherTopic, Partitions: partitions, Records: []int{10}})
	s := newSite(t)
	g := rehearse(t, s, cluster.Addrs(), 12)
	for p := range int32(partitions) {
		embeddedtest.Produce(t, cluster, goldTopic, p, 5)
	}
	g.end(2*partitions*10 + partitions*5)
}
