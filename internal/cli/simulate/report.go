package simulate

import (
	"fmt"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// many is from how many rows on a table is summarised.
const many = 40

// appendReport writes one case for people: all steps with their measures, what the last step changes, and a line for each strategy.
func (o *options) appendReport(dst []byte, c *outcomes) []byte {
	paper := o.paper()
	if c.name != "" {
		dst = paper.Append(dst, output.Bold, "case "+output.Clean(c.name))
		dst = append(dst, "\n\n"...)
	}
	dst = appendSteps(dst, c.results, paper, o.format == output.Wide, o.full)
	dst = append(dst, '\n')
	dst = o.appendChanges(dst, c.results, paper)
	for _, r := range c.results {
		dst = appendSummary(dst, r, paper)
	}
	return dst
}

// totals is what a strategy did over all steps.
type totals struct {
	voluntary, minimum, forced int
	bound                      bool
	moving                     int              // steps in which something moved
	where                      *simulation.Step // the last of them
}

func sum(r *simulation.Result) totals {
	var t totals
	for i := range r.Steps {
		m := &r.Steps[i].Metrics
		t.voluntary += m.Voluntary
		t.minimum += m.VoluntaryMinimum
		t.forced += m.Forced
		t.bound = t.bound || m.Bound
		if m.Voluntary+m.Forced > 0 {
			t.moving++
			t.where = &r.Steps[i]
		}
	}
	return t
}

// appendSummary writes the line about one strategy over all steps.
func appendSummary(dst []byte, r *simulation.Result, paper output.Paper) []byte {
	last := &r.Steps[len(r.Steps)-1].Metrics
	t := sum(r)
	dst = paper.Append(dst, output.Bold, output.Clean(r.Strategy))
	dst = append(dst, ": "...)
	switch moves := t.voluntary + t.forced; {
	case moves == 0 && len(r.Steps) == 1:
		dst = fmt.Appendf(dst, "%s on %s", output.Count(last.Partitions-last.Unassigned, "partition"), output.Count(last.Members, "member"))
	case moves == 0:
		dst = append(dst, "nothing moves"...)
	case t.moving == 1:
		dst = fmt.Appendf(dst, "%d of %s %s", moves, output.Count(partitions(t.where), "partition"), verb(moves, "moves", "move"))
	default:
		dst = fmt.Appendf(dst, "%s in %d steps", output.Count(moves, "move"), t.moving)
	}
	if t.moving > 0 {
		dst = fmt.Appendf(dst, " (%d voluntary, minimum %s%d", t.voluntary, atMost(t.bound), t.minimum)
		if t.forced > 0 {
			dst = fmt.Appendf(dst, "; %d forced", t.forced)
		}
		dst = append(dst, ')')
	}
	return append(appendBalance(dst, last, len(r.Steps) > 2, paper), '\n')
}

// appendBalance says how even a group is in the end.
func appendBalance(dst []byte, m *strategy.Metrics, several bool, paper output.Paper) []byte {
	if m.Members == 0 {
		return append(dst, ", nobody is left"...)
	}
	dst = fmt.Appendf(dst, ", skew %s, ", output.Number(m.Skew))
	if several {
		dst = append(dst, "in the end "...)
	}
	if m.Regret == 0 {
		dst = paper.Append(dst, output.Good, "optimal")
	} else {
		dst = paper.Append(dst, output.Changed, fmt.Sprintf("regret %s%s (%s%% above the optimum)",
			atMost(m.Bound), output.Number(m.Regret), output.Number(100*m.RegretRatio)))
	}
	if m.Unassigned > 0 {
		dst = append(dst, ", "...)
		dst = paper.Append(dst, output.Bad, fmt.Sprintf("%d unassigned", m.Unassigned))
	}
	return dst
}

func verb(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// atMost marks a number that is only known to be no more than what is shown.
func atMost(bound bool) string {
	if bound {
		return "<="
	}
	return ""
}
