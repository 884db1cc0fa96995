package consumertest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/strategy"
)

// Rebalance has the group begin a round, in which nobody comes or goes, and waits until it is over. In a cooperative group, nothing moves and
// no callback is called; members of an eager one give everything up and get it again.
func (c *Cluster) Rebalance(t testing.TB) {
	t.Helper()
	const what = "a rebalance"
	before := c.settle(t, what, someone)
	leader := c.leader(before)
	// A heartbeat's answer sends the leader back to joining, which begins a round; where it is not known who leads, everybody's does.
	asked := c.inside.Fake().Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Heartbeat}, Group: before.Group, Err: kerr.RebalanceInProgress, Count: -1,
		When: func(r kmsg.Request) bool {
			beat, ok := r.(*kmsg.HeartbeatRequest)
			return ok && beat.Generation == before.Epoch && (leader == "" || beat.MemberID == leader)
		},
	})
	defer asked.Remove()
	c.settle(t, what, func(g *kfake.GroupInfo) string {
		switch {
		case g.Epoch > before.Epoch:
			return ""
		case asked.Hits() == 0:
			return "no member has sent a heartbeat"
		}
		return "no member has joined again"
	})
}

// leader returns the member that leads a group, "" if nobody has told.
func (c *Cluster) leader(g *kfake.GroupInfo) string {
	told := c.diary.of(g.Group, g.Epoch)
	for _, m := range c.joined() {
		if last := m.diary.last(); last != nil && last.Generation == g.Epoch {
			told = append(told, last)
		}
	}
	for _, r := range told {
		if r.Leader {
			return r.Member
		}
	}
	return ""
}

// Expire puts the application's members out of the group, as if the session of each had ended, and waits until they have come back and the
// group is settled. What they had is lost: OnLost is called, commits are refused, and another member may already read it.
func (c *Cluster) Expire(t testing.TB) {
	t.Helper()
	const what = "the members' sessions end"
	before := c.settle(t, what, func(g *kfake.GroupInfo) string {
		if len(c.ofApplication(g)) == 0 {
			return "the application is not in the group"
		}
		return ""
	})
	expired := c.ofApplication(before)
	mark := c.diary.len()
	c.remove(t, before.Group, expired)
	c.settle(t, what, func(g *kfake.GroupInfo) string {
		now := c.ofApplication(g)
		for _, m := range expired {
			if slices.ContainsFunc(now, func(o kfake.GroupMember) bool { return o.MemberID == m.MemberID }) {
				return fmt.Sprintf("%s is still in the group", m.MemberID)
			}
		}
		if len(now) < len(expired) {
			return fmt.Sprintf("%d members were put out, and %d have come back", len(expired), len(now))
		}
		return c.notLost(before.Group, expired, mark)
	})
}

// ofApplication returns the group's members that were not added with Join.
func (c *Cluster) ofApplication(g *kfake.GroupInfo) []kfake.GroupMember {
	own := map[string]bool{}
	for _, m := range c.joined() {
		if last := m.diary.last(); last != nil {
			own[last.Member] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(g.Members), func(m kfake.GroupMember) bool { return own[m.MemberID] })
}

// remove takes members out of a group, as its coordinator does.
func (c *Cluster) remove(t testing.TB, group string, members []kfake.GroupMember) {
	t.Helper()
	req := &sarama.LeaveGroupRequest{Version: 3, GroupId: group}
	for _, m := range members {
		req.Members = append(req.Members, sarama.MemberIdentity{MemberId: m.MemberID})
	}
	err := c.client.RefreshCoordinator(group)
	if err != nil {
		t.Fatalf("asking for the coordinator of group %s: %v", group, err)
	}
	coordinator, err := c.client.Coordinator(group)
	if err != nil {
		t.Fatalf("asking for the coordinator of group %s: %v", group, err)
	}
	resp, err := coordinator.LeaveGroup(req)
	if err != nil {
		t.Fatalf("putting members out of group %s: %v", group, err)
	}
	if resp.Err != sarama.ErrNoError {
		t.Fatalf("putting members out of group %s: %v", group, resp.Err)
	}
}

// notLost says which partitions OnLost was not called with since a mark in the diary, where that is known.
func (c *Cluster) notLost(group string, members []kfake.GroupMember, mark int) (missing string) {
	c.mu.Lock()
	prepared := c.prepared
	c.mu.Unlock()
	if !prepared {
		return ""
	}
	lost := c.diary.lost(group, mark)
	var list []strategy.TopicPartition
	for _, m := range members {
		list = append(list, slices.DeleteFunc(assigned(&m), func(p strategy.TopicPartition) bool { return lost[p] })...)
	}
	if len(list) == 0 {
		return ""
	}
	return "OnLost was not called with " + names(list)
}

// Grow has a topic have so many partitions, and waits until the new ones are with members of the group, if these read the topic.
func (c *Cluster) Grow(t testing.TB, topic string, partitions int32) {
	t.Helper()
	if err := c.admin.CreatePartitions(topic, partitions, nil, false); err != nil {
		t.Fatalf("topic %s grows to %d partitions: %v", topic, partitions, err)
	}
	c.mu.Lock()
	group := c.group
	c.mu.Unlock()
	if group == "" {
		return
	}
	c.settle(t, fmt.Sprintf("topic %s grows to %d partitions", topic, partitions), func(*kfake.GroupInfo) string { return "" })
}
