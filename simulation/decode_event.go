package simulation

import (
	"maps"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/strategy"
)

// events decodes the list of events.
func (d *decoder) events(n *node) ([]Event, error) {
	if n.kind == null {
		return nil, nil
	}
	if n.kind != list {
		return nil, d.at(n, "events is a list, not %s", n)
	}
	if len(n.items) >= MaxSteps {
		return nil, d.at(n, "more than %d steps in all", MaxSteps)
	}
	out := make([]Event, 0, len(n.items))
	for _, item := range n.items {
		e, err := d.event(item)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// eventKinds is what decodes each kind of event.
var eventKinds = map[string]func(d *decoder, n *node) (Event, error){
	"join":    (*decoder).join,
	"leave":   func(d *decoder, n *node) (Event, error) { p, err := d.patterns(n, "leave"); return Leave{p}, err },
	"deploy":  (*decoder).deploy,
	"restart": func(d *decoder, n *node) (Event, error) { p, err := d.patterns(n, "restart"); return Restart{p}, err },
	"grow":    (*decoder).grow,
	"create":  func(d *decoder, n *node) (Event, error) { t, err := d.topicList(n); return Create{t}, err },
	"delete":  (*decoder).delete,
	"set":     (*decoder).set,
	"measure": (*decoder).measure,
}

func (d *decoder) event(n *node) (Event, error) {
	names := sorted(slices.Collect(maps.Keys(eventKinds)))
	d.begin(n)
	switch {
	case n.kind != mapping:
		return nil, d.at(n, "an event is one of %s with what it is about, not %s", strings.Join(names, ", "), n)
	case len(n.pairs) != 1:
		second := n
		if len(n.pairs) > 1 {
			second = n.pairs[1].key
		}
		return nil, d.at(second, "an event is one of %s; this has %d fields", strings.Join(names, ", "), len(n.pairs))
	}
	p := n.pairs[0]
	decode, ok := eventKinds[p.key.text]
	if !ok {
		hint := nearest(p.key.text, names)
		if hint == "" {
			hint = "; there are " + strings.Join(names, ", ")
		}
		return nil, d.at(p.key, "no event %q%s", clip(p.key.text), hint)
	}
	if p.value.kind == null {
		return nil, d.at(p.value, "%s does not say what it is about", p.key.text)
	}
	return decode(d, p.value)
}

// patterns decodes the members that an event is about.
func (d *decoder) patterns(n *node, what string) ([]string, error) {
	list := items(n)
	if len(list) == 0 {
		return nil, d.at(n, "%s names no members", what)
	}
	out := make([]string, len(list))
	for i, item := range list {
		if isCount(item) {
			return nil, d.at(item, "%s takes ids or patterns of members, not a number; an id such as this has to be quoted", what)
		}
		p, err := d.name(item, "a pattern")
		if err != nil {
			return nil, err
		}
		if _, err := matches(p, ""); err != nil {
			return nil, d.at(item, "pattern %q is malformed", clip(p))
		}
		d.subject(p, item)
		out[i] = p
	}
	return out, nil
}

func (d *decoder) join(n *node) (Event, error) {
	if isCount(n) {
		x, err := d.number(n, "a number of members", 1, MaxMembers)
		return Join{Count: int(x)}, err
	}
	members, err := d.members(n, false)
	if err == nil && len(members) == 0 {
		return nil, d.at(n, "join names no members")
	}
	return Join{Members: members}, err
}

func (d *decoder) deploy(n *node) (Event, error) {
	var e Deploy
	if n.kind != mapping {
		p, err := d.patterns(n, "deploy")
		return Deploy{Members: p}, err
	}
	var surge, unavailable *node
	count := func(v *node, at **node, to *int, what string) error {
		*at = v
		x, err := d.number(v, what, 0, MaxMembers)
		*to = int(x)
		return err
	}
	err := d.fields(n, "deploy", map[string]func(v *node) error{
		"members":         func(v *node) (err error) { e.Members, err = d.patterns(v, "deploy"); return err },
		"surge":           func(v *node) error { return count(v, &surge, &e.Surge, "surge") },
		"max_unavailable": func(v *node) error { return count(v, &unavailable, &e.MaxUnavailable, "max_unavailable") },
	})
	switch {
	case err != nil:
		return nil, err
	case e.Members == nil:
		return nil, d.at(n, "deploy does not say which members")
	case unavailable != nil && e.MaxUnavailable == 0 && e.Surge == 0:
		return nil, d.at(unavailable, "deploy with max_unavailable 0 and without surge would never replace anybody")
	}
	return e, nil
}

func (d *decoder) grow(n *node) (Event, error) {
	if n.kind != mapping || len(n.pairs) == 0 {
		return nil, d.at(n, "grow is a mapping of topics to their new numbers of partitions, not %s", n)
	}
	e := Grow{Topics: make(map[string]int32, len(n.pairs))}
	for _, p := range n.pairs {
		x, err := d.number(p.value, "a number of partitions", 0, strategy.MaxPartitions)
		if err != nil {
			return nil, err
		}
		d.subject(p.key.text, p.value)
		e.Topics[p.key.text] = int32(x)
	}
	return e, nil
}

func (d *decoder) delete(n *node) (Event, error) {
	topics, err := d.names(n, "a topic's name")
	if err != nil {
		return nil, err
	}
	if len(topics) == 0 {
		return nil, d.at(n, "delete names no topics")
	}
	if n.kind == list {
		for _, item := range n.items {
			d.subject(item.text, item)
		}
	} else {
		d.subject(n.text, n)
	}
	return Delete{Topics: topics}, nil
}

func (d *decoder) set(n *node) (Event, error) {
	var e Set
	err := d.fields(n, "set", map[string]func(v *node) error{
		"member": func(v *node) (err error) { e.Members, err = d.patterns(v, "set"); return err },
		"capacity": func(v *node) error {
			c, err := d.capacity(v)
			e.Capacity = &c
			return err
		},
		"rack": func(v *node) error {
			rack, err := d.name(v, "a rack")
			e.Rack = &rack
			return err
		},
		"topics": func(v *node) (err error) { e.Topics, err = d.subscription(v); return err },
		"labels": func(v *node) (err error) { e.Labels, err = d.labels(v); return err },
		"uptime": func(v *node) error {
			uptime, err := d.uptime(v)
			e.Uptime = &uptime
			return err
		},
		"signals": func(v *node) (err error) { e.Signals, err = d.memberSignals(v); return err },
	})
	switch {
	case err != nil:
		return nil, err
	case e.Members == nil:
		return nil, d.at(n, "set does not say which member")
	}
	return e, nil
}
