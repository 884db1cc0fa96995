package simulate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// appendSummary writes what there is to say about one strategy over all steps.
func appendSummary(dst []byte, r *simulation.Result, paper output.Paper) []byte {
	start, events := &r.Steps[0], r.Steps[1:]
	last := &r.Steps[len(r.Steps)-1]
	total := sum(events)
	pieces := []output.Cell{{Text: output.Clean(r.Strategy), Style: output.Bold}, {Text: ": "}}
	add := func(text string) { pieces = append(pieces, output.Cell{Text: text}) }
	bound := slices.ContainsFunc(r.Steps, func(s simulation.Step) bool { return s.Metrics.Bound })
	if len(events) == 0 {
		add(atRest(start, bound))
	} else {
		add(movement(events, &total, bound))
		if n := len(start.Moved); n > 0 {
			add(fmt.Sprintf(", and %d at the start", n))
		}
	}
	switch {
	case len(events) < 2 || total.Rounds == 0:
		add(", ")
	default:
		w := worst(events)
		add(fmt.Sprintf("; at worst max %s, min %s, skew %s; ", output.Number(w.max), output.Number(w.min), output.Number(w.skew)))
		if last.Metrics.Members > 0 {
			add("in the end ")
		}
	}
	pieces = append(pieces, balance(last)...)
	if text := stopped(r.Steps); text != "" {
		pieces = append(pieces, output.Cell{Text: "; "}, output.Cell{Text: text, Style: output.Changed})
	}
	return append(paper.Wrap(dst, pieces...), '\n')
}

// stopped says where a strategy had to leave something undone.
func stopped(steps []simulation.Step) string {
	n, at := 0, ""
	for i := range steps {
		if s := steps[i].Assignment.Stopped; s != "" {
			n++
			at = s
		}
	}
	switch {
	case n == 0:
		return ""
	case len(steps) == 1:
		return "its budget of work ended at " + at
	}
	return fmt.Sprintf("its budget of work ended in %d of %d steps, last at %s", n, len(steps), at)
}

// atRest is about a group to which nothing happens.
func atRest(start *simulation.Step, bound bool) string {
	if n := len(start.Moved); n > 0 {
		t := sum([]simulation.Step{*start})
		return fmt.Sprintf("%s at the start%s", ofAll(n, start), reasons(&t, bound))
	}
	m := &start.Metrics
	return output.Count(m.Partitions-m.Unassigned, "partition") + " on " + output.Count(m.Members, "member")
}

// movement says what moves in the steps after the start, and in how many rebalances.
func movement(events []simulation.Step, t *totals, bound bool) string {
	text := "nothing moves"
	switch moves := t.moves(); {
	case moves == 0 && t.Placed > 0:
		text = fmt.Sprintf("%d newly placed", t.Placed)
	case moves > 0 && t.Steps == 1:
		text = ofAll(moves, &events[0])
	case moves > 0:
		text = output.Count(moves, "move")
	case t.Rounds == 0:
		text += ", no rebalance"
	}
	if t.Rounds > 1 || t.Rounds == 1 && t.Steps > 1 {
		text += " in " + output.Count(t.Rounds, "rebalance")
	}
	if t.moves() > 0 {
		text += reasons(t, bound)
		if t.Placed > 0 {
			text += fmt.Sprintf(", %d newly placed", t.Placed)
		}
	}
	return text
}

func ofAll(moves int, s *simulation.Step) string {
	verb := "move"
	if moves == 1 {
		verb = "moves"
	}
	return fmt.Sprintf("%d of %s %s", moves, output.Count(partitions(s), "partition"), verb)
}

// reasons tells moves that had to be from others. With weights nobody knows how many had to be.
func reasons(t *totals, bound bool) string {
	text := fmt.Sprintf(" (%d voluntary", t.Voluntary)
	if !bound {
		text += fmt.Sprintf(", minimum %d", t.VoluntaryMinimum)
	}
	if t.Forced > 0 {
		text += fmt.Sprintf("; %d forced", t.Forced)
	}
	return text + ")"
}

// balance says how even a group is in the end, and what nobody reads.
func balance(s *simulation.Step) []output.Cell {
	m := &s.Metrics
	if m.Members == 0 {
		return []output.Cell{{Text: "nobody is left"}}
	}
	out := []output.Cell{{Text: "skew " + output.Number(m.Skew) + ", "}}
	regret, above := output.Number(m.Regret), output.Number(100*m.RegretRatio)
	switch {
	case m.Regret == 0: // also where only a bound is known: nothing is below it
		out = append(out, output.Cell{Text: "optimal", Style: output.Good})
	case m.Bound:
		out = append(out, output.Cell{Text: fmt.Sprintf("regret %s against a lower bound (%s%% above it)", regret, above), Style: output.Changed})
	default:
		out = append(out, output.Cell{Text: fmt.Sprintf("regret %s (%s%% above the optimum)", regret, above), Style: output.Changed})
	}
	if m.Unassigned > 0 {
		text := fmt.Sprintf("%d unassigned%s", m.Unassigned, whyUnassigned(s.Assignment.Unassigned))
		out = append(out, output.Cell{Text: ", "}, output.Cell{Text: text, Style: output.Bad})
	}
	return out
}

// whyUnassigned counts the reasons, if there are several.
func whyUnassigned(list []strategy.Unassigned) string {
	counts := map[strategy.Reason]int{}
	for i := range list {
		counts[list[i].Reason]++
	}
	var parts []string
	for _, reason := range strategy.Reasons() {
		switch n := counts[reason]; {
		case n == len(list) && n > 0:
			return ": " + string(reason)
		case n > 0:
			parts = append(parts, fmt.Sprintf("%d %s", n, reason))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}
