// Package wire turns groups and answers of the strategy package into messages of the plugin protocol, and back. What another process
// sent is checked on the way: indices, counts and sums, so that nothing it says can make this one panic or allocate without bound.
//
// What belongs here: pure functions. Connections and processes are package plugin's.
package wire

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	pluginproto "github.com/assignkit/assignkit/plugin/proto"
	"github.com/assignkit/assignkit/strategy"
)

// MaxMessage is the largest message, in bytes, in either direction.
const MaxMessage = 64 << 20

// AssignRequest puts a group into columns. It keeps some of the group's memory.
func AssignRequest(t *strategy.Table) *pluginproto.AssignRequest {
	g := t.Group
	topics, racks := newNames(len(g.Topics)), newNames(0)
	r := &pluginproto.AssignRequest{
		Group: text(g.Name), Generation: g.Generation, Leader: text(g.Leader),
		PartitionCounts: make([]int32, len(g.Topics)),
		Members:         make([]*pluginproto.Member, len(g.Members)),
		Owners:          owners(t),
	}
	for i := range g.Topics {
		t := &g.Topics[i]
		topics.number(t.Name)
		r.PartitionCounts[i] = t.Partitions
		if len(t.Weights) > 0 || len(t.Racks) > 0 || len(t.LeaderRacks) > 0 || len(t.Signals) > 0 {
			r.Details = append(r.Details, detail(int32(i), t, racks))
		}
	}
	subscriptions := subscriptions{topics: topics, known: map[string]int32{}}
	messages := make([]pluginproto.Member, len(g.Members)) // in one allocation
	for i := range g.Members {
		m, to := &g.Members[i], &messages[i]
		to.Id, to.InstanceId, to.Rack = text(m.ID), text(m.InstanceID), text(m.Rack)
		to.Subscription = subscriptions.number(m.Topics)
		to.Generation, to.Capacity, to.Draining = m.Generation, m.Capacity, m.Draining
		to.Labels, to.UserData = labels(m.Labels, text), m.UserData
		to.UptimeNs, to.Signals = int64(m.Uptime), signals(m.Signals, text)
		if !t.Tidy(i) {
			to.Owned = columns(m.Owned, topics)
		}
		to.Releasing = columns(m.Releasing, topics)
		to.Expecting = columns(m.Expecting, topics)
		r.Members[i] = to
	}
	r.Topics, r.Racks, r.Subscriptions = texts(topics.list), texts(racks.list), subscriptions.list
	return r
}

func detail(topic int32, t *strategy.Topic, racks *names) *pluginproto.TopicDetail {
	d := &pluginproto.TopicDetail{Topic: topic, Weights: t.Weights}
	for _, list := range t.Racks {
		d.RackCounts = append(d.RackCounts, int32(len(list)))
		for _, rack := range list {
			d.Racks = append(d.Racks, racks.number(rack))
		}
	}
	for p, rack := range t.LeaderRacks {
		if d.LeaderRacks == nil {
			d.LeaderRacks = make([]int32, len(t.LeaderRacks))
		}
		if rack != "" {
			d.LeaderRacks[p] = racks.number(rack) + 1
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Signals)) {
		d.Signals = append(d.Signals, &pluginproto.Signal{Name: text(name), Values: t.Signals[name]})
	}
	return d
}

// describe is the inverse of detail.
func describe(t *strategy.Topic, d *pluginproto.TopicDetail, racks []string) (err error) {
	t.Weights = d.Weights
	if t.Racks, err = runs(d.RackCounts, d.Racks, racks); err != nil {
		return fmt.Errorf("racks of topic %q: %w", t.Name, err)
	}
	if len(d.LeaderRacks) > 0 {
		t.LeaderRacks = make([]string, len(d.LeaderRacks))
	}
	for p, n := range d.LeaderRacks {
		if n < 0 || int(n) > len(racks) {
			return fmt.Errorf("leaders' racks of topic %q: name number %d of %d", t.Name, int64(n)-1, len(racks))
		}
		if n > 0 {
			t.LeaderRacks[p] = racks[n-1]
		}
	}
	if len(d.Signals) > 0 {
		t.Signals = make(map[string][]float64, len(d.Signals))
	}
	for _, s := range d.Signals {
		name := raw(s.Name)
		if _, twice := t.Signals[name]; twice {
			return fmt.Errorf("topic %q has signal %q twice", t.Name, name)
		}
		t.Signals[name] = s.Values
	}
	return nil
}

// subscriptions numbers lists of topics, each once.
type subscriptions struct {
	topics     *names
	known      map[string]int32 // by the topics' numbers, as bytes
	list       []*pluginproto.Subscription
	last       []string // of the member before, whose list is most often the same
	lastNumber int32
	key        []byte
}

func (s *subscriptions) number(list []string) int32 {
	if len(s.list) > 0 && (same(list, s.last) || slices.Equal(list, s.last)) {
		return s.lastNumber
	}
	numbers := make([]int32, len(list))
	s.key = s.key[:0]
	for i, name := range list {
		n := s.topics.number(name)
		numbers[i] = n
		s.key = append(s.key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	i, ok := s.known[string(s.key)]
	if !ok {
		i = int32(len(s.list))
		s.known[string(s.key)] = i
		s.list = append(s.list, &pluginproto.Subscription{Topics: numbers})
	}
	s.last, s.lastNumber = list, i
	return i
}

// same says whether two lists are one.
func same(a, b []string) bool {
	return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
}

// columns is nil for no partitions at all.
func columns(list []strategy.TopicPartitions, topics *names) *pluginproto.Partitions {
	if len(list) == 0 {
		return nil
	}
	n := len(list)
	c := &pluginproto.Partitions{Partitions: make([]int32, 0, strategy.Count(list))}
	both := make([]int32, 2*n)
	c.Topics, c.Counts = both[:n:n], both[n:]
	for i := range list {
		c.Topics[i] = topics.number(list[i].Topic)
		c.Counts[i] = int32(len(list[i].Partitions))
		c.Partitions = append(c.Partitions, list[i].Partitions...)
	}
	return c
}

// Group makes a group of columns: one that passes [strategy.Group.Check]. It keeps the message's memory.
func Group(r *pluginproto.AssignRequest) (*strategy.Group, error) {
	if len(r.PartitionCounts) > len(r.Topics) {
		return nil, fmt.Errorf("%d counts of partitions for %d topics", len(r.PartitionCounts), len(r.Topics))
	}
	topics, racks := raws(r.Topics), raws(r.Racks)
	g := &strategy.Group{
		Name: raw(r.Group), Generation: r.Generation, Leader: raw(r.Leader),
		Topics: make([]strategy.Topic, len(r.PartitionCounts)), Members: make([]strategy.Member, len(r.Members)),
	}
	for i, n := range r.PartitionCounts {
		g.Topics[i] = strategy.Topic{Name: topics[i], Partitions: n}
	}
	for _, d := range r.Details {
		if d.Topic < 0 || int(d.Topic) >= len(g.Topics) {
			return nil, fmt.Errorf("details of topic number %d of %d", d.Topic, len(g.Topics))
		}
		if err := describe(&g.Topics[d.Topic], d, racks); err != nil {
			return nil, err
		}
	}
	lists := make([][]string, len(r.Subscriptions))
	for i, s := range r.Subscriptions {
		var err error
		if lists[i], err = pick(s.Topics, topics); err != nil {
			return nil, fmt.Errorf("subscription number %d: %w", i, err)
		}
	}
	for i, m := range r.Members {
		var err error
		if g.Members[i], err = member(m, topics, lists); err != nil {
			return nil, fmt.Errorf("member %q: %w", m.Id, err)
		}
	}
	if err := own(g, r.Owners); err != nil {
		return nil, err
	}
	return g, g.Check()
}

func member(m *pluginproto.Member, topics []string, lists [][]string) (to strategy.Member, err error) {
	if m.Subscription < 0 || int(m.Subscription) >= len(lists) {
		return to, fmt.Errorf("subscription number %d of %d", m.Subscription, len(lists))
	}
	to = strategy.Member{
		ID: raw(m.Id), InstanceID: raw(m.InstanceId), Rack: raw(m.Rack), Topics: lists[m.Subscription],
		Generation: m.Generation, Capacity: m.Capacity, Draining: m.Draining, Labels: labels(m.Labels, raw), UserData: m.UserData,
		Uptime: time.Duration(m.UptimeNs), Signals: signals(m.Signals, raw),
	}
	if to.Owned, err = partitions(m.Owned, topics); err != nil {
		return to, err
	}
	if to.Releasing, err = partitions(m.Releasing, topics); err != nil {
		return to, err
	}
	to.Expecting, err = partitions(m.Expecting, topics)
	return to, err
}

// partitions makes lists of columns; topics are the names that they refer to.
func partitions(c *pluginproto.Partitions, topics []string) ([]strategy.TopicPartitions, error) {
	if c == nil {
		return nil, nil
	}
	if len(c.Topics) != len(c.Counts) {
		return nil, fmt.Errorf("%d counts of partitions for %d topics", len(c.Counts), len(c.Topics))
	}
	out := make([]strategy.TopicPartitions, len(c.Topics))
	rest := c.Partitions
	for i, t := range c.Topics {
		n := int(c.Counts[i])
		if t < 0 || int(t) >= len(topics) {
			return nil, fmt.Errorf("topic number %d of %d", t, len(topics))
		}
		if n < 0 || n > len(rest) {
			return nil, fmt.Errorf("%d partitions of topic %q, where %d are left", n, topics[t], len(rest))
		}
		out[i] = strategy.TopicPartitions{Topic: topics[t], Partitions: rest[:n:n]}
		rest = rest[n:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%d partitions of no topic", len(rest))
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}

// runs cuts a list of numbers into lists of names.
func runs(counts, numbers []int32, list []string) ([][]string, error) {
	if len(counts) == 0 && len(numbers) == 0 {
		return nil, nil
	}
	all, err := pick(numbers, list)
	if err != nil {
		return nil, err
	}
	out := make([][]string, len(counts))
	for i, n := range counts {
		if n < 0 || int(n) > len(all) {
			return nil, fmt.Errorf("%d of partition %d, where %d are left", n, i, len(all))
		}
		out[i], all = all[:n:n], all[n:]
	}
	if len(all) > 0 {
		return nil, fmt.Errorf("%d of no partition", len(all))
	}
	return out, nil
}

// pick looks up names by their numbers.
func pick(numbers []int32, list []string) ([]string, error) {
	out := make([]string, len(numbers))
	for i, n := range numbers {
		if n < 0 || int(n) >= len(list) {
			return nil, fmt.Errorf("name number %d of %d", n, len(list))
		}
		out[i] = list[n]
	}
	return out, nil
}

// bases says at which number each topic's partitions begin, and behind the last one how many there are.
func bases(g *strategy.Group) ([]int32, error) {
	base := make([]int32, len(g.Topics)+1)
	total := int64(0)
	for i := range g.Topics {
		base[i] = int32(total)
		total += int64(max(0, g.Topics[i].Partitions))
		if total > math.MaxInt32 {
			return nil, fmt.Errorf("more than %d partitions", math.MaxInt32)
		}
	}
	base[len(g.Topics)] = int32(total)
	return base, nil
}
