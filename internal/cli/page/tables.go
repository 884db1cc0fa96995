package page

import (
	"math"

	"github.com/assignkit/assignkit/internal/cli/output"
)

// A tableView is a table as it is written.
type tableView struct {
	Class   string
	Caption string
	Columns []columnView
	Rows    [][]cellView
}

type columnView struct {
	Title  string
	Number bool
}

// A cellView is a cell as it is written.
type cellView struct {
	Text   string
	Exact  string // the number behind it, where it is shown with fewer digits
	Number bool
	Class  string
}

func view(t *Table) tableView {
	v := tableView{Caption: output.Clean(t.Caption), Columns: make([]columnView, len(t.Columns)), Rows: make([][]cellView, len(t.Rows))}
	for i := range t.Columns {
		v.Columns[i].Title = output.Clean(t.Columns[i].Title)
	}
	for r, row := range t.Rows {
		v.Rows[r] = make([]cellView, len(row))
		for i := range row {
			v.Rows[r][i] = row[i].view()
			if v.Rows[r][i].Number && i < len(v.Columns) {
				v.Columns[i].Number = true
			}
		}
	}
	for _, row := range v.Rows {
		for i := range row {
			row[i].Number = i < len(v.Columns) && v.Columns[i].Number
		}
	}
	return v
}

func (c *Cell) view() cellView {
	v := cellView{Class: [...]string{Plain: "", Good: "good", Bad: "bad"}[c.Mark]}
	if math.IsNaN(c.Number) {
		if v.Text = c.Text; v.Text != "" {
			v.Text = output.Clean(c.Text)
		}
		v.Number = c.Text == unknown // it stands among numbers
		return v
	}
	v.Number = true
	v.Text = c.Text + measured(c.Number)
	v.Exact = exact(c.Number, v.Text)
	return v
}

// Columns of the table of steps.
const (
	colStep = iota
	colEvent
	colMembers
	colPartitions
	colMax
	colMin
	colSkew
	colOptimum
	colRegret
	colMoves
	colVoluntary
	colMinimum
	colExcess
	colForced
	colPlaced
	colRounds
	colUnassigned
)

var stepColumns = []Column{
	colStep:       {Title: "Step"},
	colEvent:      {Title: "Event"},
	colMembers:    {Title: "Members"},
	colPartitions: {Title: "Partitions", Help: "Partitions of topics that somebody reads."},
	colMax:        {Title: "Max", Help: "The largest load: a member's partitions, or their weight, over its capacity."},
	colMin:        {Title: "Min", Help: "The smallest load."},
	colSkew:       {Title: "Skew", Help: "The difference of the largest and the smallest load."},
	colOptimum:    {Title: "Optimum", Help: "The skew of an assignment without regret; not known where partitions have weights."},
	colRegret:     {Title: "Regret", Help: "How far the squares of the loads lie above the least possible: 0 is optimal. With ≤ it is measured against a bound."},
	colMoves:      {Title: "Moves", Help: "Partitions that somebody else has than before, voluntary and forced."},
	colVoluntary:  {Title: "Voluntary", Help: "Partitions that move although their owner could keep them."},
	colMinimum:    {Title: "Minimum", Help: "The fewest voluntary moves that make the loads as even as can be; not known where partitions have weights."},
	colExcess:     {Title: "Excess", Help: "Voluntary moves above the minimum."},
	colForced:     {Title: "Forced", Help: "Partitions whose owner is gone or no longer wants them."},
	colPlaced:     {Title: "Placed", Help: "Partitions that nobody had before."},
	colRounds:     {Title: "Rebalances", Help: "How many it takes."},
	colUnassigned: {Title: "Unassigned", Help: "Partitions that nobody gets, though somebody reads the topic."},
}

// readouts are the measures that stand beside a strategy's name for the step that is chosen.
var readouts = []int{colMoves, colExcess, colSkew, colOptimum, colMax, colMin}

// stepTable has a row for each column of the charts.
func stepTable(strategy string, columns []column) Table {
	t := Table{Caption: "Steps of " + strategy, Columns: stepColumns, Rows: make([][]Cell, len(columns))}
	for i := range columns {
		c := &columns[i]
		m := &c.metrics
		row := make([]Cell, len(stepColumns))
		row[colStep] = Text(grouped(c.from))
		if c.to > c.from {
			row[colStep] = Text(grouped(c.from) + "–" + grouped(c.to))
		}
		row[colEvent] = Text(c.event)
		for k, x := range [...]float64{
			colMembers: float64(m.Members), colPartitions: float64(m.Partitions), colMax: m.Max, colMin: m.Min, colSkew: m.Skew, colOptimum: c.optimum,
			colRegret: m.Regret, colMoves: float64(m.Voluntary + m.Forced), colVoluntary: float64(m.Voluntary), colMinimum: float64(m.VoluntaryMinimum),
			colExcess: float64(m.Excess), colForced: float64(m.Forced), colPlaced: float64(m.Placed), colRounds: float64(c.rounds),
			colUnassigned: float64(m.Unassigned),
		} {
			switch {
			case k < colMembers: // text
			case math.IsNaN(x):
				row[k] = Unknown()
			default:
				row[k] = Number(x)
			}
		}
		if m.Bound {
			row[colMinimum], row[colExcess] = Unknown(), Unknown()
			if m.Regret > 0 {
				row[colRegret].Text = "≤"
			}
		}
		if m.Excess > 0 && !m.Bound {
			row[colExcess].Mark = Bad
		}
		if m.Unassigned > 0 {
			row[colUnassigned].Mark = Bad
		}
		t.Rows[i] = row
	}
	return t
}

// A term is a word of a table and what it means.
type term struct{ Title, Help string }

// glossary explains what stands in heads of tables, each once.
func glossary(tables ...[]Column) []term {
	var terms []term
	told := map[string]bool{}
	for _, columns := range tables {
		for _, c := range columns {
			if c.Help != "" && !told[c.Title] {
				told[c.Title] = true
				terms = append(terms, term{output.Clean(c.Title), output.Clean(c.Help)})
			}
		}
	}
	return terms
}
