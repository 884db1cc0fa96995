package replay

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/assignkit/assignkit/internal/trace"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// build makes the scenario of lines, of which there is one at least.
func (p *Past) build(lines []*trace.Rebalance) {
	ids := identities{}
	complete := true
	var before *strategy.Group
	for i, r := range lines {
		names := ids.of(r.Asked.Members)
		group := renamed(r.Asked, names)
		var answer strategy.Assignment
		if r.Answer != nil {
			answer = renamedAnswer(r.Answer, group, names)
		}
		complete = complete && r.Answer != nil
		if i == 0 {
			p.Scenario.Group = *group
			p.Answers = append(p.Answers, nil)
		} else if e, changed := compare(before, group); changed {
			e.Label = fmt.Sprintf("generation %d", r.Generation)
			p.Scenario.Events = append(p.Scenario.Events, e)
			p.Answers = append(p.Answers, nil)
		}
		rounds := &p.Answers[len(p.Answers)-1]
		*rounds = append(*rounds, answer)
		before, p.Now = group, after(group, r.Answer, &answer)
	}
	if !complete {
		p.Answers = nil
	}
}

// identities are the ids that static members were first seen with: after a restart they come with another one, and are the same.
type identities map[string]string

// of returns the names of members by their ids.
func (s identities) of(members []strategy.Member) map[string]string {
	names := make(map[string]string, len(members))
	taken := make(map[string]bool, len(members))
	for i := range members {
		taken[members[i].ID] = true
	}
	for i := range members {
		m := &members[i]
		names[m.ID] = m.ID
		if m.InstanceID == "" {
			continue
		}
		first, ok := s[m.InstanceID]
		if ok && (first == m.ID || !taken[first]) {
			taken[first] = true
			names[m.ID] = first
		} else {
			s[m.InstanceID] = m.ID
		}
	}
	return names
}

// renamed is a group with other ids, in their order. A member without topics reads nothing, where in a scenario it would read all.
func renamed(g *strategy.Group, names map[string]string) *strategy.Group {
	c := strategy.Group{Name: g.Name, Generation: g.Generation, Leader: cmp.Or(names[g.Leader], g.Leader), Topics: g.Topics}
	c.Members = slices.Clone(g.Members)
	for i := range c.Members {
		m := &c.Members[i]
		m.ID = names[m.ID]
		if m.Topics == nil {
			m.Topics = []string{}
		}
	}
	slices.SortFunc(c.Members, func(a, b strategy.Member) int { return cmp.Compare(a.ID, b.ID) })
	return &c
}

// renamedAnswer is an answer with other ids. Members that it says nothing of get nothing.
func renamedAnswer(a *strategy.Assignment, g *strategy.Group, names map[string]string) strategy.Assignment {
	c := *a
	c.Members = make(map[string][]strategy.TopicPartitions, len(g.Members))
	for i := range g.Members {
		c.Members[g.Members[i].ID] = nil
	}
	for _, id := range slices.Sorted(maps.Keys(a.Members)) {
		c.Members[cmp.Or(names[id], id)] = a.Members[id]
	}
	return c
}

// after is the group once an answer has taken effect.
func after(g *strategy.Group, recorded, answer *strategy.Assignment) strategy.Group {
	c := strategy.Group{Name: g.Name, Generation: g.Generation, Leader: g.Leader, Topics: g.Topics, Members: slices.Clone(g.Members)}
	if recorded == nil {
		return c
	}
	for i := range c.Members {
		c.Members[i].Owned, c.Members[i].Generation = answer.Members[c.Members[i].ID], g.Generation
	}
	return c
}

// compare returns what happened from one generation to the next.
func compare(before, after *strategy.Group) (e simulation.Change, changed bool) {
	was := make(map[string]*strategy.Member, len(before.Members))
	for i := range before.Members {
		was[before.Members[i].ID] = &before.Members[i]
	}
	for _, m := range after.Members {
		old, ok := was[m.ID]
		delete(was, m.ID)
		switch {
		case !ok:
			e.Join = append(e.Join, newcomer(m))
		case old.InstanceID != m.InstanceID:
			e.Leave, e.Join = append(e.Leave, m.ID), append(e.Join, newcomer(m))
		case !sameMember(old, &m):
			e.Set = append(e.Set, m)
		}
	}
	e.Leave = append(e.Leave, slices.Sorted(maps.Keys(was))...)
	if !sameTopics(before.Topics, after.Topics) {
		e.Topics = slices.Clone(after.Topics)
		if e.Topics == nil {
			e.Topics = []strategy.Topic{}
		}
	}
	return e, len(e.Leave)+len(e.Set)+len(e.Join) > 0 || e.Topics != nil
}

// newcomer is a member that joins. What it claimed is of no use where another strategy decides.
func newcomer(m strategy.Member) strategy.Member {
	m.Owned, m.Generation = nil, strategy.NoGeneration
	return m
}

// sameMember says whether two of one id say the same about themselves. Uptimes and signals are measured, and differ each time.
func sameMember(a, b *strategy.Member) bool {
	return a.Rack == b.Rack && a.Share() == b.Share() && maps.Equal(a.Labels, b.Labels) && sameSet(a.Topics, b.Topics)
}

// sameSet compares names in any order.
func sameSet(a, b []string) bool {
	if slices.Equal(a, b) {
		return true
	}
	sorted := func(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }
	return slices.Equal(sorted(a), sorted(b))
}

// sameTopics compares topics in any order. Weights, signals and racks of leaders are measured, and differ each time: by themselves they
// are no change.
func sameTopics(a, b []strategy.Topic) bool {
	was := make(map[string]*strategy.Topic, len(a))
	for i := range a {
		was[a[i].Name] = &a[i]
	}
	return len(a) == len(b) && !slices.ContainsFunc(b, func(t strategy.Topic) bool {
		old, ok := was[t.Name]
		return !ok || old.Partitions != t.Partitions || !slices.EqualFunc(old.Racks, t.Racks, slices.Equal)
	})
}
