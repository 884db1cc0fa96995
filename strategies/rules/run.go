package rules

import (
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/internal/balance/weighted"
	"github.com/assignkit/assignkit/internal/expression"
	"github.com/assignkit/assignkit/strategy"
)

// A run is one evaluation of all rules on a group.
type run struct {
	*Assignor
	t *strategy.Table
	e *expression.Evaluator

	// What the expressions see, set anew for each evaluation.
	member      memberVariables
	partition   partitionVariables
	group       groupVariables
	onMember    onMember
	onPartition onPartition
	onPair      onPair
}

func newRun(a *Assignor, t *strategy.Table, e *expression.Evaluator) *run {
	r := &run{Assignor: a, t: t, e: e}
	r.group.set(t.Group)
	with := base{reports: a.reports}
	e.Attach(&with.Env)
	r.onMember = onMember{with, &r.member, &r.group}
	r.onPartition = onPartition{with, &r.partition, &r.group}
	r.onPair = onPair{with, &r.member, &r.partition, &r.group}
	return r
}

// about adds to an error what the expression looked at.
func (r *run) about(err error, member, partition bool) error {
	var of []string
	if member {
		of = append(of, fmt.Sprintf("member %q", r.member.ID))
	}
	if partition {
		of = append(of, fmt.Sprintf("partition %s-%d", r.partition.Topic, r.partition.Number))
	}
	return fmt.Errorf("for %s: %w", strings.Join(of, ", "), err)
}

// check refuses a number that is out of range.
func check(rule *expression.Program, x, least, most float64) error {
	switch {
	case x >= least && x <= most:
		return nil
	case most == math.MaxFloat64:
		return rule.Unfit(x, fmt.Sprintf("a number from %v", least))
	}
	return rule.Unfit(x, fmt.Sprintf("a number from %v to %v", least, most))
}

// capacities fills in what members can carry. A draining member can carry nothing, whatever the rule says.
func (r *run) capacities(p *weighted.Problem) error {
	if r.capacity == nil {
		return nil
	}
	members := r.t.Group.Members
	list := make([]float64, len(members))
	some := false
	for m := range members {
		r.member.set(&members[m])
		x, err := r.e.Number(r.capacity, &r.onMember)
		if err == nil {
			err = check(r.capacity, x, 0, math.MaxFloat64)
		}
		if err != nil {
			return r.about(err, true, false)
		}
		if list[m] = x; members[m].Draining {
			list[m] = 0
		}
		some = some || list[m] > 0 || members[m].Draining
	}
	if !some && len(members) > 0 {
		r.reports.once("capacity", "all capacities are 0, so each member counts alike", slog.String("group", r.t.Group.Name))
	}
	p.Capacity = scaleCapacities(list)
	return nil
}

// limits fills in how many partitions members may have.
func (r *run) limits(p *weighted.Problem) error {
	if r.limit == nil {
		return nil
	}
	members := r.t.Group.Members
	p.Limits = make([]int32, len(members))
	for m := range members {
		r.member.set(&members[m])
		x, err := r.e.Number(r.limit, &r.onMember)
		if err == nil {
			err = check(r.limit, x, 0, math.MaxFloat64)
		}
		if err != nil {
			return r.about(err, true, false)
		}
		p.Limits[m] = int32(min(x, math.MaxInt32))
	}
	return nil
}

// units numbers what stays together, in the order of the first partitions.
func (r *run) units(p *weighted.Problem) error {
	if r.together == nil {
		return nil
	}
	p.Together = make([]int32, r.t.Len())
	number := map[string]int32{}
	for topic := range r.t.Group.Topics {
		err := r.each(r.together, topic, func(class []int32) error {
			key, err := r.e.Key(r.together, &r.onPartition)
			if err != nil {
				return r.about(err, false, true)
			}
			n, known := number[key]
			if !known {
				n = int32(len(number))
				number[key] = n
			}
			for _, i := range class {
				p.Together[i] = n
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eligibility fills in who may have what, unless everybody may have everything.
func (r *run) eligibility(p *weighted.Problem) error {
	if r.eligible == nil {
		return nil
	}
	words := p.Words()
	rows := make([]uint64, r.t.Len()*words)
	kinds, count := r.kinds(r.eligible)
	const yes, no = 1, 2
	results := make([]uint8, count) // of a class of partitions, by kind of member; 0: not evaluated yet
	row := make([]uint64, words)
	everything := true
	for topic := range r.t.Group.Topics {
		readers := r.t.Subscribers(topic)
		err := r.each(r.eligible, topic, func(class []int32) error {
			clear(results)
			clear(row)
			for _, m := range readers {
				result := &results[kinds[m]]
				if *result == 0 {
					r.member.set(&r.t.Group.Members[m])
					b, err := r.e.Bool(r.eligible, &r.onPair)
					if err != nil {
						return r.about(err, true, true)
					}
					if *result = no; b {
						*result = yes
					}
				}
				if *result == yes {
					row[m>>6] |= 1 << (m & 63)
				} else {
					everything = false
				}
			}
			for _, i := range class {
				copy(rows[int(i)*words:], row)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if !everything {
		p.Eligible = rows
	}
	return nil
}

// preferences fills in scores, a row for each class of partitions that has scores of its own, unless they are all the same.
func (r *run) preferences(p *weighted.Problem) error {
	if r.prefer == nil {
		return nil
	}
	members := len(r.t.Group.Members)
	class := make([]int32, r.t.Len())
	number := map[string]int32{}
	kinds, count := r.kinds(r.prefer)
	scores, known := make([]int32, count), make([]bool, count)
	row, text := make([]int32, members), make([]byte, 0, 4*members)
	var rows []int32
	for topic := range r.t.Group.Topics {
		readers := r.t.Subscribers(topic)
		err := r.each(r.prefer, topic, func(list []int32) error {
			clear(known)
			clear(row)
			text = text[:0]
			for _, m := range readers {
				kind := kinds[m]
				if !known[kind] {
					r.member.set(&r.t.Group.Members[m])
					x, err := r.e.Number(r.prefer, &r.onPair)
					if err == nil {
						err = check(r.prefer, x, -MaxPreference, MaxPreference)
					}
					if err != nil {
						return r.about(err, true, true)
					}
					scores[kind], known[kind] = int32(math.Round(x*1000)), true
				}
				row[m] = scores[kind]
			}
			for _, x := range row {
				text = append(text, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
			}
			n, seen := number[string(text)]
			if !seen {
				n = int32(len(number))
				number[string(text)] = n
				rows = append(rows, row...)
			}
			for _, i := range list {
				class[i] = n
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if slices.ContainsFunc(rows, func(x int32) bool { return x != 0 }) {
		p.Prefer, p.PreferClass = rows, class
	}
	return nil
}
