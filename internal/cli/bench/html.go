package bench

import (
	"fmt"
	"io"
	"strings"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/cli/page"
	"github.com/assignkit/assignkit/simulation"
)

// A book collects what the page of --html shows: what the seeds come to, and the steps with the first one.
type book struct {
	tables
	data  page.Data
	first []*bench.Result // of the workload at hand, with the first seed
}

// newBook returns nil if no page is wanted.
func (o *options) newBook(s *bench.Suite) *book {
	if o.html == "" {
		return nil
	}
	return &book{tables: tables{options: o, suite: s}}
}

// add takes in a result. Those of a workload follow each other.
func (b *book) add(r *bench.Result) error {
	if b == nil {
		return nil
	}
	if len(b.first) > 0 && b.first[0].Workload != r.Workload {
		if err := b.close(); err != nil {
			return err
		}
	}
	if r.Seed == b.suite.First {
		b.first = append(b.first, r)
	}
	return b.result(r)
}

// close makes a case of the workload at hand.
func (b *book) close() error {
	name := b.first[0].Workload
	c, err := caseOf(b.first)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	c.Summary = b.ofSeeds(name)
	b.data.Add(c)
	b.first = nil
	return nil
}

// caseOf has the steps: with members and partitions if they were kept.
func caseOf(results []*bench.Result) (c page.Case, err error) {
	var kept []*simulation.Result
	for _, r := range results {
		if r.Simulation != nil {
			kept = append(kept, r.Simulation)
		}
	}
	if len(kept) == len(results) {
		if c, err = page.OfResults("", kept); err != nil {
			return c, err
		}
		c.Events = nil
	} else {
		for _, r := range results {
			s := page.Series{Name: r.Strategy, Steps: make([]page.Step, len(r.Steps))}
			for i := range r.Steps {
				s.Steps[i] = page.Step{Metrics: r.Steps[i].Metrics, Rounds: r.Steps[i].Rounds}
			}
			c.Series = append(c.Series, s)
		}
	}
	c.Name = results[0].Workload
	for i := range results[0].Steps {
		s := &results[0].Steps[i]
		event := s.Event
		if s.By != "" {
			event += " (answered by " + s.By + ")"
		}
		c.Events = append(c.Events, event)
	}
	return c, nil
}

// write writes the page.
func (b *book) write() error {
	if b == nil {
		return nil
	}
	if len(b.first) > 0 {
		if err := b.close(); err != nil {
			return err
		}
	}
	b.data.Title, b.data.Command = "Strategies over churn", b.io.Command()
	b.data.Facts = []string{b.facts()}
	if len(b.suite.Workloads) > 1 {
		b.data.Tables = []page.Table{b.ofAll()}
	}
	if err := output.WriteFile(b.html, func(w io.Writer) error { return page.Write(w, &b.data) }); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}

// facts says how much was run.
func (b *book) facts() string {
	text := output.Count(len(b.suite.Workloads), "workload")
	if b.suite.Seeds <= 1 {
		return fmt.Sprintf("%s, drawn from seed %d.", text, b.suite.First)
	}
	return fmt.Sprintf("%s, drawn from seeds %d to %d. Tables have the median over the seeds and the worst of them, charts the steps with seed %[2]d.",
		text, b.suite.First, b.suite.First+uint64(b.suite.Seeds)-1)
}

// ofAll is the summary of all workloads.
func (b *book) ofAll() page.Table {
	t := page.Table{Caption: "All workloads and seeds", Columns: []page.Column{
		{Title: "Strategy"},
		{Title: "Runs", Help: "Workloads times seeds."},
		{Title: "Even", Help: "Runs that were as even as can be after every step."},
		{Title: "No excess", Help: "Runs in which nothing moved without need."},
		{Title: "Voluntary", Help: b.help("voluntary")},
		{Title: "Excess", Help: b.help("excess")},
		{Title: "Rounds", Help: b.help("rounds")},
		{Title: "Disturbed", Help: b.help("disturbed")},
	}}
	for _, s := range b.sums() {
		row := []page.Cell{page.Text(s.strategy)}
		for _, n := range []int{s.runs, s.even, s.frugal, s.Voluntary, s.Excess, s.Rounds, s.Disturbed} {
			row = append(row, page.Number(float64(n)))
		}
		const even, frugal = 2, 3
		row[even].Mark, row[frugal].Mark = good(s.even == s.runs), good(s.frugal == s.runs)
		t.Rows = append(t.Rows, row)
	}
	return t
}

func good(is bool) page.Mark {
	if is {
		return page.Good
	}
	return page.Plain
}

// help is what there is to say about a figure, as a sentence.
func (b *book) help(name string) string {
	for i := range figures {
		if f := &figures[i]; f.name == name {
			return f.sentence()
		}
	}
	return ""
}

func (f *figure) sentence() string {
	text := strings.ReplaceAll(f.help, "\n", " ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// ofSeeds is the summary of a workload: of each figure the median, and the worst where that is another.
func (b *book) ofSeeds(workload string) page.Table {
	t := growing{page.Table{Caption: workload, Columns: []page.Column{{Title: "Strategy"}}}}
	for _, w := range b.suite.Workloads {
		if w.Name == workload {
			t.Caption = w.Summary
		}
	}
	rows := b.of(workload)
	for _, r := range rows {
		t.Rows = append(t.Rows, []page.Cell{page.Text(r.strategy)})
	}
	for _, f := range b.shown([]bench.Workload{{Name: workload}}) {
		title, differs := f.title[:1]+strings.ToLower(f.title[1:]), false
		middles, worsts := make([]page.Cell, len(rows)), make([]page.Cell, len(rows))
		for i, r := range rows {
			middles[i], worsts[i] = r.figure(f)
			differs = differs || middles[i].Text != worsts[i].Text || middles[i].Number < worsts[i].Number || middles[i].Number > worsts[i].Number
		}
		t.add(page.Column{Title: title, Help: f.sentence()}, middles)
		if differs {
			t.add(page.Column{Title: title + " at worst"}, worsts)
		}
	}
	return t.Table
}

// A growing table gets one column after another.
type growing struct{ page.Table }

func (t *growing) add(c page.Column, cells []page.Cell) {
	t.Columns = append(t.Columns, c)
	for i := range cells {
		t.Rows[i] = append(t.Rows[i], cells[i])
	}
}

// figure has the median and the worst of a figure.
func (r *row) figure(f *figure) (middle, worst page.Cell) {
	mid, most, bound := r.sum(f)
	cell := func(x float64) page.Cell {
		switch {
		case bound && (f.name == "excess" || f.name == "voluntary_minimum"):
			return page.Unknown()
		case f.kind == cost:
			return page.Text(f.format(x))
		case f.name == "regret_ratio":
			x *= 100
		}
		c := page.Number(x)
		if bound && x > 0 && strings.HasPrefix(f.name, "regret") {
			c.Text = "≤"
		}
		switch f.name {
		case "regret", "regret_ratio", "excess":
			if c.Mark = page.Good; x > 0 {
				c.Mark = page.Bad
			}
			if bound && x > 0 {
				c.Mark = page.Plain
			}
		case "unassigned", "misplaced", "stopped":
			if x > 0 {
				c.Mark = page.Bad
			}
		}
		return c
	}
	return cell(mid), cell(most)
}
