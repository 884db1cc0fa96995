package simulate

import (
	"slices"
	"strconv"

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
	about aspect
	wide  bool // only shown in the format wide, and only where it is not 0 throughout
	cell  func(*simulation.Step) output.Cell
}

// The command's help explains them, docs/scenarios.md what is behind them.
var measures = []measure{
	{"MAX", evenness, false, number(func(s *simulation.Step) float64 { return s.Metrics.Max })},
	{"MIN", evenness, false, number(func(s *simulation.Step) float64 { return s.Metrics.Min })},
	{"MEAN", evenness, true, number(func(s *simulation.Step) float64 { return s.Metrics.Mean })},
	{"SKEW", evenness, false, number(func(s *simulation.Step) float64 { return s.Metrics.Skew })},
	{"CV", evenness, true, number(func(s *simulation.Step) float64 { return s.Metrics.CV })},
	{"JAIN", evenness, true, number(func(s *simulation.Step) float64 { return s.Metrics.Jain })},
	{"REGRET", evenness, false, regret},
	{"TOPIC SKEW", evenness, true, count(func(s *simulation.Step) int { return s.Metrics.TopicSkew })},
	{"VOLUNTARY", moving, false, voluntary},
	{"MINIMUM", moving, false, unlessBound(func(s *simulation.Step) int { return s.Metrics.VoluntaryMinimum })},
	{"EXCESS", moving, true, unlessBound(func(s *simulation.Step) int { return s.Metrics.Excess })},
	{"FORCED", moving, false, count(func(s *simulation.Step) int { return s.Metrics.Forced })},
	{"PLACED", moving, true, count(func(s *simulation.Step) int { return s.Metrics.Placed })},
	{"ROUNDS", moving, false, count(func(s *simulation.Step) int { return s.Rounds })},
	{"UNASSIGNED", faults, true, trouble(func(s *simulation.Step) int { return s.Metrics.Unassigned })},
	{"RACK MISSES", faults, true, count(func(s *simulation.Step) int { return s.Metrics.RackMisses })},
	{"MISPLACED", faults, true, trouble(func(s *simulation.Step) int { return s.Metrics.Misplaced })},
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
