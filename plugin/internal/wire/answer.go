package wire

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	pluginproto "github.com/assignkit/assignkit/plugin/proto"
	"github.com/assignkit/assignkit/strategy"
)

// reasons are those of the protocol.
var reasons = map[strategy.Reason]pluginproto.Reason{
	strategy.ReasonWithheld:   pluginproto.Reason_REASON_WITHHELD,
	strategy.ReasonIneligible: pluginproto.Reason_REASON_INELIGIBLE,
	strategy.ReasonLimit:      pluginproto.Reason_REASON_LIMIT,
	strategy.ReasonDraining:   pluginproto.Reason_REASON_DRAINING,
}

// meanings is the inverse of reasons.
var meanings = func() map[pluginproto.Reason]strategy.Reason {
	m := make(map[pluginproto.Reason]strategy.Reason, len(reasons))
	for meaning, reason := range reasons {
		m[reason] = meaning
	}
	return m
}()

// AssignResponse puts an answer to g into columns. They have no room for an answer that gives a partition to two members, or speaks of
// members, topics or partitions that the group does not have: that is an error here. Everything else is for [strategy.Validate].
func AssignResponse(g *strategy.Group, a *strategy.Assignment) (*pluginproto.AssignResponse, error) {
	base, err := bases(g)
	if err != nil {
		return nil, err
	}
	w := &answerWriter{group: g, base: base, topics: newNames(len(g.Topics)), members: make(map[string]int32, len(g.Members))}
	for i := range g.Topics {
		w.topics.number(g.Topics[i].Name)
	}
	if len(w.topics.list) < len(g.Topics) {
		return nil, errors.New("the group has a topic twice")
	}
	for i := range g.Members {
		w.members[g.Members[i].ID] = int32(i)
	}
	r := &pluginproto.AssignResponse{Stopped: shortened(a.Stopped)}
	if r.Owners, err = w.owners(a); err != nil {
		return nil, err
	}
	if r.Unassigned, err = w.unassigned(a.Unassigned); err != nil {
		return nil, err
	}
	for i := range g.Members {
		if data, ok := a.UserData[g.Members[i].ID]; ok {
			if r.UserData == nil {
				r.UserData = make(map[int32][]byte, len(a.UserData))
			}
			r.UserData[int32(i)] = data
		}
	}
	for _, id := range slices.Sorted(maps.Keys(a.UserData)) {
		if _, ok := w.members[id]; !ok {
			return nil, fmt.Errorf("user data for member %q, who is not of the group", id)
		}
	}
	return r, nil
}

type answerWriter struct {
	group   *strategy.Group
	base    []int32
	topics  *names
	members map[string]int32
}

func (w *answerWriter) owners(a *strategy.Assignment) ([]int32, error) {
	owners := make([]int32, w.base[len(w.base)-1])
	seen := 0
	for m := range w.group.Members {
		id := w.group.Members[m].ID
		list, ok := a.Members[id]
		if ok {
			seen++
		}
		for i := range list {
			t := w.topics.find(list[i].Topic)
			if t < 0 {
				return nil, fmt.Errorf("member %q is given partitions of topic %q, which is not of the group", id, list[i].Topic)
			}
			of := owners[w.base[t]:w.base[t+1]]
			for _, p := range list[i].Partitions {
				switch {
				case p < 0 || int(p) >= len(of):
					return nil, fmt.Errorf("member %q is given partition %d of topic %q, which has %d", id, p, list[i].Topic, len(of))
				case of[p] != 0:
					return nil, fmt.Errorf("partition %d of topic %q is given to member %q and to member %q", p, list[i].Topic, w.group.Members[of[p]-1].ID, id)
				}
				of[p] = int32(m) + 1
			}
		}
	}
	if seen < len(a.Members) {
		for _, id := range slices.Sorted(maps.Keys(a.Members)) {
			if _, ok := w.members[id]; !ok {
				return nil, fmt.Errorf("member %q is given something, and is not of the group", id)
			}
		}
	}
	return owners, nil
}

func (w *answerWriter) unassigned(list []strategy.Unassigned) (*pluginproto.Unassigned, error) {
	if len(list) == 0 {
		return nil, nil
	}
	c := &pluginproto.Unassigned{Partitions: make([]int32, len(list)), Reasons: make([]pluginproto.Reason, len(list))}
	for i := range list {
		u := &list[i]
		var err error
		if c.Partitions[i], err = w.number(u.Topic, u.Partition); err != nil {
			return nil, err
		}
		var known bool
		if c.Reasons[i], known = reasons[u.Reason]; !known {
			return nil, fmt.Errorf("partition %d of topic %q has the unknown reason %q", u.Partition, u.Topic, u.Reason)
		}
		if u.For != "" {
			m, ok := w.members[u.For]
			if !ok {
				return nil, fmt.Errorf("partition %d of topic %q waits for member %q, who is not of the group", u.Partition, u.Topic, u.For)
			}
			c.ForMembers = set(c.ForMembers, len(list), i, m+1)
		}
		if u.With != nil {
			other, err := w.number(u.With.Topic, u.With.Partition)
			if err != nil {
				return nil, err
			}
			c.WithPartitions = set(c.WithPartitions, len(list), i, other+1)
		}
	}
	return c, nil
}

// set sets an entry of a column, which is nil as long as all its entries are 0.
func set(column []int32, length, i int, v int32) []int32 {
	if column == nil {
		column = make([]int32, length)
	}
	column[i] = v
	return column
}

func (w *answerWriter) number(topic string, partition int32) (int32, error) {
	t := w.topics.find(topic)
	if t < 0 {
		return 0, fmt.Errorf("topic %q is said to be unassigned, and is not of the group", topic)
	}
	if n := w.base[t+1] - w.base[t]; partition < 0 || partition >= n {
		return 0, fmt.Errorf("partition %d of topic %q is said to be unassigned, and the topic has %d", partition, topic, n)
	}
	return w.base[t] + partition, nil
}

// Assignment makes an answer of columns, to the group of t. What it returns has every member, each partition once, and sorted lists; the
// rest is for [strategy.Validate].
func Assignment(t *strategy.Table, r *pluginproto.AssignResponse) (strategy.Assignment, error) {
	members := t.Group.Members
	if len(r.Owners) != t.Len() {
		return strategy.Assignment{}, fmt.Errorf("owners of %d partitions, where the group has %d", len(r.Owners), t.Len())
	}
	for i, o := range r.Owners {
		if o < 0 || int(o) > len(members) {
			p := t.Name(i)
			return strategy.Assignment{}, fmt.Errorf("partition %d of topic %q is given to member number %d of %d", p.Partition, p.Topic, int64(o)-1, len(members))
		}
		r.Owners[i] = o - 1 // the message is ours
	}
	a := t.Assignment(r.Owners)
	a.Stopped = shortened(r.Stopped)
	var err error
	if a.Unassigned, err = unassigned(t, r.Unassigned); err != nil {
		return strategy.Assignment{}, err
	}
	if len(r.UserData) > 0 {
		a.UserData = make(map[string][]byte, len(r.UserData))
	}
	for _, m := range slices.Sorted(maps.Keys(r.UserData)) {
		if m < 0 || int(m) >= len(members) {
			return strategy.Assignment{}, fmt.Errorf("user data for member number %d of %d", m, len(members))
		}
		a.UserData[members[m].ID] = r.UserData[m]
	}
	return a, nil
}

// shortened bounds a text that is printed.
func shortened(text string) string {
	const most = 200
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

func unassigned(t *strategy.Table, c *pluginproto.Unassigned) ([]strategy.Unassigned, error) {
	n := len(c.GetPartitions())
	if n > t.Len() {
		return nil, fmt.Errorf("%d partitions are unassigned, and the group has %d", n, t.Len())
	}
	for _, column := range []struct {
		name   string
		length int
		empty  bool // is all that may be missing
	}{{"reasons", len(c.GetReasons()), n == 0}, {"members", len(c.GetForMembers()), true}, {"other partitions", len(c.GetWithPartitions()), true}} {
		if column.length != n && (column.length != 0 || !column.empty) {
			return nil, fmt.Errorf("%d partitions are unassigned, with %d %s", n, column.length, column.name)
		}
	}
	if n == 0 {
		return nil, nil
	}
	out := make([]strategy.Unassigned, n)
	for i := range out {
		var err error
		if out[i], err = unassignedAt(t, c, i); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(out, func(a, b strategy.Unassigned) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Reason, b.Reason))
	})
	return out, nil
}

func unassignedAt(t *strategy.Table, c *pluginproto.Unassigned, i int) (u strategy.Unassigned, err error) {
	p, err := place(t, int64(c.Partitions[i]))
	if err != nil {
		return u, fmt.Errorf("unassigned: %w", err)
	}
	u.Topic, u.Partition = p.Topic, p.Partition
	var known bool
	if u.Reason, known = meanings[c.Reasons[i]]; !known {
		return u, fmt.Errorf("partition %d of topic %q has the unknown reason %s", u.Partition, u.Topic, c.Reasons[i])
	}
	if len(c.ForMembers) > 0 && c.ForMembers[i] != 0 {
		m := int64(c.ForMembers[i]) - 1
		if m < 0 || m >= int64(len(t.Group.Members)) {
			return u, fmt.Errorf("partition %d of topic %q waits for member number %d of %d", u.Partition, u.Topic, m, len(t.Group.Members))
		}
		u.For = t.Group.Members[m].ID
	}
	if len(c.WithPartitions) > 0 && c.WithPartitions[i] != 0 {
		with, err := place(t, int64(c.WithPartitions[i])-1)
		if err != nil {
			return u, fmt.Errorf("partition %d of topic %q moves with another: %w", u.Partition, u.Topic, err)
		}
		u.With = &with
	}
	return u, nil
}

// place names a partition by its number, which another process sent.
func place(t *strategy.Table, number int64) (strategy.TopicPartition, error) {
	if number < 0 || number >= int64(t.Len()) {
		return strategy.TopicPartition{}, fmt.Errorf("partition number %d of %d", number, t.Len())
	}
	return t.Name(int(number)), nil
}
