//go:build kafka

package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// testConsumerProtocol looks at groups that the broker assigns (KIP-848) which clients make rarely, or only for a moment.
func (s *suite) testConsumerProtocol(t *testing.T) {
	t.Run("reconciliation", s.testReconciliation)
	t.Run("pattern and migration", s.testPatternAndMigration)
	t.Run("missing topic", s.testMissingTopic)
}

// A group in which a member takes its time to give up what another one is to have is waited for.
func (s *suite) testReconciliation(t *testing.T) {
	s.outside.Create(t, "slow-consumer", 4)
	first, second := s.beater(t, "slow-consumer", "first"), s.beater(t, "slow-consumer", "second")
	first.topics, second.topics = []string{"slow-consumer"}, []string{"slow-consumer"}
	first.until(t, 4)
	s.settled(t, "slow-consumer", 1)
	second.beat(t)
	first.until(t, 2) // it has heard what to give up, and keeps it
	type summary struct{ Group, State string }
	list := decoded[struct{ Groups []summary }](t, s.ok(t, "group", "list", "-o", "json"))
	if !slices.Contains(list.Groups, summary{"slow-consumer", "Reconciling"}) {
		t.Errorf("%+v", list)
	}
	s.waits(t, "slow-consumer", "Reconciling", func() {
		eventually(t, func() bool {
			first.beat(t)
			second.beat(t)
			return second.has() == 2
		}, func() string { return fmt.Sprintf("%+v\n%+v", first, second) })
		second.beat(t) // that it has them
	})
}

// A member may subscribe with a pattern that only the broker understands, and members of the classic protocol may be in the same group
// while clients are moved from one to the other.
func (s *suite) testPatternAndMigration(t *testing.T) {
	pattern := s.beater(t, "pattern", "pattern")
	pattern.pattern = "^(orders|payments)$"
	s.commit(t, "pattern", both...)
	pattern.until(t, 11)
	migrating := s.beater(t, "migrating", "new")
	migrating.topics = []string{"orders"}
	s.commit(t, "migrating", "orders")
	migrating.until(t, 7)
	s.franz(t, "migrating", "old", kgo.ConsumeTopics("orders"), kgo.Balancers(kgo.CooperativeStickyBalancer()), kgo.Rack("rack-0"))
	eventually(t, func() bool {
		migrating.beat(t)
		return migrating.has() < 7
	}, func() string { return fmt.Sprintf("%+v", migrating) })
	migrating.beat(t) // that it has given up the others

	d := s.settled(t, "pattern", 1)
	if m := d.Members[0]; d.Type != "consumer" || m.Epoch == nil || m.Partitions != 11 || !slices.Equal(m.Topics, both) || !strings.Contains(s.ok(t, "group", "describe", "pattern", "-o", "wide"), " /^(orders|payments)$/ ") {
		t.Errorf("%+v", d)
	}
	s.checkSimulate(t, d, "sticky")
	d = s.settled(t, "migrating", 2)
	racks := map[string]string{}
	for _, m := range d.Members {
		racks[m.ClientID] = m.Rack
		if m.Partitions < 3 || m.Partitions > 4 || !slices.Equal(m.Topics, []string{"orders"}) {
			t.Errorf("%+v", m)
		}
	}
	if want := map[string]string{"old": "rack-0", "new": ""}; d.Type != "consumer" || len(d.Remarks) != 0 || !maps.Equal(racks, want) {
		t.Errorf("%+v", d)
	}
	s.checkSimulate(t, d, "sticky")
	s.checkTool(t, "pattern", "migrating")
}

// A topic that does not exist is remarked, and the rest is as ever.
func (s *suite) testMissingTopic(t *testing.T) {
	m := s.beater(t, "astray", "m")
	m.topics = []string{"nosuch", "orders"}
	m.until(t, 7)
	d := s.settled(t, "astray", 1)
	if len(d.Remarks) != 1 || !strings.Contains(d.Remarks[0], "nosuch") || d.Members[0].Partitions != 7 {
		t.Errorf("%+v", d)
	}
	s.ok(t, "group", "describe", "astray", "--assert-owned")
	a := s.run(t, "simulate", "--group", "astray", "--join", "1", "-o", "json")
	if a.code != exitOK || !strings.Contains(a.errs, "nosuch") {
		t.Fatalf("exit code %d: %s", a.code, a.errs)
	}
	r := decoded[simulated](t, a.out).Results[0]
	if !maps.Equal(r.before(), d.owners()) || len(r.Steps[1].Unassigned) != 0 || r.Steps[1].Metrics.Partitions != 7 {
		t.Errorf("%s", a.out)
	}
}
