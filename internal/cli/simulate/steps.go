package simulate

import (
	"fmt"
	"strconv"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/simulation"
)

// A stepTable has a row for each step and strategy.
type stepTable struct {
	results []*simulation.Result
	shown   []int // steps
	names   *output.Names
}

// appendSteps writes the table. Where a step does not fit in front of its measures it stands above them, and where they do not fit a
// line even so, there is a table for each thing that they are about.
func (o *options) appendSteps(dst []byte, results []*simulation.Result, names *output.Names, paper output.Paper) []byte {
	t := stepTable{results: results, shown: selectSteps(len(results[0].Steps), len(results), o.full), names: names}
	columns := shownMeasures(results, o.format == output.Wide)
	for _, headings := range []bool{false, true} {
		g := t.grid(columns, headings)
		if paper.Width == 0 || g.Width() <= paper.Width {
			return g.Append(dst, paper)
		}
	}
	for from := 0; from < len(columns); {
		to := from + 1
		for to < len(columns) && columns[to].about == columns[from].about {
			to++
		}
		if from > 0 {
			dst = append(dst, '\n')
		}
		dst = t.grid(columns[from:to], true).Append(dst, paper)
		from = to
	}
	return dst
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

// grid has the steps above their rows, or in the first columns.
func (t *stepTable) grid(columns []measure, above bool) *output.Grid {
	g := &output.Grid{}
	if !above {
		g.Columns = []output.Column{{Title: "STEP"}, {Title: "MEMBERS", Right: true}, {Title: "PARTITIONS", Right: true}}
	}
	if above || len(t.results) > 1 {
		g.Columns = append(g.Columns, output.Column{Title: "STRATEGY"})
	}
	for _, m := range columns {
		g.Columns = append(g.Columns, output.Column{Title: m.title, Right: true})
	}
	for _, i := range t.shown {
		if i == skipped {
			g.Heading(fmt.Sprintf("... %d steps between; --full shows them", len(t.results[0].Steps)-len(t.shown)+1))
			continue
		}
		if above {
			s := &t.results[0].Steps[i]
			g.Heading(fmt.Sprintf("%s: %s, %s%s", eventText(t.results, i, t.names),
				output.Count(s.Metrics.Members, "member"), output.Count(partitions(s), "partition"), unread(s)))
		}
		for k := range t.results {
			row := t.intro(i, k, above)
			for _, m := range columns {
				row = append(row, m.cell(&t.results[k].Steps[i]))
			}
			g.Row(row...)
		}
	}
	return g
}

// intro is what stands before the measures of a strategy.
func (t *stepTable) intro(i, k int, above bool) []output.Cell {
	strategy := output.Cell{Text: output.Clean(t.results[k].Strategy)}
	if above {
		strategy.Text = "  " + strategy.Text
		return []output.Cell{strategy}
	}
	row := make([]output.Cell, 3)
	if k == 0 {
		s := &t.results[0].Steps[i]
		row = []output.Cell{{Text: eventText(t.results, i, t.names)}, {Text: strconv.Itoa(s.Metrics.Members)},
			{Text: strconv.Itoa(partitions(s)) + unread(s)}}
	}
	if len(t.results) > 1 {
		row = append(row, strategy)
	}
	return row
}

// unread tells how many partitions are of topics that no member reads, if there are both.
func unread(s *simulation.Step) string {
	n := partitions(s) - s.Metrics.Partitions
	if n == 0 || s.Metrics.Members == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d read by nobody)", n)
}
