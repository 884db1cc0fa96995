package membership

import (
	"cmp"
	"maps"
	"slices"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// subscribe changes what the member reads.
func (m *Machine) subscribe(in Subscribe) {
	topics := slices.Clone(in.Topics)
	slices.Sort(topics)
	topics = slices.Compact(topics)
	changed := !slices.Equal(topics, m.topics)
	m.topics = topics
	if in.UserData != nil {
		changed = changed || !maps.EqualFunc(in.UserData, m.userData, slices.Equal)
		m.userData = in.UserData
	}
	if changed {
		m.again = Reason{Subscribed, "the subscription changed"}
	}
}

// learn takes over what is known of topics, and notices changes.
func (m *Machine) learn(topics []TopicCount) {
	m.known = sortedCounts(topics)
	m.noticeRecreated()
	m.watch()
}

// noticeRecreated loses what the member had of topics whose like-named successors it has now. Offsets of the one say nothing about the
// other, so no commit must follow. The successor's are assigned when that is done.
func (m *Machine) noticeRecreated() {
	for _, t := range m.known {
		if t.ID == ([16]byte{}) || !m.subscribes(t.Topic) {
			continue
		}
		if before, ok := m.ids[t.Topic]; ok && before != t.ID && m.cfg.bug != "recreated unnoticed" {
			m.lossCode = wire.UnknownTopicOrPartition
			m.loseSome(m.announced.filter(func(p strategy.TopicPartition) bool { return p.Topic == t.Topic }), m.generation)
		}
		m.ids[t.Topic] = t.ID
	}
}

// gone says whether a partition of a subscribed topic does not exist.
func (m *Machine) gone(p strategy.TopicPartition) bool {
	n, ok := m.count(p.Topic)
	return m.subscribes(p.Topic) && (!ok || p.Partition >= n)
}

func (m *Machine) subscribes(topic string) bool {
	_, ok := slices.BinarySearch(m.topics, topic)
	return ok
}

// watch asks for a round if topics are no longer as they were when the present assignment was made. Every member compares with what it
// knew before it joined, the leader also with its plan; so a change is noticed whoever sees it first. A topic of the plan that only others
// read may not be known yet.
func (m *Machine) watch() {
	if m.cfg.bug == "growth unnoticed" {
		return
	}
	if !slices.Equal(m.subscribed(), m.baseline) {
		m.again = Reason{TopicsChanged, "topics changed"}
	}
	for i := range m.plan {
		t := &m.plan[i]
		n, ok := m.count(t.Topic)
		if ok && n != t.Partitions || !ok && t.seen {
			m.again = Reason{TopicsChanged, "topics changed"}
		}
		t.seen = t.seen || ok
	}
}

// subscribed is what is known of the topics that the member reads.
func (m *Machine) subscribed() []TopicCount {
	var out []TopicCount
	for _, t := range m.topics {
		if n, ok := m.count(t); ok {
			out = append(out, TopicCount{Topic: t, Partitions: n})
		}
	}
	return out
}

func (m *Machine) count(topic string) (int32, bool) {
	i, ok := slices.BinarySearchFunc(m.known, topic, func(t TopicCount, name string) int { return cmp.Compare(t.Topic, name) })
	if !ok {
		return 0, false
	}
	return m.known[i].Partitions, true
}

func sortedCounts(topics []TopicCount) []TopicCount {
	topics = slices.Clone(topics)
	slices.SortFunc(topics, func(a, b TopicCount) int { return cmp.Compare(a.Topic, b.Topic) })
	return topics
}
