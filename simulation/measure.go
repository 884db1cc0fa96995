package simulation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/strategy"
)

// Measure has something else known of the partitions of topics from now on, with a rebalance.
type Measure struct{ Topics map[string]Measured }

// Measured is what is known of a topic's partitions from now on. What it does not name stays as it was.
type Measured struct {
	Weights Numbers
	Signals map[string]Numbers // by name
}

// Numbers are what partitions of a topic have. The zero value has nothing to say.
type Numbers struct {
	All  []float64         // of all partitions: a shorter list repeats, and one that is empty and not nil makes it unknown
	Some map[int32]float64 // instead of All: of some partitions, while the others keep theirs
}

func (n Numbers) isZero() bool { return n.All == nil && n.Some == nil }

func (e Measure) String() string {
	var list []string
	for _, topic := range slices.Sorted(maps.Keys(e.Topics)) {
		var what []string
		if !e.Topics[topic].Weights.isZero() {
			what = append(what, "weights")
		}
		what = append(what, slices.Sorted(maps.Keys(e.Topics[topic].Signals))...)
		list = append(list, fmt.Sprintf("%s of %s", strings.Join(what, " and "), topic))
	}
	return "measure " + enumerate(list)
}

func (e Measure) changes(*state) ([]change, error) {
	if len(e.Topics) == 0 {
		return nil, fail("", "names no topics")
	}
	for _, topic := range slices.Sorted(maps.Keys(e.Topics)) {
		if m := e.Topics[topic]; m.Weights.isZero() && len(m.Signals) == 0 {
			return nil, fail(topic, "topic %q: says nothing that is measured; there are signals, weights", topic)
		}
	}
	return []change{{text: e.String(), topics: func(t *state) error { return t.measure(e.Topics) }}}, nil
}

// measure enters what is known of topics.
func (t *state) measure(of map[string]Measured) error {
	if err := t.spend(len(t.topics)); err != nil {
		return err
	}
	topics := slices.Clone(t.topics)
	for _, name := range slices.Sorted(maps.Keys(of)) {
		i, err := t.topic(name)
		if err != nil {
			return err
		}
		if err := t.enter(&topics[i], of[name]); err != nil {
			return err
		}
		if err := checkTopic(&topics[i]); err != nil {
			return err
		}
	}
	return t.setTopics(topics)
}

func (t *state) enter(topic *strategy.Topic, m Measured) (err error) {
	if !m.Weights.isZero() {
		before := topic.Weights
		if len(before) == 0 && m.Weights.All == nil {
			before = slices.Repeat([]float64{1}, int(topic.Partitions)) // what each counts as
		}
		if topic.Weights, err = t.numbers(topic, "weights", m.Weights, before); err != nil {
			return err
		}
	}
	if len(m.Signals) == 0 {
		return nil
	}
	signals := make(map[string][]float64, len(topic.Signals)+len(m.Signals))
	maps.Copy(signals, topic.Signals)
	for _, name := range slices.Sorted(maps.Keys(m.Signals)) {
		if m.Signals[name].All == nil && len(signals[name]) == 0 {
			return fail(topic.Name, "topic %q: signal %q is not known of its partitions so far; list it for all of them first", topic.Name, name)
		}
		list, err := t.numbers(topic, fmt.Sprintf("signal %q", name), m.Signals[name], signals[name])
		if err != nil {
			return err
		}
		if signals[name] = list; len(list) == 0 {
			delete(signals, name)
		}
	}
	topic.Signals = signals
	return nil
}

// numbers returns what all partitions of a topic have, nil for nothing.
func (t *state) numbers(topic *strategy.Topic, what string, n Numbers, before []float64) ([]float64, error) {
	size := int(topic.Partitions)
	if err := t.spend(size); err != nil {
		return nil, err
	}
	if n.All != nil {
		if len(n.All) > size {
			return nil, fail(topic.Name, "topic %q: %s has %d items for %d partitions", topic.Name, what, len(n.All), size)
		}
		if len(n.All) == 0 || size == 0 {
			return nil, nil
		}
		return slices.Repeat(n.All, size/len(n.All)+1)[:size:size], nil
	}
	list := slices.Clone(before)
	for _, p := range slices.Sorted(maps.Keys(n.Some)) {
		if p < 0 || int(p) >= size {
			return nil, fail(topic.Name, "topic %q: %s of partition %d, of which there are %d", topic.Name, what, p, size)
		}
		list[p] = n.Some[p]
	}
	return list, nil
}
