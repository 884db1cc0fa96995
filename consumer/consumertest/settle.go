package consumertest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/assignkit/assignkit/internal/trace"
	"github.com/assignkit/assignkit/strategy"
)

// Wait waits until a condition is true, which is asked again and again on the test's goroutine. what says in a failure what was waited for, as
// in "all orders are billed".
func (c *Cluster) Wait(t testing.TB, what string, condition func() bool) {
	t.Helper()
	c.await(t, what, func() (missing string) {
		if condition() {
			return ""
		}
		return "it is not so"
	})
}

// Settle waits until the group has so many members and is settled: what members of the application have been started or stopped before is
// over then.
func (c *Cluster) Settle(t testing.TB, members int) {
	t.Helper()
	c.settle(t, fmt.Sprintf("a group of %d", members), func(g *kfake.GroupInfo) string {
		if len(g.Members) != members {
			return fmt.Sprintf("it has %d members", len(g.Members))
		}
		return ""
	})
}

// await waits until nothing is missing.
func (c *Cluster) await(t testing.TB, what string, look func() (missing string)) {
	t.Helper()
	deadline := time.Now().Add(c.cfg.Patience)
	if d, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, ok := d.Deadline(); ok && end.Add(-time.Second).Before(deadline) { // with a moment left to say it
			deadline = end.Add(-time.Second)
		}
	}
	began := time.Now()
	for {
		missing := look()
		if missing == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: waited %v in vain: %s", what, time.Since(began).Round(time.Millisecond), missing)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// settle waits until the group is settled and nothing more is missing, and returns it.
func (c *Cluster) settle(t testing.TB, what string, more func(*kfake.GroupInfo) (missing string)) *kfake.GroupInfo {
	t.Helper()
	group := c.theGroup(t)
	var settled *kfake.GroupInfo
	c.await(t, what, func() string {
		for _, m := range c.joined() {
			m.lives(t)
		}
		g := c.inside.Fake().GroupInfo(group)
		if g == nil {
			g = &kfake.GroupInfo{Group: group, State: "Empty"}
		}
		missing := c.unsettled(g)
		if missing == "" {
			missing = more(g)
		}
		if missing != "" {
			return missing + c.describe(g)
		}
		settled = g
		return ""
	})
	return settled
}

// unsettled says what keeps a group from being settled.
func (c *Cluster) unsettled(g *kfake.GroupInfo) (missing string) {
	if len(g.Members) == 0 {
		return ""
	}
	if g.State != "Stable" {
		return "a round is under way"
	}
	told := c.diary.of(g.Group, g.Epoch)
	for _, m := range c.joined() {
		last := m.diary.last()
		if last == nil || last.Generation != g.Epoch {
			return "a member that was added with Join is not part of the latest generation yet"
		}
		told = append(told, last)
	}
	c.mu.Lock()
	prepared := c.prepared
	c.mu.Unlock()
	for _, m := range g.Members {
		if prepared && !slices.ContainsFunc(told, func(r *trace.Rebalance) bool { return r.Member == m.MemberID }) {
			return fmt.Sprintf("member %s has not said that its callbacks have returned; was the configuration prepared that it runs with?", m.MemberID)
		}
	}
	if left := c.unassigned(g, told); len(left) > 0 {
		return fmt.Sprintf("nobody has %s", names(left))
	}
	return ""
}

// unassigned returns the partitions of the members' topics that are with nobody, but for those that the leader has left to nobody for good.
func (c *Cluster) unassigned(g *kfake.GroupInfo, told []*trace.Rebalance) (left []strategy.TopicPartition) {
	taken := map[strategy.TopicPartition]bool{}
	topics := map[string]bool{}
	for _, m := range g.Members {
		for _, topic := range m.SubscribedTopics {
			topics[topic] = true
		}
		for _, p := range assigned(&m) {
			taken[p] = true
		}
	}
	for _, r := range told {
		if r.Answer == nil {
			continue
		}
		for _, u := range r.Answer.Unassigned {
			if u.Reason != strategy.ReasonWithheld {
				taken[strategy.TopicPartition{Topic: u.Topic, Partition: u.Partition}] = true
			}
		}
	}
	for _, topic := range slices.Sorted(maps.Keys(topics)) {
		for _, info := range c.inside.Fake().PartitionInfos(topic) {
			if p := (strategy.TopicPartition{Topic: topic, Partition: info.Partition}); !taken[p] {
				left = append(left, p)
			}
		}
	}
	return left
}

// assigned returns what a member was given, sorted.
func assigned(m *kfake.GroupMember) (list []strategy.TopicPartition) {
	for topic, partitions := range m.Assignment {
		for _, p := range partitions {
			list = append(list, strategy.TopicPartition{Topic: topic, Partition: p})
		}
	}
	slices.SortFunc(list, strategy.TopicPartition.Compare)
	return list
}

// describe writes how the group is, for failures.
func (c *Cluster) describe(g *kfake.GroupInfo) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\ngroup %s is %s in generation %d", g.Group, g.State, g.Epoch)
	for _, m := range g.Members {
		fmt.Fprintf(&b, "\n\tmember %s has %s", m.MemberID, names(assigned(&m)))
	}
	return b.String()
}

// someone is a condition for settle: that there are members.
func someone(g *kfake.GroupInfo) (missing string) {
	if len(g.Members) == 0 {
		return "the group has no members"
	}
	return ""
}
