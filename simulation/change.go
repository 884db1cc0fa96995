package simulation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/strategy"
)

// Change is whatever happens to a group between two rebalances, all at once. The history of a real group is made of it; files of
// scenarios cannot name it. Topics change first, then members leave, change and join, so that one may leave and join.
type Change struct {
	Label string            // what to say before what happens, such as "generation 7"; may be empty
	Leave []string          // ids, not patterns
	Set   []strategy.Member // what members say about themselves from now on; their claims and instance ids stay what they are
	Join  []strategy.Member // as in Join
	// Topics are all topics from now on; nil: as before. They may also have fewer partitions.
	Topics []strategy.Topic
}

var _ Event = Change{}

// String describes the event as far as that is possible without the group.
func (e Change) String() string {
	topics := ""
	if e.Topics != nil {
		topics = "topics change"
	}
	return e.describe(topics)
}

// describe is String with what there is to say about topics.
func (e Change) describe(topics string) string {
	var parts []string
	add := func(what string, names []string) {
		if len(names) > 0 {
			parts = append(parts, what+" "+enumerate(names))
		}
	}
	var drain, set []string
	for i := range e.Set {
		if m := &e.Set[i]; m.Draining {
			drain = append(drain, m.ID)
		} else {
			set = append(set, m.ID)
		}
	}
	add("leave", e.Leave)
	add("drain", drain) // as every member of this project does before it leaves
	add("set", set)
	add("join", ids(e.Join))
	if topics != "" {
		parts = append(parts, topics)
	}
	text := cmp.Or(strings.Join(parts, "; "), "nothing changes")
	if e.Label != "" {
		text = e.Label + ": " + text
	}
	return text
}

func (e Change) changes(s *state) ([]change, error) {
	if err := s.spend(len(e.Leave) + len(e.Set) + len(e.Join) + len(e.Topics)); err != nil {
		return nil, err
	}
	c := change{leave: e.Leave, join: e.Join, replace: make([]strategy.Member, len(e.Set))}
	seen := make(map[string]bool, len(e.Leave)+len(e.Set))
	present := func(id string) error {
		if _, ok := s.known[id]; !ok {
			return s.nobody(id)
		}
		if seen[id] {
			return fail(id, "member %q is named twice", id)
		}
		seen[id] = true
		return nil
	}
	for _, id := range e.Leave {
		if err := present(id); err != nil {
			return nil, err
		}
	}
	for i, m := range e.Set {
		if err := present(m.ID); err != nil {
			return nil, err
		}
		old := s.find(m.ID, s.known[m.ID].instance)
		m.InstanceID, m.Owned, m.Generation, m.UserData = old.InstanceID, old.Owned, old.Generation, old.UserData
		c.replace[i] = m
	}
	topics := ""
	if e.Topics != nil {
		topics = compareTopics(s, e.Topics)
		c.topics = func(t *state) error { return t.become(e.Topics) }
	}
	c.text = e.describe(topics)
	return []change{c}, nil
}

// become replaces all topics.
func (t *state) become(list []strategy.Topic) error {
	before, names, partitions := t.topics, t.topicNames, t.partitions
	t.topics, t.topicNames, t.partitions = nil, nil, 0
	if err := t.create(list); err != nil {
		t.topics, t.topicNames, t.partitions = before, names, partitions
		return err
	}
	return nil
}

// compareTopics says what becomes of the topics. One that is not there before or after may only have had no subscribers.
func compareTopics(s *state, list []strategy.Topic) string {
	after := make(map[string]bool, len(list))
	var created, grown, shrunk, facts, gone []string
	for i := range list {
		n := &list[i]
		after[n.Name] = true
		k, ok := slices.BinarySearch(s.topicNames, n.Name)
		switch {
		case !ok:
			created = append(created, fmt.Sprintf("%s with %d", n.Name, n.Partitions))
		case s.topics[k].Partitions < n.Partitions:
			grown = append(grown, fmt.Sprintf("%s to %d", n.Name, n.Partitions))
		case s.topics[k].Partitions > n.Partitions:
			shrunk = append(shrunk, fmt.Sprintf("%s to %d", n.Name, n.Partitions))
		case !sameTopic(&s.topics[k], n):
			facts = append(facts, n.Name)
		}
	}
	for _, name := range s.topicNames {
		if !after[name] {
			gone = append(gone, name)
		}
	}
	var parts []string
	add := func(what string, names []string) {
		if len(names) > 0 {
			slices.Sort(names)
			parts = append(parts, what+" "+enumerate(names))
		}
	}
	add("topic", created)
	add("grow", grown)
	add("shrink", shrunk)
	add("racks, weights or signals of", facts)
	add("no topic", gone)
	return strings.Join(parts, "; ")
}

func sameTopic(a, b *strategy.Topic) bool {
	return a.Partitions == b.Partitions && slices.Equal(a.Weights, b.Weights) && slices.EqualFunc(a.Racks, b.Racks, slices.Equal) &&
		slices.Equal(a.LeaderRacks, b.LeaderRacks) && maps.EqualFunc(a.Signals, b.Signals, slices.Equal)
}
