package strategy

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// NoGeneration is the generation of a member that has never been given an assignment, or does not say.
const NoGeneration int32 = -1

// A Group is what the leader of a consumer group knows when it assigns: who is in it and what there is to read. It is not
// changed once it has been handed to an assignor.
type Group struct {
	Name       string
	Generation int32  // the generation that is being formed
	Leader     string // the id of the member whose assignor decides
	Topics     []Topic
	Members    []Member

	table *Table // of this very group, if its Group is this one; a copy of the group has it and it means nothing there
}

// A Topic is one that members of the group subscribe to, or none does, with what is known about its partitions.
type Topic struct {
	Name       string
	Partitions int32 // numbered from 0

	// Racks lists, for each partition, the racks of its replicas: len(Racks) is Partitions, or 0 where nothing is known. An empty
	// list is a partition whose racks are not known.
	Racks [][]string
	// Weights says how heavy each partition is (lag, bytes per second): len(Weights) is Partitions, or 0 where every partition
	// counts as 1. Weights are within 0..[MaxWeight].
	Weights []float64
	// LeaderRacks has, for each partition, the rack of the broker that leads it, "" where that is not known: its length is Partitions, or 0
	// where nothing is known.
	LeaderRacks []string
	// Signals has what was measured of the partitions, by name, such as [SignalLag]: each list has Partitions numbers, finite ones within
	// ±[MaxWeight]. A signal that could not be measured for the topic is not there.
	Signals map[string][]float64
}

// A Member is one of a group, with what it said when it joined.
type Member struct {
	ID         string
	InstanceID string   // of a static member (KIP-345), else ""
	Rack       string   // where the member runs (KIP-881), "" if it does not say
	Topics     []string // its subscription

	// Owned is what the member claims to own, as it was sent, and Generation the generation of its last assignment. Claims may
	// be stale, name partitions that are gone, or be shared with another member: [Tabulate] decides whose they are.
	Owned      []TopicPartitions
	Generation int32
	// Releasing is what of Owned the member is giving up already, and Expecting what it was promised in an earlier round and prepares for.
	// Both are hints, which [Cooperative] makes use of, so that no other assignor has to look at them.
	Releasing, Expecting []TopicPartitions

	// Capacity is the member's share relative to others; 0 means 1.
	Capacity int32
	// Draining members keep only what no other may have, as they are about to leave; Capacity then says nothing.
	Draining bool

	// Uptime is how long the member has been running, 0 if it does not say. Members say so where an assignor looks at [SignalUptime].
	Uptime time.Duration
	// Signals has what was measured of the member, by name: finite numbers within ±[MaxWeight].
	Signals map[string]float64

	Labels   map[string]string // what the member says about itself: host, zone, tier
	UserData []byte            // what the member's assignor sent, see [UserDataProvider]
}

// TopicPartitions is some partitions of one topic.
type TopicPartitions struct {
	Topic      string
	Partitions []int32
}

// Equal says whether both have the same partitions of the same topic, in the same order.
func (tp TopicPartitions) Equal(other TopicPartitions) bool {
	return tp.Topic == other.Topic && slices.Equal(tp.Partitions, other.Partitions)
}

// Share returns the member's capacity as a number to divide by: 0 for a draining member, at least 1 for any other.
func (m *Member) Share() int32 {
	switch {
	case m.Draining:
		return 0
	case m.Capacity == 0:
		return 1
	}
	return m.Capacity
}

// Compare orders members as Kafka's assignors do: static members by instance id, then dynamic ones by member id, both by their
// bytes. (Java compares UTF-16 units: another order only where ids mix characters beyond U+FFFF with ones of U+E000 to U+FFFF.)
func (m *Member) Compare(other *Member) int {
	switch {
	case m.InstanceID != "" && other.InstanceID != "":
		return cmp.Or(cmp.Compare(m.InstanceID, other.InstanceID), cmp.Compare(m.ID, other.ID))
	case m.InstanceID != "":
		return -1
	case other.InstanceID != "":
		return 1
	}
	return cmp.Compare(m.ID, other.ID)
}

// Clone returns a copy that shares no memory with g but strings.
func (g *Group) Clone() *Group {
	c := *g
	c.Topics = slices.Clone(g.Topics)
	for i := range c.Topics {
		t := &c.Topics[i]
		t.Weights = slices.Clone(t.Weights)
		t.LeaderRacks = slices.Clone(t.LeaderRacks)
		t.Signals = maps.Clone(t.Signals)
		for name, list := range t.Signals {
			t.Signals[name] = slices.Clone(list)
		}
		t.Racks = slices.Clone(t.Racks)
		for p := range t.Racks {
			t.Racks[p] = slices.Clone(t.Racks[p])
		}
	}
	c.Members = slices.Clone(g.Members)
	for i := range c.Members {
		m := &c.Members[i]
		m.Topics = slices.Clone(m.Topics)
		m.Owned, m.Releasing, m.Expecting = clonePartitions(m.Owned), clonePartitions(m.Releasing), clonePartitions(m.Expecting)
		m.Labels, m.Signals = maps.Clone(m.Labels), maps.Clone(m.Signals)
		m.UserData = slices.Clone(m.UserData)
	}
	return &c
}

// clonePartitions copies a list with all its partitions in one allocation.
func clonePartitions(list []TopicPartitions) []TopicPartitions {
	if list == nil {
		return nil
	}
	n := 0
	for i := range list {
		n += len(list[i].Partitions)
	}
	all := make([]int32, 0, n)
	out := make([]TopicPartitions, len(list))
	for i := range list {
		from := len(all)
		all = append(all, list[i].Partitions...)
		out[i] = TopicPartitions{Topic: list[i].Topic, Partitions: all[from:len(all):len(all)]}
	}
	return out
}
