//go:build kafka

package consumer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/kafkatest"
)

// Orders of events that have broken other clients' groups, and for which a real broker is needed. Each says what was wrong there.
func TestKafkaWild(t *testing.T) {
	c := startKafka(t, kafkatest.Config{})
	for _, test := range []struct {
		name string
		f    func(*testing.T, *realCluster)
	}{
		// Elsewhere: a commit that met the second join of a rebalance was refused, and everything was declared lost.
		{"14 commits race rebalances", commitsRaceRebalances},
		// Elsewhere: closing a static member made a rebalance, and there was no way to have it leave for good.
		{"18 static members close", staticRestart}, {"18 and leave if told to", staticLeaves},
		// Elsewhere: a fenced member went on, alive and idle.
		{"19 fenced members end", fenced},
		// Elsewhere: nobody was given new partitions, or their first records were skipped, as only a follower had noticed them.
		{"20 partitions added", grown},
		// Elsewhere: after several rebalances in quick succession some partitions were assigned and not read.
		{"26 rebalances in quick succession", quickSuccession},
	} {
		t.Run(test.name, func(t *testing.T) { test.f(t, c) })
	}
}

// commitsRaceRebalances commits all the time while members join and leave.
func commitsRaceRebalances(t *testing.T, c *realCluster) {
	const topic, n = "races", 6
	c.Create(t, topic, n)
	w := c.write(t, topic, n, 5*time.Millisecond)
	busy := func(name string) consumer.Config {
		cfg := named(c, name, topic, topic)
		cfg.CommitInterval = time.Millisecond
		return cfg
	}
	a := start(t, "a", busy("a"), nil)
	a.waitOwned(n)
	records := newTally()
	for i := range 5 {
		name := fmt.Sprint("b", i)
		b := start(t, name, busy(name), nil)
		c.waitShared(t, topic, 2, n)
		b.closes()
		records.add(name, b.handled()...)
		if log := strings.Join(b.noted(), " "); strings.Contains(log, "lost") {
			t.Errorf("%s: %s", name, log)
		}
		c.waitShared(t, topic, 1, n)
	}
	w.stop()
	c.waitCommitted(t, topic, topic, n)
	if log := strings.Join(a.noted(), " "); strings.Contains(log, "lost") {
		t.Errorf("a: %s", log)
	}
	records.add("a", a.handled()...)
	records.once(t, topic, c.ends(t, topic, n))
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range a.events {
		if f, ok := e.(consumer.CommitFailed); ok {
			t.Error(f.Err)
		}
	}
}

// staticLeaves has a static member leave for good.
func staticLeaves(t *testing.T, c *realCluster) {
	const topic, n = "static-leaves", 4
	c.Create(t, topic, n)
	static := func(id string) consumer.Config {
		cfg := named(c, id, topic, topic)
		cfg.InstanceID, cfg.LeaveOnClose = id, true
		return cfg
	}
	a := start(t, "a", static("one"), nil)
	a.waitOwned(n)
	b := start(t, "b", static("two"), nil)
	b.waitOwned(n / 2)
	c.waitShared(t, topic, 2, n)
	a.closes()
	b.waitOwned(n) // long before a session has expired
	c.waitShared(t, topic, 1, n)
}

// quickSuccession has members come and go without waiting for anything.
func quickSuccession(t *testing.T, c *realCluster) {
	const topic, n = "succession", 12
	c.Create(t, topic, n)
	w := c.write(t, topic, n, 10*time.Millisecond)
	var all, here []*member
	for i := range 16 {
		name := fmt.Sprint("m", i)
		m := start(t, name, named(c, name, topic, topic), nil)
		all, here = append(all, m), append(here, m)
		if len(here) == 4 {
			here[i%3].closes()
			here = append(here[:i%3:i%3], here[i%3+1:]...)
		}
	}
	owners := c.waitShared(t, topic, len(here), n)
	if len(allOf(owners)) != len(here) {
		t.Errorf("somebody has nothing: %v", owners)
	}
	w.stop()
	c.waitCommitted(t, topic, topic, n) // so every partition is read
	records := newTally()
	for _, m := range all {
		records.add(m.name, m.handled()...)
	}
	records.once(t, topic, c.ends(t, topic, n))
}
