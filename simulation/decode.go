package simulation

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/assignkit/assignkit/strategy"
)

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}

// fields decodes a mapping with known keys.
func (d *decoder) fields(n *node, what string, known map[string]func(v *node) error) error {
	names := sorted(slices.Collect(maps.Keys(known)))
	if n.kind != mapping {
		return d.at(n, "%s is a mapping of %s, not %s", what, strings.Join(names, ", "), n)
	}
	for _, p := range n.pairs {
		decode, ok := known[p.key.text]
		if !ok {
			hint := nearest(p.key.text, names)
			if hint == "" {
				hint = "; there are " + strings.Join(names, ", ")
			}
			return d.at(p.key, "%s has no field %q%s", what, clip(p.key.text), hint)
		}
		if err := decode(p.value); err != nil {
			return err
		}
	}
	return nil
}

// name decodes a word. What looks like a number is one if it stands for nothing else.
func (d *decoder) name(n *node, what string) (string, error) {
	switch {
	case n.kind != scalar:
		return "", d.at(n, "%s is a word, not %s", what, n)
	case n.text == "":
		return "", d.at(n, "%s is empty", what)
	case len(n.text) > MaxName:
		return "", d.at(n, "%s is longer than %d bytes", what, MaxName)
	case strings.ContainsFunc(n.text, unicode.IsControl):
		return "", d.at(n, "%s %q has characters that cannot be shown", what, clip(n.text))
	}
	return n.text, nil
}

// items are those of a list, or a single value that stands for a list of it.
func items(n *node) []*node {
	if n.kind == list {
		return n.items
	}
	return []*node{n}
}

// names decodes a word or a list of words.
func (d *decoder) names(n *node, what string) ([]string, error) {
	list := items(n)
	out := make([]string, len(list))
	for i, item := range list {
		name, err := d.name(item, what)
		if err != nil {
			return nil, err
		}
		out[i] = name
	}
	return out, nil
}

// isCount says whether a value is a bare number.
func isCount(n *node) bool {
	if n.kind != scalar || n.quoted {
		return false
	}
	_, err := strconv.ParseFloat(strings.ReplaceAll(n.text, "_", ""), 64)
	return err == nil || strings.Contains(err.Error(), "range")
}

// number decodes a whole number within bounds.
func (d *decoder) number(n *node, what string, least, most int64) (int64, error) {
	if n.kind != scalar || n.quoted {
		return 0, d.at(n, "%s is a whole number, not %s", what, n)
	}
	text := n.text
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, d.at(n, "%s is a whole number, not %s", what, n)
	}
	if len(digits) > 1 && digits[0] == '0' {
		return 0, d.at(n, "%s is a whole number without leading zeros, not %s", what, n)
	}
	x, err := strconv.ParseInt(text, 10, 64)
	if err != nil || x < least || x > most {
		return 0, d.at(n, "%s %s is not within %d..%d", what, clip(text), least, most)
	}
	return x, nil
}

func (d *decoder) topicList(n *node) ([]strategy.Topic, error) {
	if n.kind != mapping {
		return nil, d.at(n, "topics is a mapping of names to numbers of partitions, not %s", n)
	}
	out := make([]strategy.Topic, 0, len(n.pairs))
	for _, p := range n.pairs {
		name, err := d.name(p.key, "a topic's name")
		if err != nil {
			return nil, err
		}
		t, err := d.topic(name, p.value)
		if err != nil {
			return nil, err
		}
		d.topics[name] = true
		d.subject(name, p.key)
		out = append(out, t)
	}
	return out, nil
}

func (d *decoder) topic(name string, n *node) (strategy.Topic, error) {
	t := strategy.Topic{Name: name}
	count := func(v *node) error {
		x, err := d.number(v, "a number of partitions", 0, strategy.MaxPartitions)
		t.Partitions = int32(x)
		return err
	}
	if n.kind != mapping {
		return t, count(n)
	}
	var partitions, racks, weights *node
	err := d.fields(n, "a topic", map[string]func(v *node) error{
		"partitions": func(v *node) error { partitions = v; return count(v) },
		"racks":      func(v *node) error { racks = v; return nil },
		"weights":    func(v *node) error { weights = v; return nil },
	})
	if err != nil {
		return t, err
	}
	if partitions == nil {
		return t, d.at(n, "topic %q does not say how many partitions it has", name)
	}
	if racks != nil {
		if t.Racks, err = facts(d, racks, "racks", &t, (*decoder).racks); err != nil {
			return t, err
		}
	}
	if weights != nil {
		t.Weights, err = facts(d, weights, "weights", &t, (*decoder).weight)
	}
	return t, err
}

// facts decodes a list of what is known about partitions, and repeats it where it is shorter than there are.
func facts[T any](d *decoder, n *node, what string, t *strategy.Topic, decode func(*decoder, *node) (T, error)) ([]T, error) {
	switch {
	case n.kind != list:
		return nil, d.at(n, "%s is a list with an item for each partition, not %s", what, n)
	case len(n.items) == 0 || t.Partitions == 0:
		return nil, nil
	case len(n.items) > int(t.Partitions):
		return nil, d.at(n, "%s has %d items for %d partitions", what, len(n.items), t.Partitions)
	}
	if d.facts += int(t.Partitions); d.facts > maxFacts {
		return nil, d.at(n, "racks and weights of more than %d partitions in all", maxFacts)
	}
	out := make([]T, t.Partitions)
	for i, item := range n.items {
		x, err := decode(d, item)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	for i := len(n.items); i < len(out); i++ {
		out[i] = out[i-len(n.items)]
	}
	return out, nil
}

func (d *decoder) racks(n *node) ([]string, error) {
	if n.kind != list {
		return nil, d.at(n, "the racks of a partition are a list, not %s", n)
	}
	return d.names(n, "a rack")
}

func (d *decoder) weight(n *node) (float64, error) {
	if n.kind == scalar && !n.quoted {
		w, err := strconv.ParseFloat(n.text, 64)
		if err == nil && w >= 0 && w <= strategy.MaxWeight {
			return w, nil
		}
	}
	return 0, d.at(n, "a weight is a number within 0..%v, not %s", strategy.MaxWeight, n)
}

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
		"labels": func(v *node) (err error) { m.Labels, err = d.labels(v); return err },
		"owned":  func(v *node) (err error) { m.Owned, err = d.owned(v); return err },
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
