package groupjson

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// AppendGroup appends the line for a group, without a newline, in the group's own order. [Decode] reads it back, unless the group
// lists a topic or a member twice. The notation has no place for the group's name, generation and leader, for user data, and for the
// capacity of a draining member.
func AppendGroup(dst []byte, g *strategy.Group) []byte {
	dst = append(dst, `{"topics":{`...)
	racks, weights, leaders := false, false, false
	signals := map[string]bool{}
	for i := range g.Topics {
		t := &g.Topics[i]
		dst = appendKey(dst, i, t.Name)
		dst = strconv.AppendInt(dst, int64(t.Partitions), 10)
		racks = racks || len(t.Racks) > 0
		weights = weights || len(t.Weights) > 0
		leaders = leaders || len(t.LeaderRacks) > 0
		for name, list := range t.Signals {
			if len(list) > 0 {
				signals[name] = true
			}
		}
	}
	dst = append(dst, `},"members":[`...)
	for i := range g.Members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendMember(dst, &g.Members[i])
	}
	dst = append(dst, ']')
	if racks {
		dst = appendFacts(append(dst, `,"racks":`...), g, func(t *strategy.Topic) [][]string { return t.Racks }, appendStrings)
	}
	if weights {
		dst = appendFacts(append(dst, `,"weights":`...), g, func(t *strategy.Topic) []float64 { return t.Weights }, appendFloat)
	}
	if leaders {
		dst = appendFacts(append(dst, `,"leader_racks":`...), g, func(t *strategy.Topic) []string { return t.LeaderRacks }, AppendString)
	}
	if len(signals) > 0 {
		dst = append(dst, `,"signals":{`...)
		for i, name := range slices.Sorted(maps.Keys(signals)) {
			dst = appendFacts(appendKey(dst, i, name), g, func(t *strategy.Topic) []float64 { return t.Signals[name] }, appendFloat)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// appendFacts appends an object of what is known of topics, a list for each topic of which something is.
func appendFacts[T any](dst []byte, g *strategy.Group, of func(*strategy.Topic) []T, write func([]byte, T) []byte) []byte {
	dst = append(dst, '{')
	n := 0
	for i := range g.Topics {
		if list := of(&g.Topics[i]); len(list) > 0 {
			dst = appendList(appendKey(dst, n, g.Topics[i].Name), list, write)
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
	if m.Uptime != 0 {
		dst = appendSeconds(append(dst, `,"uptime":`...), m.Uptime)
	}
	if len(m.Signals) > 0 {
		dst = append(dst, `,"signals":{`...)
		for i, name := range slices.Sorted(maps.Keys(m.Signals)) {
			dst = appendFloat(appendKey(dst, i, name), m.Signals[name])
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

// appendSeconds appends a duration, which is not negative, as a number of seconds, exactly.
func appendSeconds(dst []byte, d time.Duration) []byte {
	dst = strconv.AppendInt(dst, int64(d/time.Second), 10)
	if rest := d % time.Second; rest > 0 {
		dst = append(dst, strings.TrimRight(fmt.Sprintf(".%09d", rest), "0")...)
	}
	return dst
}

func appendFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) { // not in a group that passes its check
		return append(dst, "null"...)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}
