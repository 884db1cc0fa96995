package simulate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/simulation"
)

// An aspect is what a measure is about. Measures of one stay together where a table does not fit the paper.
type aspect uint8

const (
	evenness aspect = iota
	moving
	faults
)

// A measure is a column of the table of steps.
type measure struct {
	title string
	help  string // in lines that fit a terminal
	about aspect
	wide  bool // only shown in the format wide, and only where it is not 0 throughout
	cell  func(*simulation.Step) output.Cell
}

// docs/scenarios.md says what is behind them.
var measures = []measure{
	{"MAX", "the largest load: a member's partitions, or their\nweight, over its capacity", evenness, false, number(func(s *simulation.Step) float64 { return s.Metrics.Max })},
	{"MIN", "the smallest", evenness, false, number(func(s *simulation.Step) float64 { return s.Metrics.Min })},
	{"MEAN", "the mean load", evenness, true, number(func(s *simulation.Step) float64 { return s.Metrics.Mean })},
	{"SKEW", "the difference of MAX and MIN", evenness, false, number(func(s *simulation.Step) float64 { return s.Metrics.Skew })},
	{"CV", "the loads' coefficient of variation", evenness, true, number(func(s *simulation.Step) float64 { return s.Metrics.CV })},
	{"JAIN", "Jain's index of the loads", evenness, true, number(func(s *simulation.Step) float64 { return s.Metrics.Jain })},
	{"REGRET", "how far the squares of the loads lie above the least possible;\n\"<=\" where weights allow only to say so much", evenness, false, regret},
	{"TOPIC SKEW", "the largest difference of one topic's partitions between two of\nits readers", evenness, true,
		count(func(s *simulation.Step) int { return s.Metrics.TopicSkew })},
	{"VOLUNTARY", "partitions that move although their owner could keep them", moving, false, voluntary},
	{"MINIMUM", "the fewest voluntary moves that make the loads as even as can\nbe; \"-\" with weights, as nobody knows", moving, false,
		unlessBound(func(s *simulation.Step) int { return s.Metrics.VoluntaryMinimum })},
	{"EXCESS", "voluntary moves above the minimum", moving, true, unlessBound(func(s *simulation.Step) int { return s.Metrics.Excess })},
	{"FORCED", "partitions whose owner is gone or no longer wants them", moving, false, count(func(s *simulation.Step) int { return s.Metrics.Forced })},
	{"PLACED", "partitions that nobody had before", moving, true, count(func(s *simulation.Step) int { return s.Metrics.Placed })},
	{"ROUNDS", "rebalances that it takes", moving, false, count(func(s *simulation.Step) int { return s.Rounds })},
	{"UNASSIGNED", "partitions that nobody gets, though somebody reads the topic", faults, true, trouble(func(s *simulation.Step) int { return s.Metrics.Unassigned })},
	{"RACK MISSES", "partitions at a member in none of their racks", faults, true, count(func(s *simulation.Step) int { return s.Metrics.RackMisses })},
	{"MISPLACED", "partitions at a draining member, though another could have them", faults, true, trouble(func(s *simulation.Step) int { return s.Metrics.Misplaced })},
}

// explain is the part of the command's help about measures that are shown only in the format wide, or always.
func explain(wide bool) string {
	var b strings.Builder
	for _, m := range measures {
		if m.wide == wide {
			fmt.Fprintf(&b, "  %-11s  %s\n", m.title, strings.ReplaceAll(m.help, "\n", "\n"+strings.Repeat(" ", 15)))
		}
	}
	return b.String()
}

// shownMeasures returns those that a table of the results has.
func shownMeasures(results []*simulation.Result, wide bool) []measure {
	return slices.DeleteFunc(slices.Clone(measures), func(m measure) bool {
		return m.wide && (!wide || m.absent(results))
	})
}

// absent says whether a measure is 0 in all steps.
func (m *measure) absent(results []*simulation.Result) bool {
	for _, r := range results {
		for i := range r.Steps {
			if text := m.cell(&r.Steps[i]).Text; text != "0" && text != unknown {
				return false
			}
		}
	}
	return true
}

// unknown stands for a number that nobody knows.
const unknown = "-"

func number(f func(*simulation.Step) float64) func(*simulation.Step) output.Cell {
	return func(s *simulation.Step) output.Cell { return output.Cell{Text: output.Number(f(s))} }
}

func count(f func(*simulation.Step) int) func(*simulation.Step) output.Cell {
	return func(s *simulation.Step) output.Cell { return output.Cell{Text: strconv.Itoa(f(s))} }
}

// trouble is a count that had better be 0.
func trouble(f func(*simulation.Step) int) func(*simulation.Step) output.Cell {
	return func(s *simulation.Step) output.Cell {
		c := count(f)(s)
		if f(s) > 0 {
			c.Style = output.Bad
		}
		return c
	}
}

// unlessBound is a count against an optimum, which is not known where there are weights.
func unlessBound(f func(*simulation.Step) int) func(*simulation.Step) output.Cell {
	return func(s *simulation.Step) output.Cell {
		if s.Metrics.Bound {
			return output.Cell{Text: unknown, Style: output.Faint}
		}
		return count(f)(s)
	}
}

func regret(s *simulation.Step) output.Cell {
	m := &s.Metrics
	text := output.Number(m.Regret)
	switch {
	case m.Regret == 0:
		return output.Cell{Text: "0", Style: output.Good}
	case m.Bound:
		text = "<=" + text
	}
	return output.Cell{Text: text, Style: output.Changed}
}

func voluntary(s *simulation.Step) output.Cell {
	c := output.Cell{Text: strconv.Itoa(s.Metrics.Voluntary)}
	if s.Metrics.Excess > 0 && !s.Metrics.Bound {
		c.Style = output.Changed
	}
	return c
}
