package consumertest

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/strategy"
)

// A Member is another member of the group, as a second process of the application would be: a consumer that commits what it is given to
// handle, and does nothing else with it.
type Member struct {
	cluster  *Cluster
	consumer *consumer.Consumer
	diary    *diary
	result   chan error // what Run has returned

	ending sync.Once

	mu      sync.Mutex
	handled []*consumer.Message
}

// Join adds a member to the group and waits until it is part of it and the group is settled. It subscribes to what the other members do, to
// all topics of [Config] if there are none. It is there until [Member.Leave] or the end of the test.
func (c *Cluster) Join(t testing.TB) *Member {
	t.Helper()
	m := &Member{cluster: c, diary: &diary{}, result: make(chan error, 1)}
	cfg := consumer.Config{Group: c.theGroup(t), Topics: c.topics(t), CloseTimeout: c.cfg.Patience}
	c.mu.Lock()
	cfg.Assignors = c.cfg.Assignors
	c.mu.Unlock()
	var err error
	if m.consumer, err = consumer.New(c.tuned(cfg, m.diary)); err != nil {
		t.Fatalf("a member joins: %v", err)
	}
	c.mu.Lock()
	c.members = append(c.members, m)
	c.mu.Unlock()
	go func() {
		m.result <- m.consumer.Run(context.Background(), m.handle)
	}()
	t.Cleanup(func() {
		if err := m.end(); err != nil {
			t.Errorf("a member that was added with Join ended with an error: %v", err)
		}
	})
	c.settle(t, "a member joins", someone)
	return m
}

// topics returns what the group's members read.
func (c *Cluster) topics(t testing.TB) []string {
	t.Helper()
	topics := map[string]bool{}
	if g := c.inside.Fake().GroupInfo(c.theGroup(t)); g != nil {
		for _, m := range g.Members {
			for _, topic := range m.SubscribedTopics {
				topics[topic] = true
			}
		}
	}
	if len(topics) == 0 {
		for topic := range c.cfg.Topics {
			topics[topic] = true
		}
	}
	return slices.Sorted(maps.Keys(topics))
}

// joined returns the members that Join has added and that have not left.
func (c *Cluster) joined() []*Member {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.members)
}

func (m *Member) handle(_ context.Context, r *consumer.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.handled = append(m.handled, r)
	return nil
}

// lives fails the test if the member has ended by itself.
func (m *Member) lives(t testing.TB) {
	t.Helper()
	select {
	case err := <-m.result:
		m.result <- err
		t.Fatalf("a member that was added with Join has ended: %v", err)
	default:
	}
}

// Leave has the member leave the group in good order, and waits until the group is settled without it. Further calls do nothing.
func (m *Member) Leave(t testing.TB) {
	t.Helper()
	if err := m.end(); err != nil {
		t.Errorf("a member leaves: %v", err)
	}
	last := m.diary.last()
	m.cluster.settle(t, "a member leaves", func(g *kfake.GroupInfo) string {
		if slices.ContainsFunc(g.Members, func(o kfake.GroupMember) bool { return last != nil && o.MemberID == last.Member }) {
			return "it is still in the group"
		}
		return ""
	})
}

// end ends the member, and returns what its Run has returned; the second time, nothing.
func (m *Member) end() (err error) {
	m.ending.Do(func() {
		m.consumer.Stop()
		err = <-m.result
		m.cluster.mu.Lock()
		defer m.cluster.mu.Unlock()
		m.cluster.members = slices.DeleteFunc(m.cluster.members, func(o *Member) bool { return o == m })
	})
	return err
}

// Owned returns the partitions that the member has, sorted.
func (m *Member) Owned() []strategy.TopicPartitions { return m.consumer.Owned() }

// Handled returns the records that the member was given to handle, those of a partition in their order.
func (m *Member) Handled() []*consumer.Message {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.handled)
}
