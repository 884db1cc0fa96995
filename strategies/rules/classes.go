package rules

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/internal/expression"
	"github.com/assignkit/assignkit/strategy"
)

// each calls f once for each class of a topic's partitions that a rule cannot tell apart, with the variables set to the first of the class.
func (r *run) each(p *expression.Program, topic int, f func(class []int32) error) error {
	t := &r.t.Group.Topics[topic]
	base := int32(r.t.Base(topic))
	signals := p.LooksAt("partition.signals")
	for _, class := range classes(p, t) {
		r.partition.set(t, class[0], signals)
		for i := range class {
			class[i] += base
		}
		if err := f(class); err != nil {
			return err
		}
	}
	return nil
}

// classes sorts the partitions of a topic into those that a rule cannot tell apart, in the order of their first ones.
func classes(p *expression.Program, t *strategy.Topic) [][]int32 {
	all := make([]int32, t.Partitions)
	for i := range all {
		all[i] = int32(i)
	}
	if len(all) == 0 {
		return nil
	}
	racks, leaders, numbers := len(t.Racks) > 0 && p.LooksAt("partition.racks"), len(t.LeaderRacks) > 0 && p.LooksAt("partition.leader_rack"), measured(p, t)
	switch {
	case p.LooksAt("partition.number"):
		list := make([][]int32, len(all))
		for i := range all {
			list[i] = all[i : i+1 : i+1]
		}
		return list
	case !racks && !leaders && len(numbers) == 0:
		return [][]int32{all}
	}
	number := map[string]int{} // by all that the rule looks at
	var key []byte
	var list [][]int32
	for _, i := range all {
		key = key[:0]
		for _, n := range numbers {
			key = binary.NativeEndian.AppendUint64(key, math.Float64bits(n[i]))
		}
		if leaders {
			key = append(append(key, t.LeaderRacks[i]...), 0)
		}
		if racks {
			for _, rack := range t.Racks[i] {
				key = append(append(key, rack...), 0)
			}
		}
		n, known := number[string(key)]
		if !known {
			n = len(list)
			number[string(key)] = n
			list = append(list, nil)
		}
		list[n] = append(list[n], i)
	}
	return list
}

// measured returns the lists of numbers about a topic's partitions that a rule looks at.
func measured(p *expression.Program, t *strategy.Topic) (numbers [][]float64) {
	add := func(list []float64) {
		if len(list) > 0 {
			numbers = append(numbers, list)
		}
	}
	lag, weights := t.Signals[strategy.SignalLag], p.LooksAt("partition.weight")
	if p.LooksAt("partition.lag") {
		add(lag)
		weights = weights || len(lag) == 0
	}
	if weights {
		add(t.Weights)
	}
	if p.LooksAt("partition.rate") {
		add(t.Signals[strategy.SignalRate])
	}
	if p.LooksAt("partition.active") { // 0 or not, however much
		list := slices.Clone(t.Signals[strategy.SignalActive])
		for i, x := range list {
			if x != 0 {
				list[i] = 1
			}
		}
		add(list)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Signals)) {
		if p.LooksAt("partition.signals." + name) {
			add(t.Signals[name])
		}
	}
	return numbers
}

// kinds numbers the members by what a rule can tell of them: members of one number give the same result.
func (r *run) kinds(p *expression.Program) (of []int32, count int) {
	members := r.t.Group.Members
	of = make([]int32, len(members))
	if !p.LooksAt("member") {
		return of, 1
	}
	if p.LooksAt("member.id") || p.LooksAt("member.instance") {
		for m := range of {
			of[m] = int32(m)
		}
		return of, len(of)
	}
	number := map[string]int32{}
	var key strings.Builder
	for m := range members {
		key.Reset()
		r.describe(&key, p, &members[m])
		n, known := number[key.String()]
		if !known {
			n = int32(len(number))
			number[key.String()] = n
		}
		of[m] = n
	}
	return of, len(number)
}

// describe writes what a rule looks at of a member.
func (r *run) describe(b *strings.Builder, p *expression.Program, m *strategy.Member) {
	if p.LooksAt("member.rack") {
		fmt.Fprintf(b, "%q", m.Rack)
	}
	if p.LooksAt("member.capacity") {
		fmt.Fprintf(b, "%d;", m.Share())
	}
	if p.LooksAt("member.topics") {
		fmt.Fprintf(b, "%q", m.Topics)
	}
	if p.LooksAt("member.labels") {
		names := make([]string, 0, len(m.Labels))
		for name := range m.Labels {
			if p.LooksAt("member.labels." + name) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			fmt.Fprintf(b, "%q:%q", name, m.Labels[name])
		}
	}
	if p.LooksAt("member.uptime") {
		fmt.Fprintf(b, "%d;", m.Uptime)
	}
	if p.LooksAt("member.signals") {
		for _, name := range slices.Sorted(maps.Keys(m.Signals)) {
			if p.LooksAt("member.signals." + name) {
				fmt.Fprintf(b, "%q=%v;", name, m.Signals[name])
			}
		}
	}
	if host, ok := m.Labels[hostLabel]; ok && p.LooksAt("member.host") {
		fmt.Fprintf(b, "%q", host)
	}
}
