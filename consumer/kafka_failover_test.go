//go:build kafka

package consumer_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/kafkatest"
	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategy"
)

// Brokers of three are killed, one at a time: what goes on without them does.
func TestKafkaFailover(t *testing.T) {
	// The dead are missed late, so that a busy machine has the time to show what goes on meanwhile.
	c := startKafka(t, kafkatest.Config{Brokers: 3, Properties: map[string]string{"broker.session.timeout.ms": "12000"}})
	for _, test := range []struct {
		name string
		f    func(*testing.T, *realCluster)
	}{
		{"coordinator", coordinatorKilled}, {"partition leader", leaderKilled}, {"coordinator in a rebalance", killedInRebalance},
	} {
		t.Run(test.name, func(t *testing.T) { test.f(t, c) })
	}
}

// perPartition counts the records that a member has handled.
func (m *member) perPartition() map[string]int {
	counts := map[string]int{}
	for _, r := range m.handled() {
		p, _, _ := strings.Cut(r, "@")
		counts[p]++
	}
	return counts
}

// losses counts how often the member has lost its coordinator, and how often it has found it again.
func (m *member) losses() (lost, found int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.events {
		switch e.(type) {
		case consumer.CoordinatorLost:
			lost++
		case consumer.CoordinatorFound:
			found++
		}
	}
	return lost, found
}

// waitCoordinator waits until the member has no coordinator, or has one.
func (m *member) waitCoordinator(t *testing.T, away bool) {
	t.Helper()
	eventually(t, fmt.Sprintf("%s: the coordinator is away: %t", m.name, away), func() (string, bool) {
		lost, found := m.losses()
		return "", (lost > found) == away
	})
}

// flows waits for more records of partitions.
func (m *member) flows(t *testing.T, partitions []string) {
	t.Helper()
	before := m.perPartition()
	eventually(t, m.name+": records of every partition", func() (string, bool) {
		now := m.perPartition()
		for _, p := range partitions {
			if now[p] < before[p]+5 {
				return fmt.Sprint(before, now), false
			}
		}
		return "", true
	})
}

// A committing group is one that commits in its own way. Its one member has all partitions.
type committing struct {
	*member
	group    string
	waits    string // the partition whose handler commits synchronously
	mu       sync.Mutex
	failures []error
	answered int
}

func startCommitting(t *testing.T, c *realCluster, kind, topic string, broker int32) *committing {
	g := &committing{group: c.groupAt(t, topic+"-"+kind, broker)}
	cfg := config(c.Addrs(), g.group, topic)
	answered := func(err error) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.answered++
		if err != nil {
			g.failures = append(g.failures, err)
		}
	}
	handler := func(context.Context, *consumer.Message) error { return nil }
	if kind != "auto" {
		cfg.Commits = consumer.CommitManual
		handler = func(ctx context.Context, m *consumer.Message) error {
			if kind == "sync" && m.Partition == 0 {
				err := m.Commit(ctx)
				answered(err)
				return err
			}
			g.CommitAsync(map[strategy.TopicPartition]callbacks.Offset{m.At(): {Offset: m.Offset + 1}}, answered)
			return nil
		}
	}
	if kind == "sync" {
		g.waits = topic + "-0"
	}
	g.member = newMember(t, kind, cfg)
	g.run(handler)
	return g
}

// coordinatorKilled kills the coordinator of three groups, which leads nothing that they read.
func coordinatorKilled(t *testing.T, c *realCluster) {
	const topic, n = "coordinator", 4
	victim := c.coordinator(t, "any")
	others := []int32{(victim + 1) % 3, (victim + 2) % 3}
	c.place(t, topic, others, []int32{others[1], others[0]}, others, []int32{others[1], others[0]})
	var partitions []string
	for p := range n {
		partitions = append(partitions, fmt.Sprintf("%s-%d", topic, p))
	}
	w := c.write(t, topic, n, 10*time.Millisecond)
	var groups []*committing
	for _, kind := range []string{"auto", "async", "sync"} {
		groups = append(groups, startCommitting(t, c, kind, topic, victim))
	}
	for _, g := range groups {
		g.waitOwned(n)
		g.waitRecords(200)
	}
	rounds := map[string]int{}
	for _, g := range groups {
		rounds[g.name] = len(g.rounds())
	}
	c.Kill(int(victim))
	for _, g := range groups {
		g.waitCoordinator(t, true)
	}
	found := foundIn(groups)
	flow(t, groups, partitions, 20)
	sync := groups[2]
	waiting := sync.perPartition()[sync.waits]
	flow(t, groups, partitions, 20)
	if now := sync.perPartition()[sync.waits]; now != waiting {
		t.Errorf("%d records were handled though their commits cannot have been answered", now-waiting)
	}
	if now := foundIn(groups); !slices.Equal(now, found) {
		t.Errorf("records flowed only when there was a coordinator again: it was found %v times, then %v", found, now)
	}
	for _, g := range groups {
		g.waitCoordinator(t, false)
		g.flows(t, partitions)
	}
	w.stop()
	for _, g := range groups {
		c.waitCommitted(t, g.group, topic, n)
		if log := g.noted(); len(log) != 1 || len(g.rounds()) != rounds[g.name] {
			t.Errorf("%s: callbacks %q, %d rebalances instead of %d", g.name, log, len(g.rounds()), rounds[g.name])
		}
		if err := g.close(); err != nil {
			t.Errorf("%s: %v", g.name, err)
		}
		records := newTally()
		records.add(g.name, g.handled()...)
		records.once(t, topic, c.ends(t, topic, n))
		g.mu.Lock()
		if len(g.failures) > 0 || g.name != "auto" && g.answered != len(g.handled()) {
			t.Errorf("%s: %d of %d commits answered, %d failed: %v", g.name, g.answered, len(g.handled()), len(g.failures), g.failures)
		}
		g.mu.Unlock()
	}
	c.Restart(int(victim))
}

// foundIn counts how often each group has found its coordinator again.
func foundIn(groups []*committing) (counts []int) {
	for _, g := range groups {
		_, found := g.losses()
		counts = append(counts, found)
	}
	return counts
}

// flow waits until every group has handled n more records of every partition, but for those that wait.
func flow(t *testing.T, groups []*committing, partitions []string, n int) {
	t.Helper()
	var before []map[string]int
	for _, g := range groups {
		before = append(before, g.perPartition())
	}
	eventually(t, "records of every partition", func() (string, bool) {
		for i, g := range groups {
			now := g.perPartition()
			for _, p := range partitions {
				if p != g.waits && now[p] < before[i][p]+n {
					return fmt.Sprint(g.name, before[i], now), false
				}
			}
		}
		return "", true
	})
}

// leaderKilled kills a broker that leads partitions, and is not the group's coordinator.
func leaderKilled(t *testing.T, c *realCluster) {
	const topic, n = "leaders", 6
	victim := (c.coordinator(t, topic) + 1) % 3
	var replicas [][]int32
	for p := range int32(n) {
		replicas = append(replicas, []int32{p % 3, (p + 1) % 3, (p + 2) % 3})
	}
	c.place(t, topic, replicas...)
	w := c.write(t, topic, n, 10*time.Millisecond)
	a := start(t, "a", config(c.Addrs(), topic, topic), nil)
	a.waitOwned(n)
	b := start(t, "b", config(c.Addrs(), topic, topic), nil)
	a.waitOwned(n / 2)
	b.waitOwned(n / 2)
	a.flows(t, a.has())
	before := []string{fmt.Sprint(a.noted()), fmt.Sprint(b.noted())}
	c.Kill(int(victim))
	a.flows(t, a.has())
	b.flows(t, b.has())
	c.Restart(int(victim))
	a.flows(t, a.has())
	b.flows(t, b.has())
	w.stop()
	c.waitCommitted(t, topic, topic, n)
	if now := []string{fmt.Sprint(a.noted()), fmt.Sprint(b.noted())}; !slices.Equal(now, before) {
		t.Errorf("callbacks were %q and are %q", before, now)
	}
	records := newTally()
	records.add("a", a.handled()...)
	records.add("b", b.handled()...)
	records.once(t, topic, c.ends(t, topic, n))
	if offset, epoch := stored(t, c.Addrs(), topic, topic, victim); epoch < 1 {
		t.Errorf("offset %d of a partition whose leader was killed is committed with epoch %d", offset, epoch)
	}
	for _, m := range []*member{a, b} {
		m.sees("a leader move", func(e consumer.Event) bool {
			l, ok := e.(consumer.LeaderMoved)
			return ok && l.From == victim && l.Epoch > 0
		})
		m.sees("the broker's trouble", func(e consumer.Event) bool {
			l, ok := e.(consumer.BrokerTrouble)
			return ok && l.Broker == victim && l.Err != nil
		})
	}
}

// killedInRebalance kills the coordinator of two groups while a member revokes slowly: of an eager group, which waits for that member's
// join, and of a cooperative one, which has its new generation.
func killedInRebalance(t *testing.T, c *realCluster) {
	const n = 4
	victim := c.coordinator(t, "any")
	release := make(chan struct{})
	type pair struct {
		group string
		a, b  *member
	}
	var groups []*pair
	for name, assignor := range map[string]strategy.Assignor{"eager": rangeassign.Assignor{}, "cooperative": strategy.Cooperative(rangeassign.Assignor{})} {
		g := &pair{group: c.groupAt(t, "killed-"+name, victim)}
		c.Create(t, g.group, n)
		c.fill(t, g.group, n, 20)
		cfg := config(c.Addrs(), g.group, g.group)
		cfg.Assignors = []strategy.Assignor{assignor}
		slow := cfg
		revoking := make(chan struct{}, 10)
		slow.Callbacks = callbacks.Funcs{OnRevoke: func(context.Context, *callbacks.Revocation) error {
			revoking <- struct{}{}
			<-release
			return nil
		}}
		g.a = start(t, name+" a", slow, nil)
		g.a.waitRecords(20 * n)
		g.b = start(t, name+" b", cfg, nil)
		<-revoking
		groups = append(groups, g)
	}
	c.Kill(int(victim))
	for _, g := range groups {
		g.a.waitCoordinator(t, true)
	}
	close(release)
	for _, g := range groups {
		c.waitShared(t, g.group, 2, n)
		g.a.waitOwned(n / 2)
		g.b.waitOwned(n / 2)
		c.fill(t, g.group, n, 20)
		c.waitCommitted(t, g.group, g.group, n)
		for _, m := range []*member{g.a, g.b} {
			if log := m.noted(); strings.Contains(strings.Join(log, " "), "lost") {
				t.Errorf("%s: %q", m.name, log)
			}
		}
		records := newTally()
		records.add("a", g.a.handled()...)
		records.add("b", g.b.handled()...)
		records.once(t, g.group, c.ends(t, g.group, n))
	}
	c.Restart(int(victim))
}
