package bench

import (
	"slices"
	"strconv"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/internal/cli/output"
)

// tables keeps what results come to, and prints it in the end: a summary of the strategies, and a table for each group of workloads.
type tables struct {
	*options
	suite *bench.Suite
	rows  []*row
	v     verdicts
}

// A row is a workload under a strategy, with what each seed came to.
type row struct {
	workload, strategy string
	totals             []bench.Total
}

func (t *tables) result(r *bench.Result) error {
	last := len(t.rows) - 1
	if last < 0 || t.rows[last].workload != r.Workload || t.rows[last].strategy != r.Strategy {
		t.rows = append(t.rows, &row{workload: r.Workload, strategy: r.Strategy})
		last++
	}
	t.rows[last].totals = append(t.rows[last].totals, r.Total)
	return nil
}

func (t *tables) verdicts() *verdicts { return &t.v }

func (t *tables) end() error {
	if len(t.rows) == 0 {
		return nil
	}
	paper := t.paper()
	var text []byte
	if len(t.suite.Workloads) > 1 {
		text = append(t.summary().Append(text, paper), '\n')
	}
	for i, workloads := range t.groups() {
		if i > 0 {
			text = append(text, '\n')
		}
		text = t.appendGroup(text, workloads, paper)
	}
	_, err := t.io.Out.Write(text)
	return err
}

// groups returns the workloads that have results, those that are shown together in one list.
func (t *tables) groups() (list [][]bench.Workload) {
	for _, w := range t.suite.Workloads {
		if !slices.ContainsFunc(t.rows, func(r *row) bool { return r.workload == w.Name }) {
			continue
		}
		i := slices.IndexFunc(list, func(g []bench.Workload) bool { return group(g[0].Name) == group(w.Name) })
		if i < 0 {
			list = append(list, nil)
			i = len(list) - 1
		}
		list[i] = append(list[i], w)
	}
	return list
}

// A sum is all runs under a strategy.
type sum struct {
	bench.Total
	strategy           string
	runs, even, frugal int // all, those that were as even as can be throughout, and those without needless moves
}

func (t *tables) sums() []sum {
	var list []sum
	for _, s := range t.suite.Strategies {
		all := sum{strategy: s.Spec}
		for _, r := range t.rows {
			if r.strategy != s.Spec {
				continue
			}
			for i := range r.totals {
				x := &r.totals[i]
				all.runs++
				if x.Regret == 0 {
					all.even++
				}
				if x.Excess == 0 {
					all.frugal++
				}
				all.Voluntary, all.Excess = all.Voluntary+x.Voluntary, all.Excess+x.Excess
				all.Rounds, all.Disturbed = all.Rounds+x.Rounds, all.Disturbed+x.Disturbed
			}
		}
		if all.runs > 0 { // else it was interrupted before
			list = append(list, all)
		}
	}
	return list
}

// summary has a row for each strategy: how many runs were as even as can be throughout, and without needless moves, and what all of them
// come to.
func (t *tables) summary() *output.Grid {
	g := &output.Grid{Columns: []output.Column{
		{Title: "STRATEGY"}, {Title: "RUNS", Right: true}, {Title: "EVEN", Right: true}, {Title: "NO EXCESS", Right: true},
		{Title: "VOLUNTARY", Right: true}, {Title: "EXCESS", Right: true}, {Title: "ROUNDS", Right: true}, {Title: "DISTURBED", Right: true},
	}}
	for _, s := range t.sums() {
		cells := []output.Cell{{Text: output.Clean(s.strategy)}, {Text: strconv.Itoa(s.runs)}, ofRuns(s.even, s.runs), ofRuns(s.frugal, s.runs)}
		for _, n := range []int{s.Voluntary, s.Excess, s.Rounds, s.Disturbed} {
			cells = append(cells, output.Cell{Text: strconv.Itoa(n)})
		}
		g.Row(cells...)
	}
	return g
}

func ofRuns(n, of int) output.Cell {
	c := output.Cell{Text: strconv.Itoa(n)}
	if n == of && of > 0 {
		c.Style = output.Good
	}
	return c
}

// appendGroup writes the table of a group of workloads. Where what the worst seed came to does not fit behind the medians it stands below.
func (t *tables) appendGroup(dst []byte, workloads []bench.Workload, paper output.Paper) []byte {
	shown := t.shown(workloads)
	g := t.grid(workloads, shown, false)
	if paper.Width > 0 && g.Width() > paper.Width {
		g = t.grid(workloads, shown, true)
	}
	return g.Append(dst, paper)
}

// shown are the figures that a table has.
func (t *tables) shown(workloads []bench.Workload) (list []*figure) {
	for i := range figures {
		f := &figures[i]
		switch {
		case f.kind == cost && !t.time:
		case f.kind == wide && (t.format != output.Wide || t.absent(f, workloads)):
		default:
			list = append(list, f)
		}
	}
	return list
}

// absent says whether a figure is 0 throughout.
func (t *tables) absent(f *figure, workloads []bench.Workload) bool {
	for _, w := range workloads {
		for _, r := range t.of(w.Name) {
			for i := range r.totals {
				if f.of(&r.totals[i]) != 0 {
					return false
				}
			}
		}
	}
	return true
}

// of returns the rows of a workload.
func (t *tables) of(workload string) []*row {
	from := slices.IndexFunc(t.rows, func(r *row) bool { return r.workload == workload })
	to := from
	for to < len(t.rows) && t.rows[to].workload == workload {
		to++
	}
	return t.rows[from:to]
}

func (t *tables) grid(workloads []bench.Workload, shown []*figure, below bool) *output.Grid {
	g := &output.Grid{Columns: []output.Column{{Title: "STRATEGY"}}}
	for _, f := range shown {
		g.Columns = append(g.Columns, output.Column{Title: f.title, Right: true})
	}
	for _, w := range workloads {
		g.Heading(output.Clean(w.Name) + ": " + w.Summary)
		for _, r := range t.of(w.Name) {
			cells := []output.Cell{{Text: "  " + output.Clean(r.strategy)}}
			worst := []output.Cell{{Text: "    worst"}}
			differs := false
			for _, f := range shown {
				c, other := r.cell(f)
				differs = differs || other != ""
				switch {
				case !below && other != "":
					c.Text += " (" + other + ")"
				case other == "":
					other = c.Text
				}
				cells, worst = append(cells, c), append(worst, output.Cell{Text: other, Style: c.Style})
			}
			g.Row(cells...)
			if below && differs {
				g.Row(worst...)
			}
		}
	}
	return g
}

// cell is the median of a figure, and what is worst if that reads otherwise.
func (r *row) cell(f *figure) (c output.Cell, worst string) {
	middle, x, bound := r.sum(f)
	c.Text, worst = f.format(middle), f.format(x)
	switch f.name {
	case "regret", "regret_ratio", "excess":
		if c.Style = output.Changed; x == 0 {
			c.Style = output.Good
		}
	case "unassigned", "misplaced", "stopped":
		if x > 0 {
			c.Style = output.Bad
		}
	}
	if bound {
		switch f.name {
		case "regret", "regret_ratio":
			if x > 0 {
				c.Text, worst = "<="+c.Text, "<="+worst
			}
		case "excess", "voluntary_minimum": // nobody knows
			return output.Cell{Text: "-", Style: output.Faint}, ""
		}
	}
	if worst == c.Text {
		worst = ""
	}
	return c, worst
}

// sum is the median of a figure over the seeds, the worst, and whether regret and excess are against a bound with any of them.
func (r *row) sum(f *figure) (middle, worst float64, bound bool) {
	list := make([]float64, len(r.totals))
	for i := range r.totals {
		list[i] = f.of(&r.totals[i])
		bound = bound || r.totals[i].Bound
	}
	return median(list), f.worst(list), bound
}
