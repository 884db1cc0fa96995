package simulation

import (
	"strconv"

	"github.com/assignkit/assignkit/strategy"
)

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
	var partitions, racks, weights, leaders, signals *node
	err := d.fields(n, "a topic", map[string]func(v *node) error{
		"partitions":   func(v *node) error { partitions = v; return count(v) },
		"racks":        func(v *node) error { racks = v; return nil },
		"weights":      func(v *node) error { weights = v; return nil },
		"leader_racks": func(v *node) error { leaders = v; return nil },
		"signals":      func(v *node) error { signals = v; return nil },
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
		if t.Weights, err = facts(d, weights, "weights", &t, (*decoder).weight); err != nil {
			return t, err
		}
	}
	if leaders != nil {
		if t.LeaderRacks, err = facts(d, leaders, "leader_racks", &t, (*decoder).leaderRack); err != nil {
			return t, err
		}
	}
	if signals != nil {
		t.Signals, err = d.topicSignals(signals, &t)
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
		return nil, d.at(n, "racks, weights and signals of more than %d partitions in all", maxFacts)
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
	if w, ok := float(n); ok && w >= 0 && w <= strategy.MaxWeight {
		return w, nil
	}
	return 0, d.at(n, "a weight is a number within 0..%v, not %s", strategy.MaxWeight, n)
}

// float is the number that a value is, if it is one.
func float(n *node) (float64, bool) {
	if n.kind != scalar || n.quoted {
		return 0, false
	}
	x, err := strconv.ParseFloat(n.text, 64)
	return x, err == nil
}

// leaderRack decodes a rack, or nothing where it is not known.
func (d *decoder) leaderRack(n *node) (string, error) {
	if n.kind == null {
		return "", nil
	}
	return d.name(n, "a rack")
}

func (d *decoder) topicSignals(n *node, t *strategy.Topic) (map[string][]float64, error) {
	signals := map[string][]float64{}
	err := d.byName(n, func(name string, v *node) error {
		list, err := facts(d, v, "signal "+clip(name), t, (*decoder).signal)
		if len(list) > 0 {
			signals[name] = list
		}
		return err
	})
	return signals, err
}

// byName decodes a mapping of names of signals.
func (d *decoder) byName(n *node, f func(name string, v *node) error) error {
	if n.kind != mapping {
		return d.at(n, "signals is a mapping of names to what was measured, not %s", n)
	}
	for _, p := range n.pairs {
		name, err := d.name(p.key, "a signal's name")
		if err != nil {
			return err
		}
		if err := f(name, p.value); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) signal(n *node) (float64, error) {
	if x, ok := float(n); ok && isSignal(x) {
		return x, nil
	}
	return 0, d.at(n, "a signal is a number within ±%v, not %s", strategy.MaxWeight, n)
}

// measure decodes what is known of topics from now on.
func (d *decoder) measure(n *node) (Event, error) {
	if n.kind != mapping || len(n.pairs) == 0 {
		return nil, d.at(n, "measure is a mapping of topics to their weights and signals, not %s", n)
	}
	e := Measure{Topics: make(map[string]Measured, len(n.pairs))}
	for _, p := range n.pairs {
		var m Measured
		err := d.fields(p.value, "what is measured", map[string]func(v *node) error{
			"weights": func(v *node) (err error) { m.Weights, err = d.numbers(v, "weights", (*decoder).weight); return err },
			"signals": func(v *node) error {
				m.Signals = map[string]Numbers{}
				return d.byName(v, func(name string, v *node) (err error) {
					m.Signals[name], err = d.numbers(v, "signal "+clip(name), (*decoder).signal)
					return err
				})
			},
		})
		if err != nil {
			return nil, err
		}
		d.subject(p.key.text, p.key)
		e.Topics[p.key.text] = m
	}
	return e, nil
}

// numbers decodes a list for all partitions, or a mapping of some.
func (d *decoder) numbers(n *node, what string, decode func(*decoder, *node) (float64, error)) (Numbers, error) {
	switch n.kind {
	case list:
		all := make([]float64, len(n.items))
		for i, item := range n.items {
			x, err := decode(d, item)
			if err != nil {
				return Numbers{}, err
			}
			all[i] = x
		}
		return Numbers{All: all}, nil
	case mapping:
		some := make(map[int32]float64, len(n.pairs))
		for _, p := range n.pairs {
			partition, err := d.number(p.key, "a partition", 0, strategy.MaxPartitions-1)
			if err != nil {
				return Numbers{}, err
			}
			if some[int32(partition)], err = decode(d, p.value); err != nil {
				return Numbers{}, err
			}
		}
		return Numbers{Some: some}, nil
	}
	return Numbers{}, d.at(n, "%s is a list with an item for each partition, or a mapping of some partitions, not %s", what, n)
}
