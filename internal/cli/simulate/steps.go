package simulate

import (
	"fmt"
	"strconv"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/simulation"
)

// A measure is a column of the table of steps.
type measure struct {
	title string
	wide  bool // only shown where there is room for everything
	cell  func(*simulation.Step) output.Cell
}

var measures = []measure{
	{"MAX", false, number(func(s *simulation.Step) float64 { return s.Metrics.Max })},
	{"MIN", false, number(func(s *simulation.Step) float64 { return s.Metrics.Min })},
	{"MEAN", true, number(func(s *simulation.Step) float64 { return s.Metrics.Mean })},
	{"SKEW", false, number(func(s *simulation.Step) float64 { return s.Metrics.Skew })},
	{"CV", true, number(func(s *simulation.Step) float64 { return s.Metrics.CV })},
	{"JAIN", true, number(func(s *simulation.Step) float64 { return s.Metrics.Jain })},
	{"REGRET", false, regret},
	{"TOPIC SKEW", true, count(func(s *simulation.Step) int { return s.Metrics.TopicSkew })},
	{"VOLUNTARY", false, voluntary},
	{"MINIMUM", false, minimum},
	{"EXCESS", true, count(func(s *simulation.Step) int { return s.Metrics.Excess })},
	{"FORCED", false, count(func(s *simulation.Step) int { return s.Metrics.Forced })},
	{"PLACED", true, count(func(s *simulation.Step) int { return s.Metrics.Placed })},
	{"UNASSIGNED", true, trouble(func(s *simulation.Step) int { return s.Metrics.Unassigned })},
	{"RACK MISSES", true, count(func(s *simulation.Step) int { return s.Metrics.RackMisses })},
	{"MISPLACED", true, trouble(func(s *simulation.Step) int { return s.Metrics.Misplaced })},
	{"ROUNDS", false, count(func(s *simulation.Step) int { return s.Rounds })},
}

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

func regret(s *simulation.Step) output.Cell {
	m := &s.Metrics
	if m.Regret == 0 {
		return output.Cell{Text: "0", Style: output.Good}
	}
	return output.Cell{Text: atMost(m.Bound) + output.Number(m.Regret), Style: output.Changed}
}

func voluntary(s *simulation.Step) output.Cell {
	c := output.Cell{Text: strconv.Itoa(s.Metrics.Voluntary)}
	if s.Metrics.Excess > 0 {
		c.Style = output.Changed
	}
	return c
}

func minimum(s *simulation.Step) output.Cell {
	return output.Cell{Text: atMost(s.Metrics.Bound) + strconv.Itoa(s.Metrics.VoluntaryMinimum)}
}

// appendSteps writes a table with a row for each step and strategy. Where a step does not fit in front of its measures it stands
// above them.
func appendSteps(dst []byte, results []*simulation.Result, paper output.Paper, wide, full bool) []byte {
	shown := selectSteps(len(results[0].Steps), len(results), full)
	flat := stepGrid(results, shown, wide, false)
	if paper.Width == 0 || flat.Width() <= paper.Width {
		return flat.Append(dst, paper)
	}
	return stepGrid(results, shown, wide, true).Append(dst, paper)
}

// skipped stands for steps that are not shown.
const skipped = -1

// selectSteps returns the steps to show: all, or the first and the last ones.
func selectSteps(steps, strategies int, full bool) []int {
	all := make([]int, steps)
	for i := range all {
		all[i] = i
	}
	if full || steps*strategies <= many {
		return all
	}
	ends := max(3, many/(4*strategies))
	if 2*ends+1 >= steps {
		return all
	}
	return append(append(append([]int(nil), all[:ends]...), skipped), all[steps-ends:]...)
}

func stepGrid(results []*simulation.Result, shown []int, wide, headings bool) *output.Grid {
	g := &output.Grid{}
	if !headings {
		g.Columns = []output.Column{{Title: "STEP"}, {Title: "MEMBERS", Right: true}, {Title: "PARTITIONS", Right: true}}
	}
	if headings || len(results) > 1 {
		g.Columns = append(g.Columns, output.Column{Title: "STRATEGY"})
	}
	for _, m := range measures {
		if wide || !m.wide {
			g.Columns = append(g.Columns, output.Column{Title: m.title, Right: true})
		}
	}
	for _, i := range shown {
		if i == skipped {
			g.Heading(fmt.Sprintf("... %d steps between; --full shows them", len(results[0].Steps)-len(shown)+1))
			continue
		}
		if headings {
			g.Heading(stepHeading(&results[0].Steps[i]))
		}
		for k, r := range results {
			g.Row(stepRow(r, i, k == 0, wide, headings, len(results) > 1)...)
		}
	}
	return g
}

func stepHeading(s *simulation.Step) string {
	return fmt.Sprintf("%s: %s, %s", output.Clean(s.Event), output.Count(s.Metrics.Members, "member"), output.Count(s.Metrics.Partitions, "partition"))
}

func stepRow(r *simulation.Result, i int, first, wide, headings, several bool) []output.Cell {
	s := &r.Steps[i]
	var row []output.Cell
	switch {
	case headings:
		row = append(row, output.Cell{Text: "  " + output.Clean(r.Strategy)})
	case first:
		row = append(row, output.Cell{Text: output.Clean(s.Event)}, output.Cell{Text: strconv.Itoa(s.Metrics.Members)},
			output.Cell{Text: strconv.Itoa(s.Metrics.Partitions)})
	default:
		row = append(row, output.Cell{}, output.Cell{}, output.Cell{})
	}
	if !headings && several {
		row = append(row, output.Cell{Text: output.Clean(r.Strategy)})
	}
	for _, m := range measures {
		if wide || !m.wide {
			row = append(row, m.cell(s))
		}
	}
	return row
}
