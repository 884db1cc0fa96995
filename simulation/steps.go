package simulation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/strategy"
)

// Every kind of event, in the steps that it is made of.
var (
	_ Event = Join{}
	_ Event = Leave{}
	_ Event = Deploy{}
	_ Event = Restart{}
	_ Event = Grow{}
	_ Event = Create{}
	_ Event = Delete{}
	_ Event = Set{}
	_ Event = Measure{}
)

func (e Join) changes(s *state) ([]change, error) {
	members := e.Members
	if len(members) == 0 {
		if e.Count < 0 || e.Count > MaxMembers {
			return nil, fail("", "%d members cannot join; 0 to %d can", e.Count, MaxMembers)
		}
		if err := s.spend(len(s.members) + e.Count); err != nil {
			return nil, err
		}
		members = NewMembers(s.members, e.Count)
	}
	if len(members) == 0 {
		return []change{{text: "join nobody", quiet: true}}, nil
	}
	return []change{{text: "join " + enumerate(ids(members)), join: members}}, nil
}

func (e Leave) changes(s *state) ([]change, error) {
	found, err := s.match(e.Members)
	if err != nil {
		return nil, err
	}
	list := make([]string, len(found))
	for i, m := range found {
		list[i] = m.ID
	}
	return []change{{text: "leave " + enumerate(list), leave: list}}, nil
}

func (e Deploy) changes(s *state) ([]change, error) {
	found, err := s.match(e.Members)
	if err != nil {
		return nil, err
	}
	surge, unavailable := e.Surge, e.MaxUnavailable
	if surge < 0 || unavailable < 0 {
		return nil, fail("", "surge %d and max_unavailable %d: neither can be negative", surge, unavailable)
	}
	if surge == 0 && unavailable == 0 {
		unavailable = 1
	}
	surge, unavailable = min(surge, len(found)), min(unavailable, len(found))
	if err := s.afford(2 * int64(len(found)) * int64(len(s.members))); err != nil { // said at once, not after thousands of steps
		return nil, err
	}
	d := deployment{state: s, taken: map[string]bool{}, steps: make([]change, 0, 2*len(found))}
	for batch := range slices.Chunk(found, surge+unavailable) {
		d.batch(batch, surge)
	}
	number(d.steps)
	return d.steps, nil
}

// A deployment collects the steps of a deploy.
type deployment struct {
	state *state
	taken map[string]bool // ids given to replacements
	steps []change
}

// batch replaces a few members.
func (d *deployment) batch(members []*strategy.Member, surge int) {
	var later []*strategy.Member // whose replacements join at the end
	for i, m := range members {
		if i < surge && m.InstanceID == "" {
			d.join(m)
		} else {
			later = append(later, m)
		}
	}
	for _, m := range members {
		if m.InstanceID == "" {
			d.steps = append(d.steps, change{text: "leave " + m.ID, leave: []string{m.ID}})
		} else {
			d.steps = append(d.steps, change{text: "leave " + m.ID, quiet: true})
		}
	}
	for _, m := range later {
		d.join(m)
	}
}

func (d *deployment) join(m *strategy.Member) {
	if m.InstanceID != "" {
		d.steps = append(d.steps, change{text: "join " + m.ID, quiet: true})
		return
	}
	r := d.state.replacement(m, d.taken)
	d.steps = append(d.steps, change{text: "join " + r.ID, join: []strategy.Member{r}})
}

// number puts "deploy 3/12: " before the texts.
func number(steps []change) {
	for i := range steps {
		steps[i].text = fmt.Sprintf("deploy %d/%d: %s", i+1, len(steps), steps[i].text)
	}
}

func (e Restart) changes(s *state) ([]change, error) {
	found, err := s.match(e.Members)
	if err != nil {
		return nil, err
	}
	c := change{quiet: true}
	taken := map[string]bool{}
	names := make([]string, len(found))
	for i, m := range found {
		names[i] = m.ID
		if m.InstanceID == "" {
			c.quiet = false
			c.leave = append(c.leave, m.ID)
			c.join = append(c.join, s.replacement(m, taken))
		}
	}
	c.text = "restart " + enumerate(names)
	return []change{c}, nil
}

func (e Grow) changes(s *state) ([]change, error) {
	if len(e.Topics) == 0 {
		return nil, fail("", "names no topics")
	}
	return []change{{text: e.String(), topics: func(t *state) error { return t.grow(e.Topics) }}}, nil
}

func (e Create) changes(s *state) ([]change, error) {
	if len(e.Topics) == 0 {
		return nil, fail("", "names no topics")
	}
	return []change{{text: e.String(), topics: func(t *state) error { return t.create(e.Topics) }}}, nil
}

func (e Delete) changes(s *state) ([]change, error) {
	if len(e.Topics) == 0 {
		return nil, fail("", "names no topics")
	}
	return []change{{text: e.String(), topics: func(t *state) error { return t.remove(e.Topics) }}}, nil
}

func (e Set) changes(s *state) ([]change, error) {
	if e.Capacity == nil && e.Rack == nil && e.Topics == nil && len(e.Labels) == 0 && e.Uptime == nil && len(e.Signals) == 0 {
		return nil, fail("", "sets nothing; there are capacity, labels, rack, signals, topics, uptime")
	}
	found, err := s.match(e.Members)
	if err != nil {
		return nil, err
	}
	c := change{replace: make([]strategy.Member, len(found))}
	names := make([]string, len(found))
	for i, old := range found {
		m := s.raw(old)
		names[i] = m.ID
		if e.Capacity != nil {
			m.Capacity, m.Draining = *e.Capacity, *e.Capacity == 0
		}
		if e.Rack != nil {
			m.Rack = *e.Rack
		}
		if e.Topics != nil {
			m.Topics = e.Topics
		}
		if e.Uptime != nil {
			m.Uptime = *e.Uptime
		}
		m.Labels, m.Signals = overlaid(m.Labels, e.Labels), overlaid(m.Signals, e.Signals)
		c.replace[i] = m
	}
	_, what, _ := strings.Cut(e.String(), ": ")
	c.text = "set " + enumerate(names) + ": " + what
	return []change{c}, nil
}

// overlaid is a mapping with others added to it, or in their place.
func overlaid[T any](before, others map[string]T) map[string]T {
	if len(others) == 0 {
		return before
	}
	after := make(map[string]T, len(before)+len(others))
	maps.Copy(after, before)
	maps.Copy(after, others)
	return after
}
