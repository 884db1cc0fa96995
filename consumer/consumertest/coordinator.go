package consumertest

import (
	"errors"
	"maps"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// KillCoordinator takes the group's coordinator away until every member has noticed: its connections are cut and nobody knows of another. Then
// it is back, on another broker if there are several, and KillCoordinator waits until every member has found it. A member loses nothing by
// that: it keeps its partitions, and commits made meanwhile arrive.
func (c *Cluster) KillCoordinator(t testing.TB) {
	t.Helper()
	const what = "the coordinator is away"
	before := c.settle(t, what, someone)
	fake := c.inside.Fake()
	node := fake.CoordinatorFor(before.Group)

	o := c.cut(before.Group)
	defer o.end()
	c.await(t, what, func() string { return notAmong(before, o.noticed(), "has not noticed") })
	for range 64 {
		if c.cfg.Brokers <= 1 || fake.CoordinatorFor(before.Group) != node {
			break
		}
		fake.RehashCoordinators()
	}
	back := newRoll()
	watch := fake.Fault(kfake.Fault{
		Keys: groupRequests, Group: before.Group, Observe: true, Count: -1,
		When: func(r kmsg.Request) bool {
			_, member := whose(r)
			back.add(member)
			return true
		},
	})
	defer watch.Remove()
	o.end()
	c.await(t, what, func() string { return notAmong(before, back.all(), "has not found it again") })
	c.settle(t, what, someone)
}

// notAmong says which of a group's members is not among some.
func notAmong(g *kfake.GroupInfo, members map[string]bool, what string) (missing string) {
	for _, m := range g.Members {
		if !members[m.MemberID] {
			return m.MemberID + " " + what
		}
	}
	return ""
}

// groupRequests are those that a group's coordinator answers to members.
var groupRequests = []kmsg.Key{kmsg.JoinGroup, kmsg.SyncGroup, kmsg.Heartbeat, kmsg.LeaveGroup, kmsg.OffsetCommit, kmsg.OffsetFetch}

// An outage is a coordinator that is away.
type outage struct {
	cut     *roll
	unknown *kfake.FaultHandle
	over    chan struct{}
	once    sync.Once
}

var errAway = errors.New("the coordinator is away")

// cut begins an outage of a group's coordinator.
func (c *Cluster) cut(group string) *outage {
	fake := c.inside.Fake()
	o := &outage{cut: newRoll(), over: make(chan struct{})}
	o.unknown = fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}, Group: group, Err: kerr.CoordinatorNotAvailable, Count: -1})
	for _, key := range groupRequests {
		fake.ControlKey(int16(key), func(r kmsg.Request) (kmsg.Response, error, bool) {
			select {
			case <-o.over:
				fake.DropControl()
				return nil, nil, false
			default:
			}
			of, member := whose(r)
			if of != group {
				return nil, nil, false
			}
			o.cut.add(member)
			fake.KeepControl()
			return nil, errAway, true
		})
	}
	return o
}

func (o *outage) noticed() map[string]bool { return o.cut.all() }

// end ends the outage.
func (o *outage) end() {
	o.once.Do(func() {
		close(o.over)
		o.unknown.Remove()
	})
}

// whose returns the group that a request is about, and the member if it is one by which the member shows that it is there: commits have
// connections of their own, and whoever has lost only that may not have missed the coordinator.
func whose(r kmsg.Request) (group, member string) {
	switch r := r.(type) {
	case *kmsg.JoinGroupRequest:
		return r.Group, r.MemberID
	case *kmsg.SyncGroupRequest:
		return r.Group, r.MemberID
	case *kmsg.HeartbeatRequest:
		return r.Group, r.MemberID
	case *kmsg.LeaveGroupRequest:
		return r.Group, ""
	case *kmsg.OffsetCommitRequest:
		return r.Group, ""
	case *kmsg.OffsetFetchRequest:
		if len(r.Groups) == 1 {
			return r.Groups[0].Group, ""
		}
		return r.Group, ""
	}
	return "", ""
}

// A roll is a set of names that may be used concurrently.
type roll struct {
	mu  sync.Mutex
	set map[string]bool
}

func newRoll() *roll { return &roll{set: map[string]bool{}} }

func (r *roll) add(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.set[name] = true
}

func (r *roll) all() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.set)
}
