package simulate

import (
	"fmt"
	"io"
	"slices"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/cli/page"
	"github.com/assignkit/assignkit/simulation"
)

// A book collects the cases for the page of --html.
type book struct {
	wanted bool
	data   page.Data
}

// add takes in one case's results, which may be dropped then.
func (b *book) add(out *outcomes) error {
	if !b.wanted {
		return nil
	}
	c, err := page.OfResults(out.name, out.results)
	if err != nil {
		return err
	}
	c.Summary = summaryTable(out.results)
	b.data.Add(c)
	return nil
}

// writeHTML writes the page.
func (o *options) writeHTML(b *book) error {
	d := &b.data
	d.Title, d.Command = "Simulation", o.IO.Command()
	if n := len(d.Cases); n > 1 {
		d.Facts = []string{output.Count(n, "case") + "."}
	}
	if err := output.WriteFile(o.html, func(w io.Writer) error { return page.Write(w, d) }); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}

// summaryTable has a row for each strategy: what it moves after the start, and how even the group is.
func summaryTable(results []*simulation.Result) page.Table {
	t := page.Table{Caption: "Strategies", Columns: []page.Column{
		{Title: "Strategy"},
		{Title: "Moves", Help: "Partitions that somebody else has than before, voluntary and forced. In the summary: in all steps after the start."},
		{Title: "Voluntary", Help: "Partitions that move although their owner could keep them."},
		{Title: "Minimum", Help: "The fewest voluntary moves that make the loads as even as can be; not known where partitions have weights."},
		{Title: "Excess", Help: "Voluntary moves above the minimum."},
		{Title: "Forced", Help: "Partitions whose owner is gone or no longer wants them."},
		{Title: "Placed", Help: "Partitions that nobody had before."},
		{Title: "Rebalances", Help: "How many it takes."},
		{Title: "Worst max", Help: "The largest load that any member has after any step, the start as well."},
		{Title: "Worst skew", Help: "The largest skew after any step, the start as well."},
		{Title: "Skew at the end"},
		{Title: "Regret at the end"},
		{Title: "Unassigned at the end"},
	}}
	for _, r := range results {
		sums, ever, last := sum(r.Steps[1:]), worst(r.Steps), &lastStep(r).Metrics
		excess := 0
		for i := range r.Steps[1:] {
			excess += r.Steps[i+1].Metrics.Excess
		}
		row := []page.Cell{page.Text(r.Strategy)}
		for _, n := range []int{sums.moves(), sums.Voluntary, sums.VoluntaryMinimum, excess, sums.Forced, sums.Placed, sums.Rounds} {
			row = append(row, page.Number(float64(n)))
		}
		const minimum, over = 3, 4
		if slices.ContainsFunc(r.Steps, func(s simulation.Step) bool { return s.Metrics.Bound }) {
			row[minimum], row[over] = page.Unknown(), page.Unknown()
		} else {
			row[over].Mark = good(excess == 0)
		}
		regret := page.Number(last.Regret)
		if regret.Mark = good(last.Regret == 0); last.Bound && last.Regret > 0 {
			regret.Text, regret.Mark = "≤", page.Plain
		}
		unassigned := page.Number(float64(last.Unassigned))
		if last.Unassigned > 0 {
			unassigned.Mark = page.Bad
		}
		t.Rows = append(t.Rows, append(row, page.Number(ever.max), page.Number(ever.skew), page.Number(last.Skew), regret, unassigned))
	}
	return t
}

func good(is bool) page.Mark {
	if is {
		return page.Good
	}
	return page.Bad
}
