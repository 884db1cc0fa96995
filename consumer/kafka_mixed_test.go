//go:build kafka

package consumer_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/kafkatest"
	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A common is what every client has, by the same name.
type common struct {
	name   string
	ours   strategy.Assignor
	java   string
	franz  kgo.GroupBalancer
	sarama sarama.BalanceStrategy
}

func commons() []common {
	return []common{
		{"range", rangeassign.Assignor{Even: true}, "RangeAssignor", kgo.RangeBalancer(), sarama.NewBalanceStrategyRange()},
		{"cooperative-sticky", strategy.Cooperative(sticky.Assignor{}), "CooperativeStickyAssignor", kgo.CooperativeStickyBalancer(), sarama.NewBalanceStrategyCooperativeSticky()},
	}
}

// Groups of members of four clients, each leading once, share a topic; everything is read once while members come and go. Most of that is waiting
// for heartbeats and for joins of other clients, so the groups do it at the same time.
func TestKafkaMixed(t *testing.T) {
	c := startKafka(t, kafkatest.Config{})
	for i, a := range commons() {
		for _, leader := range []string{"ours", "java", "franz", "sarama"} {
			t.Run(a.name+", "+leader+" leads", func(t *testing.T) {
				t.Parallel()
				mixed(t, c, commons()[i], leader) // Sarama's have state
			})
		}
	}
	t.Run("rolling upgrade", func(t *testing.T) {
		t.Parallel()
		upgrade(t, c)
	})
}

func mixed(t *testing.T, c *realCluster, a common, leader string) {
	const partitions = 12
	group := "mixed-" + a.name + "-" + leader
	topic := group
	c.Create(t, topic, partitions)
	w := c.write(t, topic, partitions, 10*time.Millisecond)
	records := newTally()
	configured := func(id string) consumer.Config {
		cfg := named(c, id, group, topic)
		cfg.Assignors = []strategy.Assignor{a.ours}
		return cfg
	}
	var ours *member
	var others []func()
	join := map[string]func(){
		"ours":   func() { ours = start(t, "ours", configured("ours"), nil) },
		"java":   func() { others = append(others, c.java(t, "java", group, topic, records, a.java)) },
		"franz":  func() { others = append(others, c.franz(t, "franz", group, topic, records, a.franz)) },
		"sarama": func() { others = append(others, c.sarama(t, "sarama", group, topic, records, a.sarama)) },
	}
	join[leader]()
	c.waitShared(t, group, 1, partitions)
	for _, client := range []string{"java", "franz", "sarama", "ours"} {
		if client != leader {
			join[client]()
		}
	}
	if owners := c.waitShared(t, group, 4, partitions); len(allOf(owners)) != 4 {
		t.Errorf("somebody has nothing: %v", owners)
	}
	second := start(t, "second", configured("second"), nil)
	c.waitShared(t, group, 5, partitions)
	second.waitOwned(len(second.shareOf(c, group)))
	second.closes()
	c.waitShared(t, group, 4, partitions)
	w.stop()
	c.waitCommitted(t, group, topic, partitions)
	for _, r := range append(ours.rounds(), second.rounds()...) {
		if r.Assignor != a.name {
			t.Errorf("generation %d was assigned by %s", r.Generation, r.Assignor)
		}
	}
	for _, r := range ours.rounds() {
		if r.Leader != (leader == "ours") {
			t.Errorf("generation %d: our member leads: %t", r.Generation, r.Leader)
		}
	}
	for _, leave := range others {
		leave()
	}
	ours.closes()
	records.add("ours", ours.handled()...)
	records.add("second", second.handled()...)
	var repeats []string
	if a.name == "cooperative-sticky" {
		repeats = []string{"java"} // which commits before a rebalance, goes on reading, and does not commit that before it revokes
	}
	records.once(t, topic, c.ends(t, topic, partitions), repeats...)
}

// shareOf returns what the broker says that a member has.
func (m *member) shareOf(c *realCluster, group string) (list []string) {
	_, owners, _ := c.members(group)
	for p, who := range owners {
		if slices.Contains(who, m.name) {
			list = append(list, p)
		}
	}
	return list
}

// upgrade restarts the members of a group one by one, from an eager assignor to a cooperative one in two bounces, and back.
func upgrade(t *testing.T, c *realCluster) {
	const topic, partitions = "upgrade", 6
	c.Create(t, topic, partitions)
	w := c.write(t, topic, partitions, 10*time.Millisecond)
	records, eager, cooperative := newTally(), commons()[0], commons()[1]
	ours := map[string]*member{}
	var franz func()
	join := func(id string, list []common) {
		if id == "franz" {
			var balancers []kgo.GroupBalancer
			for _, a := range list {
				balancers = append(balancers, a.franz)
			}
			franz = c.franz(t, id, topic, topic, records, balancers...)
			return
		}
		cfg := named(c, id, topic, topic)
		cfg.Assignors = nil
		for _, a := range list {
			cfg.Assignors = append(cfg.Assignors, a.ours)
		}
		ours[id] = start(t, id, cfg, nil)
	}
	leave := func(id string) {
		if id == "franz" {
			franz()
			return
		}
		ours[id].closes()
		records.add(id, ours[id].handled()...)
	}
	ids := []string{"a", "franz", "b"}
	for bounce, list := range [][]common{{eager}, {cooperative, eager}, {cooperative}, {cooperative, eager}, {eager}} {
		for _, id := range ids {
			if bounce > 0 {
				leave(id)
				c.waitShared(t, topic, 2, partitions)
			}
			join(id, list)
			if bounce > 0 {
				c.waitShared(t, topic, 3, partitions)
			}
		}
		c.waitShared(t, topic, 3, partitions)
		upgraded(t, ours["b"], bounce, list)
	}
	w.stop()
	c.waitCommitted(t, topic, topic, partitions)
	for _, id := range ids {
		leave(id)
	}
	records.once(t, topic, c.ends(t, topic, partitions), "franz") // which may go on for a record behind its last commit
}

// upgraded checks what a member that joined last in a bounce has seen: by whom partitions were assigned.
func upgraded(t *testing.T, m *member, bounce int, list []common) {
	t.Helper()
	m.wait("partitions", func() bool { return m.count() > 0 })
	m.sees("the end of a rebalance", func(e consumer.Event) bool { _, ok := e.(consumer.RebalanceEnded); return ok })
	rounds := m.rounds()
	last := rounds[len(rounds)-1]
	if last.Assignor != list[0].name {
		t.Errorf("bounce %d: assigned by %s, want %s", bounce, last.Assignor, list[0].name)
	}
	if len(list) == 1 && list[0].name == "range" {
		return
	}
	if log := strings.Join(m.noted(), "; "); strings.Contains(log, "lost") {
		t.Errorf("bounce %d: %s", bounce, log)
	}
}
