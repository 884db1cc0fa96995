package groupjson

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/assignkit/assignkit/strategy"
)

// AppendGroup appends the line for a group, without a newline, in the group's own order. [Decode] reads it back, unless the group
// lists a topic or a member twice. The notation has no place for the group's name, generation and leader, for user data, and for the
// capacity of a draining member.
func AppendGroup(dst []byte, g *strategy.Group) []byte {
	dst = append(dst, `{"topics":{`...)
	racks, weights := 0, 0
	for i := range g.Topics {
		t := &g.Topics[i]
		dst = appendKey(dst, i, t.Name)
		dst = strconv.AppendInt(dst, int64(t.Partitions), 10)
		racks += len(t.Racks)
		weights += len(t.Weights)
	}
	dst = append(dst, `},"members":[`...)
	for i := range g.Members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendMember(dst, &g.Members[i])
	}
	dst = append(dst, ']')
	if racks > 0 {
		dst = append(dst, `,"racks":`...)
		dst = appendFacts(dst, g, func(dst []byte, t *strategy.Topic) []byte {
			return appendList(dst, t.Racks, appendStrings)
		}, func(t *strategy.Topic) bool { return len(t.Racks) > 0 })
	}
	if weights > 0 {
		dst = append(dst, `,"weights":`...)
		dst = appendFacts(dst, g, func(dst []byte, t *strategy.Topic) []byte {
			return appendList(dst, t.Weights, appendFloat)
		}, func(t *strategy.Topic) bool { return len(t.Weights) > 0 })
	}
	return append(dst, '}')
}

func appendFacts(dst []byte, g *strategy.Group, write func([]byte, *strategy.Topic) []byte, has func(*strategy.Topic) bool) []byte {
	dst = append(dst, '{')
	n := 0
	for i := range g.Topics {
		if t := &g.Topics[i]; has(t) {
			dst = write(appendKey(dst, n, t.Name), t)
			n++
		}
	}
	return append(dst, '}')
}

func appendMember(dst []byte, m *strategy.Member) []byte {
	dst = append(dst, `{"id":`...)
	dst = AppendString(dst, m.ID)
	text := func(key, value string) {
		if value != "" {
			dst = AppendString(appendKey(dst, 1, key), value)
		}
	}
	text("instance", m.InstanceID)
	text("rack", m.Rack)
	dst = appendStrings(append(dst, `,"topics":`...), m.Topics)
	if len(m.Owned) > 0 {
		dst = append(dst, `,"owned":`...)
		dst = append(dst, '{')
		for i, tp := range m.Owned { // in the order in which it was claimed
			dst = appendNumbers(appendKey(dst, i, tp.Topic), tp.Partitions)
		}
		dst = append(dst, '}')
	}
	if m.Generation != strategy.NoGeneration {
		dst = strconv.AppendInt(append(dst, `,"generation":`...), int64(m.Generation), 10)
	}
	switch {
	case m.Draining:
		dst = append(dst, `,"capacity":0`...)
	case m.Capacity != 0:
		dst = strconv.AppendInt(append(dst, `,"capacity":`...), int64(m.Capacity), 10)
	}
	if len(m.Labels) > 0 {
		dst = append(dst, `,"labels":{`...)
		for i, key := range slices.Sorted(maps.Keys(m.Labels)) {
			dst = AppendString(appendKey(dst, i, key), m.Labels[key])
		}
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

func appendList[T any](dst []byte, list []T, write func([]byte, T) []byte) []byte {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = write(dst, v)
	}
	return append(dst, ']')
}

func appendStrings(dst []byte, list []string) []byte { return appendList(dst, list, AppendString) }

func appendFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) { // not in a group that passes its check
		return append(dst, "null"...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}
