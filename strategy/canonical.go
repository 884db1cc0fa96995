package strategy

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Limits on the size of a group. They are far beyond what Kafka serves and keep a wrong number from exhausting the memory.
const (
	MaxPartitions = 1 << 25 // of all topics together
	MaxCapacity   = 1<<20 - 1
	MaxWeight     = 1e100 // of a partition: sums of squares stay finite
)

// GroupError says what makes a group impossible to assign, whatever the assignor.
type GroupError struct {
	Subject string // such as `topic "orders"`
	Problem string
}

func (e *GroupError) Error() string { return e.Subject + ": " + e.Problem }

// Check returns a [*GroupError] for the first thing in g that no assignor could make sense of: names that are empty, negative or
// absurd counts, weights that are not numbers, lists of the wrong length, a topic that is listed twice with different facts.
// Odd claims are not among them: see [Tabulate].
func (g *Group) Check() error {
	total := int64(0)
	sorted := slices.IsSortedFunc(g.Topics, func(a, b Topic) int { return strictly(cmp.Compare(a.Name, b.Name)) })
	seen := map[string]int{}
	for i := range g.Topics {
		t := &g.Topics[i]
		if err := t.check(); err != nil {
			return err
		}
		if !sorted {
			if k, twice := seen[t.Name]; twice && !t.same(&g.Topics[k]) {
				return &GroupError{Subject: fmt.Sprintf("topic %q", t.Name), Problem: "is listed twice, with different facts"}
			}
			seen[t.Name] = i
		}
		if total += int64(t.Partitions); total > MaxPartitions {
			return &GroupError{Subject: fmt.Sprintf("topic %q", t.Name), Problem: fmt.Sprintf("more than %d partitions in all", MaxPartitions)}
		}
	}
	for i := range g.Members {
		m := &g.Members[i]
		if m.ID == "" {
			return &GroupError{Subject: fmt.Sprintf("member %d", i+1), Problem: "has no id"}
		}
		if m.Capacity < 0 || m.Capacity > MaxCapacity {
			return &GroupError{Subject: fmt.Sprintf("member %q", m.ID), Problem: fmt.Sprintf("capacity %d is not within 0..%d", m.Capacity, MaxCapacity)}
		}
		if m.Uptime < 0 {
			return &GroupError{Subject: fmt.Sprintf("member %q", m.ID), Problem: fmt.Sprintf("uptime %v is negative", m.Uptime)}
		}
		for _, name := range sortedNames(m.Signals) {
			if x := m.Signals[name]; !isSignal(x) {
				return &GroupError{Subject: fmt.Sprintf("member %q", m.ID), Problem: fmt.Sprintf("signal %q is %v, which is not within ±%v", name, x, MaxWeight)}
			}
		}
	}
	return nil
}

// same says whether two entries of one topic agree.
func (t *Topic) same(other *Topic) bool {
	return t.Partitions == other.Partitions && slices.Equal(t.Weights, other.Weights) && slices.EqualFunc(t.Racks, other.Racks, slices.Equal) &&
		slices.Equal(t.LeaderRacks, other.LeaderRacks) && maps.EqualFunc(t.Signals, other.Signals, slices.Equal)
}

func (t *Topic) check() error {
	fail := func(format string, args ...any) error {
		return &GroupError{Subject: fmt.Sprintf("topic %q", t.Name), Problem: fmt.Sprintf(format, args...)}
	}
	if t.Name == "" {
		return fail("has no name")
	}
	if t.Partitions < 0 {
		return fail("has %d partitions", t.Partitions)
	}
	if t.Partitions > MaxPartitions {
		return fail("has %d partitions; %d is the most", t.Partitions, MaxPartitions)
	}
	if n := len(t.Racks); n != 0 && n != int(t.Partitions) {
		return fail("has racks for %d of %d partitions", n, t.Partitions)
	}
	if n := len(t.Weights); n != 0 && n != int(t.Partitions) {
		return fail("has weights for %d of %d partitions", n, t.Partitions)
	}
	for p, w := range t.Weights {
		if w < 0 || w > MaxWeight || math.IsNaN(w) {
			return fail("partition %d weighs %v, which is not within 0..%v", p, w, MaxWeight)
		}
	}
	if n := len(t.LeaderRacks); n != 0 && n != int(t.Partitions) {
		return fail("has leaders' racks for %d of %d partitions", n, t.Partitions)
	}
	for _, name := range sortedNames(t.Signals) {
		list := t.Signals[name]
		if len(list) != int(t.Partitions) {
			return fail("has signal %q for %d of %d partitions", name, len(list), t.Partitions)
		}
		for p, x := range list {
			if !isSignal(x) {
				return fail("partition %d has signal %q of %v, which is not within ±%v", p, name, x, MaxWeight)
			}
		}
	}
	return nil
}

// sortedNames lists the keys of a map, which mostly is empty.
func sortedNames[V any](m map[string]V) []string {
	if len(m) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(m))
}

// isSignal says whether a number may be that of a signal.
func isSignal(x float64) bool { return x >= -MaxWeight && x <= MaxWeight }

// Canonical returns the group in the order that all assignors agree on: topics by name, members as [Member.Compare] has it,
// subscriptions by name, nothing twice. It returns g itself where g is in that order already, and otherwise a copy that shares
// what it can. Claims are left as they are.
//
// A member listed twice becomes one with both subscriptions, and the claims of the later generation.
func (g *Group) Canonical() *Group {
	g = g.sorted()
	var last []string // members often share one list: look at it once
	for i := range g.Members {
		list := g.Members[i].Topics
		if len(list) == 0 || len(last) == len(list) && &last[0] == &list[0] {
			continue
		}
		if !isSubscription(list) {
			c := *g
			c.Members = sortSubscriptions(g.Members)
			return &c
		}
		last = list
	}
	return g
}

// sorted is Canonical without a look at the subscriptions.
func (g *Group) sorted() *Group {
	topics := slices.IsSortedFunc(g.Topics, func(a, b Topic) int { return strictly(cmp.Compare(a.Name, b.Name)) })
	// Ids that differ only in their instance sort apart, so equal ids have to be looked for among all.
	members := isStrictly(g.Members) && !g.duplicateIDs()
	if topics && members {
		return g
	}
	c := *g
	if !topics {
		c.Topics = sortTopics(g.Topics)
	}
	if !members {
		c.Members = sortMembers(g.Members)
	}
	return &c
}

// strictly makes an order that [slices.IsSortedFunc] finds unsorted where two are equal.
func strictly(c int) int {
	if c == 0 {
		return -1
	}
	return c
}

func isStrictly(members []Member) bool {
	for i := 1; i < len(members); i++ {
		if members[i-1].Compare(&members[i]) >= 0 {
			return false
		}
	}
	return true
}

func (g *Group) duplicateIDs() bool {
	if !slices.ContainsFunc(g.Members, func(m Member) bool { return m.InstanceID != "" }) {
		return false // then equal ids stand side by side
	}
	seen := make(map[string]struct{}, len(g.Members))
	for i := range g.Members {
		seen[g.Members[i].ID] = struct{}{}
	}
	return len(seen) < len(g.Members)
}

func sortTopics(topics []Topic) []Topic {
	out := slices.Clone(topics)
	slices.SortFunc(out, func(a, b Topic) int { return cmp.Compare(a.Name, b.Name) })
	return slices.CompactFunc(out, func(a, b Topic) bool { return a.Name == b.Name })
}

func sortMembers(members []Member) []Member {
	out := slices.Clone(members)
	// Entries of one member merge in an order that does not depend on the one they came in.
	slices.SortStableFunc(out, func(a, b Member) int {
		if c := cmp.Compare(a.ID, b.ID); c != 0 {
			return c
		}
		return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
	at := make(map[string]int, len(out))
	n := 0
	for i := range out {
		if j, ok := at[out[i].ID]; ok {
			out[j].merge(&out[i])
			continue
		}
		at[out[i].ID] = n
		out[n] = out[i]
		n++
	}
	out = out[:n]
	slices.SortFunc(out, func(a, b Member) int { return a.Compare(&b) })
	return out
}

func sortSubscriptions(members []Member) []Member {
	out := slices.Clone(members)
	for i := range out {
		if m := &out[i]; !isSubscription(m.Topics) {
			m.Topics = slices.Clone(m.Topics)
			slices.Sort(m.Topics)
			m.Topics = slices.Compact(m.Topics)
		}
	}
	return out
}

// merge adds what another entry of the same member says.
func (m *Member) merge(other *Member) {
	m.Topics = slices.Concat(m.Topics, other.Topics)
	switch {
	case other.Generation > m.Generation:
		m.Owned, m.Generation = other.Owned, other.Generation
	case other.Generation == m.Generation:
		m.Owned = slices.Concat(m.Owned, other.Owned)
	}
	m.InstanceID = cmp.Or(m.InstanceID, other.InstanceID)
	m.Rack = cmp.Or(m.Rack, other.Rack)
	m.Capacity = max(m.Capacity, other.Capacity)
	m.Draining = m.Draining || other.Draining
	m.Uptime = max(m.Uptime, other.Uptime)
	if m.Signals == nil {
		m.Signals = other.Signals
	}
	if m.Labels == nil {
		m.Labels = other.Labels
	}
	if m.UserData == nil {
		m.UserData = other.UserData
	}
}
