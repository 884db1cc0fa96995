package simulation

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// members decodes members: how many, or who. In an event, a single one need not be in a list.
func (d *decoder) members(n *node, start bool) ([]strategy.Member, error) {
	if start && isCount(n) {
		x, err := d.number(n, "a number of members", 0, MaxMembers)
		return NewMembers(nil, int(x)), err
	}
	items := n.items
	if n.kind != list {
		if start {
			return nil, d.at(n, "members is a list or a number, not %s", n)
		}
		items = []*node{n}
	}
	if len(items) > MaxMembers {
		return nil, d.at(n, "more than %d members", MaxMembers)
	}
	out := make([]strategy.Member, len(items))
	for i, item := range items {
		m, err := d.member(item)
		if err != nil {
			return nil, err
		}
		out[i] = m
	}
	return out, nil
}

func (d *decoder) member(n *node) (strategy.Member, error) {
	m := strategy.Member{Generation: strategy.NoGeneration}
	if n.kind == scalar {
		id, err := d.name(n, "a member's id")
		d.subject(id, n)
		m.ID = id
		return m, err
	}
	var id *node
	err := d.fields(n, "a member", map[string]func(v *node) error{
		"id":       func(v *node) (err error) { id = v; m.ID, err = d.name(v, "a member's id"); return err },
		"instance": func(v *node) (err error) { m.InstanceID, err = d.name(v, "an instance id"); return err },
		"rack":     func(v *node) (err error) { m.Rack, err = d.name(v, "a rack"); return err },
		"topics":   func(v *node) (err error) { m.Topics, err = d.subscription(v); return err },
		"capacity": func(v *node) (err error) {
			m.Capacity, err = d.capacity(v)
			m.Draining = m.Capacity == 0
			return err
		},
		"labels":  func(v *node) (err error) { m.Labels, err = d.labels(v); return err },
		"uptime":  func(v *node) (err error) { m.Uptime, err = d.uptime(v); return err },
		"signals": func(v *node) (err error) { m.Signals, err = d.memberSignals(v); return err },
		"owned":   func(v *node) (err error) { m.Owned, err = d.owned(v); return err },
		"generation": func(v *node) error {
			x, err := d.number(v, "a generation", int64(strategy.NoGeneration), maxGeneration)
			m.Generation = int32(x)
			return err
		},
	})
	if err != nil {
		return m, err
	}
	if id == nil {
		return m, d.at(n, "a member has no id")
	}
	d.subject(m.ID, id)
	return m, nil
}

func (d *decoder) capacity(n *node) (int32, error) {
	x, err := d.number(n, "a capacity", 0, strategy.MaxCapacity)
	return int32(x), err
}

// subscription decodes the topics that a member reads, which must be there at some time.
func (d *decoder) subscription(n *node) ([]string, error) {
	if n.kind == null {
		return nil, d.at(n, "topics says nothing; a member without topics reads all, and none with topics: []")
	}
	topics, err := d.names(n, "a topic's name")
	if err != nil {
		return nil, err
	}
	d.named = append(d.named, items(n)...)
	return topics, nil
}

func (d *decoder) labels(n *node) (map[string]string, error) {
	if n.kind != mapping {
		return nil, d.at(n, "labels is a mapping of names to words, not %s", n)
	}
	labels := make(map[string]string, len(n.pairs))
	for _, p := range n.pairs {
		if p.value.kind != scalar {
			return nil, d.at(p.value, "label %s is a word, not %s", clip(p.key.text), p.value)
		}
		labels[p.key.text] = p.value.text
	}
	return labels, nil
}

// owned decodes claims. Numbers that the topic does not have are let pass, as claims may be stale.
func (d *decoder) owned(n *node) ([]strategy.TopicPartitions, error) {
	if n.kind != mapping {
		return nil, d.at(n, "owned is a mapping of topics to lists of partitions, not %s", n)
	}
	var out []strategy.TopicPartitions
	for _, p := range n.pairs {
		if p.value.kind != list {
			return nil, d.at(p.value, "what is owned of %s is a list of partitions, not %s", clip(p.key.text), p.value)
		}
		numbers := make([]int32, len(p.value.items))
		for i, item := range p.value.items {
			x, err := d.number(item, "a partition", 0, strategy.MaxPartitions-1)
			if err != nil {
				return nil, err
			}
			numbers[i] = int32(x)
		}
		d.named = append(d.named, p.key)
		if len(numbers) > 0 {
			slices.Sort(numbers)
			out = append(out, strategy.TopicPartitions{Topic: p.key.text, Partitions: slices.Compact(numbers)})
		}
	}
	slices.SortFunc(out, func(a, b strategy.TopicPartitions) int { return strings.Compare(a.Topic, b.Topic) })
	return out, nil
}

// uptime decodes a duration, 10m, or a number of seconds.
func (d *decoder) uptime(n *node) (time.Duration, error) {
	if seconds, ok := float(n); ok && seconds >= 0 && seconds < math.MaxInt64/float64(time.Second) {
		return time.Duration(math.Round(seconds * float64(time.Second))), nil
	}
	if n.kind == scalar {
		if t, err := time.ParseDuration(n.text); err == nil && t >= 0 {
			return t, nil
		}
	}
	return 0, d.at(n, "uptime is a duration such as 10m, or a number of seconds, not %s", n)
}

func (d *decoder) memberSignals(n *node) (map[string]float64, error) {
	signals := map[string]float64{}
	err := d.byName(n, func(name string, v *node) (err error) {
		signals[name], err = d.signal(v)
		return err
	})
	return signals, err
}
