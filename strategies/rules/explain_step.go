package rules

import (
	"fmt"
	"slices"

	"github.com/assignkit/assignkit/internal/balance/weighted"
	"github.com/assignkit/assignkit/strategy"
)

// correct says what the solver knows better than what follows from the answer: by which step the partition came to where it is, or
// why it stays.
func (x *explainer) correct() {
	k, moved := slices.BinarySearchFunc(x.got.Moves, int32(x.number), func(m weighted.Move, i int32) int { return int(m.Partition - i) })
	if !moved {
		if x.e.Decided == strategy.ObjectiveUnknown {
			x.stays()
		}
		return
	}
	m := &x.got.Moves[k]
	switch m.Reason {
	case weighted.Joined:
		x.say(strategy.ObjectiveTogether, "%s has %s, as what moves along with it is there.", x.name(x.holder), x.partition())
	case weighted.Made:
		x.say(strategy.ObjectiveLimit, "%s gets %s, which made room for another partition that only fits where it was, within the limit.", x.name(x.holder), x.partition())
	case weighted.Shed, weighted.Swapped, weighted.Chained, weighted.Divided:
		x.say(strategy.ObjectiveBalance, "%s moves from %s to %s, as %s had more than its share%s.%s", x.partition(), x.name(m.Giver), x.name(m.To), x.name(m.Member),
			how(m.Reason), x.loads(m))
	case weighted.Pulled:
		x.say(strategy.ObjectiveBalance, "%s moves from %s to %s, as %s had less than its share.%s", x.partition(), x.name(m.Giver), x.name(m.To), x.name(m.Member), x.loads(m))
	case weighted.Returned:
		x.say(strategy.ObjectiveMovement, "%s goes to %s, so that another partition can stay with its owner.", x.partition(), x.name(m.To))
	default:
		if x.e.Decided == strategy.ObjectiveUnknown {
			x.e.Decided = strategy.ObjectiveBalance
			x.e.Why += " Those without owner are placed the heaviest first, and all of them were considered together."
		}
	}
}

// how tells the steps of one reason apart.
func how(r weighted.Reason) string {
	switch r {
	case weighted.Swapped:
		return ", and got something lighter for it"
	case weighted.Chained:
		return ", and who got it passed something on in turn"
	case weighted.Divided:
		return ", and all that the two have was divided anew"
	}
	return ""
}

// say replaces what was concluded. What was at its owner's and may not stay there keeps that as what decided.
func (x *explainer) say(o strategy.Objective, format string, args ...any) {
	if before := x.e.Find(x.e.Before); before != nil && before.Barred != "" && x.e.Before != x.name(x.holder) {
		x.e.Why += " " + fmt.Sprintf(format, args...)
		return
	}
	x.e.Decided, x.e.Why = o, fmt.Sprintf(format, args...)
}

func (x *explainer) name(m int32) string {
	if m < 0 {
		return "nobody"
	}
	return x.t.Group.Members[m].ID
}

func (x *explainer) partition() string { return fmt.Sprintf("%s-%d", x.e.Topic, x.e.Partition) }

// loads says what the step of a move has changed.
func (x *explainer) loads(m *weighted.Move) string {
	number := func(load int64) string {
		if x.p.Weight == nil {
			return brief(float64(load))
		}
		return brief(float64(load) * x.weightUnit)
	}
	if m.Giver < 0 {
		return ""
	}
	return fmt.Sprintf(" In that step the load of %s went from %s to %s, and that of %s from %s to %s.", x.name(m.Giver),
		number(m.GiverLoad[0]), number(m.GiverLoad[1]), x.name(m.To), number(m.ToLoad[0]), number(m.ToLoad[1]))
}

// stays finds out why a partition stays though loads would be more even with another member: by solving without tolerance, and
// without the bound of moves.
func (x *explainer) stays() {
	o := x.config.options()
	elsewhere := func(change func(*weighted.Options)) (to int32, moves bool, others int64) {
		other := o
		change(&other)
		r, err := weighted.Solve(x.ctx, x.p, other)
		if err != nil || r.Owner[x.number] < 0 {
			return x.holder, false, 0
		}
		return r.Owner[x.number], r.Owner[x.number] != x.holder, r.Voluntary - x.got.Voluntary
	}
	add := func(decided strategy.Objective, format string, args ...any) {
		x.e.Decided = decided
		x.e.Why += " " + fmt.Sprintf(format, args...)
	}
	if x.got.Stopped != "" {
		add(strategy.ObjectiveBudget, "The solver's budget of work ended before that was found.")
		return
	}
	if o.MaxMoves != 0 {
		switch to, moves, others := elsewhere(func(o *weighted.Options) { o.MaxMoves = 0 }); {
		case moves:
			add(strategy.ObjectiveMaxMoves, "max_moves is %d; without that bound %s would get it.", max(0, o.MaxMoves), x.name(to))
			return
		case others > 0:
			add(strategy.ObjectiveMaxMoves, "max_moves is %d; without that bound others would move and this one would stay, %d more in all.", max(0, o.MaxMoves), others)
			return
		}
	}
	if to, moves, _ := elsewhere(func(o *weighted.Options) { o.Strict = true }); moves {
		add(strategy.ObjectiveTolerance, "The difference is within what tolerance and hysteresis leave alone; with neither, %s would get it.", x.name(to))
		return
	}
	if x.p.Prefer == nil && o.MaxMoves == 0 {
		add(strategy.ObjectiveBalance, "Solved without tolerance it stays as well: what counts is the highest load, which this would not lower.")
		return
	}
	add(strategy.ObjectiveMovement, "Solved without tolerance it stays as well: what evens the loads are other moves.")
}
