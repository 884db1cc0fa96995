package simulation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// A change is one step of an event. Members leave, are replaced and join, in this order.
type change struct {
	text    string
	leave   []string          // ids
	replace []strategy.Member // new facts about members that stay, by id; Topics nil means all topics
	join    []strategy.Member
	topics  func(t *state) error // changes the topics
	quiet   bool                 // the broker does not rebalance
}

// changes lists the steps of an event.
func (t *state) changes(number int, e Event) ([]change, error) {
	if e == nil {
		return nil, &EventError{Event: number, Text: "nil", Problem: "there is no event"}
	}
	list, err := e.changes(t)
	if err != nil {
		return nil, inEvent(number, e.String(), err)
	}
	return list, nil
}

// apply makes a change and returns the members that are gone with it.
func (t *state) apply(number int, e Event, c *change) (gone []strategy.Member, err error) {
	if gone, err = t.update(c); err != nil {
		return nil, inEvent(number, e.String(), err)
	}
	if err := t.keep(); err != nil {
		return nil, inEvent(number, e.String(), err)
	}
	return gone, nil
}

func (t *state) update(c *change) (gone []strategy.Member, err error) {
	if err := t.spend(len(t.members) + len(c.join)); err != nil {
		return nil, err
	}
	if c.topics != nil {
		if err := c.topics(t); err != nil {
			return nil, err
		}
		t.follow()
	}
	if len(c.leave)+len(c.replace)+len(c.join) == 0 {
		return nil, nil
	}
	members := make([]strategy.Member, 0, len(t.members)+len(c.join))
	if len(c.leave) > 0 {
		for _, id := range c.leave {
			delete(t.instances, t.known[id].instance)
			delete(t.known, id)
		}
		for i := range t.members {
			if _, stays := t.known[t.members[i].ID]; stays {
				members = append(members, t.members[i])
			} else {
				gone = append(gone, t.members[i])
			}
		}
	} else {
		members = append(members, t.members...)
	}
	if err := t.replace(members, c.replace); err != nil {
		return nil, err
	}
	for i := range c.join {
		m, err := t.admit(c.join[i])
		if err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	if len(c.join) > 0 {
		slices.SortFunc(members, func(a, b strategy.Member) int { return a.Compare(&b) })
	}
	t.members = members
	return gone, nil
}

// replace enters new facts about members.
func (t *state) replace(members []strategy.Member, list []strategy.Member) error {
	if len(list) == 0 {
		return nil
	}
	facts := make(map[string]*strategy.Member, len(list))
	for i := range list {
		facts[list[i].ID] = &list[i]
	}
	for i := range members {
		f, ok := facts[members[i].ID]
		if !ok {
			continue
		}
		m, err := t.complete(*f)
		if err != nil {
			return err
		}
		members[i] = m
	}
	return nil
}

// admit enters a member that joins among the known ones.
func (t *state) admit(m strategy.Member) (strategy.Member, error) {
	if m.ID == "" {
		return m, fail("", "a member has no id")
	}
	if _, ok := t.known[m.ID]; ok {
		return m, fail(m.ID, "member %q is in the group already", m.ID)
	}
	if other, ok := t.instances[m.InstanceID]; ok && m.InstanceID != "" {
		return m, fail(m.ID, "member %q has the instance id %q of member %q", m.ID, m.InstanceID, other)
	}
	if len(t.known) >= MaxMembers {
		return m, fail(m.ID, "more than %d members", MaxMembers)
	}
	if m.Generation == 0 && len(m.Owned) == 0 {
		m.Generation = strategy.NoGeneration
	}
	t.known[m.ID] = member{follows: m.Topics == nil, instance: m.InstanceID}
	if m.InstanceID != "" {
		t.instances[m.InstanceID] = m.ID
	}
	return t.complete(m)
}

// complete gives a known member the subscription it means, sorted, so that assignors need not do it.
func (t *state) complete(m strategy.Member) (strategy.Member, error) {
	if m.Capacity < 0 || m.Capacity > strategy.MaxCapacity {
		return m, fail(m.ID, "member %q: capacity %d is not within 0..%d", m.ID, m.Capacity, strategy.MaxCapacity)
	}
	if m.Uptime < 0 {
		return m, fail(m.ID, "member %q: uptime %v is negative", m.ID, m.Uptime)
	}
	for _, name := range slices.Sorted(maps.Keys(m.Signals)) {
		if !isSignal(m.Signals[name]) {
			return m, fail(m.ID, "member %q: signal %q is %v, which is not within ±%v", m.ID, name, m.Signals[name], strategy.MaxWeight)
		}
	}
	if k := t.known[m.ID]; k.follows != (m.Topics == nil) {
		k.follows = m.Topics == nil
		t.known[m.ID] = k
	}
	if m.Topics == nil {
		m.Topics = t.topicNames
		return m, nil
	}
	for i := 1; i < len(m.Topics); i++ {
		if m.Topics[i-1] >= m.Topics[i] {
			m.Topics = slices.Clone(m.Topics)
			slices.Sort(m.Topics)
			m.Topics = slices.Compact(m.Topics)
			break
		}
	}
	return m, nil
}

// follow has members that read all topics read those there are now.
func (t *state) follow() {
	members := slices.Clone(t.members)
	for i := range members {
		if t.known[members[i].ID].follows {
			members[i].Topics = t.topicNames
		}
	}
	t.members = members
}

// raw returns the member as an event would write it, with Topics nil if it reads all.
func (t *state) raw(m *strategy.Member) strategy.Member {
	c := *m
	if t.known[m.ID].follows {
		c.Topics = nil
	}
	return c
}

// setTopics replaces the topics.
func (t *state) setTopics(topics []strategy.Topic) error {
	slices.SortFunc(topics, func(a, b strategy.Topic) int { return cmp.Compare(a.Name, b.Name) })
	names := make([]string, len(topics))
	total := int64(0)
	for i := range topics {
		names[i] = topics[i].Name
		total += int64(topics[i].Partitions)
	}
	t.topics, t.topicNames, t.partitions = topics, names, total
	return nil
}

// create adds topics.
func (t *state) create(list []strategy.Topic) error {
	total := t.partitions
	seen := make(map[string]bool, len(list))
	for i := range list {
		n := &list[i]
		if err := checkTopic(n); err != nil {
			return err
		}
		if _, ok := slices.BinarySearch(t.topicNames, n.Name); ok || seen[n.Name] {
			return fail(n.Name, "topic %q is there already", n.Name)
		}
		seen[n.Name] = true
		if total += int64(n.Partitions); total > strategy.MaxPartitions {
			return fail(n.Name, "topic %q: more than %d partitions in all", n.Name, strategy.MaxPartitions)
		}
	}
	if err := t.spend(len(t.topics) + len(list)); err != nil {
		return err
	}
	return t.setTopics(slices.Concat(t.topics, list))
}

// remove deletes topics.
func (t *state) remove(names []string) error {
	if err := t.spend(len(t.topics)); err != nil {
		return err
	}
	deleted := make(map[string]bool, len(names))
	for _, name := range names {
		if _, err := t.topic(name); err != nil {
			return err
		}
		if deleted[name] {
			return fail(name, "topic %q is named twice", name)
		}
		deleted[name] = true
	}
	topics := make([]strategy.Topic, 0, len(t.topics))
	for i := range t.topics {
		if !deleted[t.topics[i].Name] {
			topics = append(topics, t.topics[i])
		}
	}
	return t.setTopics(topics)
}

// grow gives topics more partitions.
func (t *state) grow(to map[string]int32) error {
	if err := t.spend(len(t.topics)); err != nil {
		return err
	}
	topics := slices.Clone(t.topics)
	total := t.partitions
	for _, name := range slices.Sorted(maps.Keys(to)) {
		i, err := t.topic(name)
		if err != nil {
			return err
		}
		topic, n := &topics[i], to[name]
		if n <= topic.Partitions {
			return fail(name, "topic %q has %d partitions, and can only become more than that: not %d", name, topic.Partitions, n)
		}
		if total += int64(n - topic.Partitions); n > strategy.MaxPartitions || total > strategy.MaxPartitions {
			return fail(name, "topic %q: more than %d partitions in all", name, strategy.MaxPartitions)
		}
		if err := t.spend(int(n) * listsOf(topic)); err != nil {
			return err
		}
		extend(topic, n)
	}
	return t.setTopics(topics)
}

// replacement is what comes back for a dynamic member: a stranger that owns nothing. taken are further ids that are not free.
func (t *state) replacement(m *strategy.Member, taken map[string]bool) strategy.Member {
	base, n := incarnation(m.ID)
	for {
		n++
		id := fmt.Sprintf("%s~%d", base, n)
		if _, ok := t.known[id]; ok || taken[id] {
			continue
		}
		taken[id] = true
		r := t.raw(m)
		r.ID, r.Owned, r.Generation, r.UserData, r.Uptime = id, nil, strategy.NoGeneration, nil, 0
		return r
	}
}
