package bench

import (
	"math"
	"testing"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/internal/cli/page"
)

// The page's tables have medians and the worst, as those that are printed do, and what nobody knows is not made up.
func TestPageFigures(t *testing.T) {
	r := &row{totals: []bench.Total{{Excess: 1, RegretRatio: 0.5}, {Excess: 4, RegretRatio: 0.25}, {Excess: 3}}}
	for i := range figures {
		f := &figures[i]
		middle, worst := r.figure(f)
		switch f.name {
		case "excess":
			if middle != (page.Cell{Number: 3, Mark: page.Bad}) || worst != (page.Cell{Number: 4, Mark: page.Bad}) {
				t.Errorf("%+v, %+v", middle, worst)
			}
		case "regret_ratio":
			if middle != (page.Cell{Number: 25, Mark: page.Bad}) || worst != (page.Cell{Number: 50, Mark: page.Bad}) {
				t.Errorf("%+v, %+v", middle, worst)
			}
		}
	}
	r.totals[2].Bound = true
	for i := range figures {
		f := &figures[i]
		middle, worst := r.figure(f)
		switch f.name {
		case "excess":
			if !math.IsNaN(middle.Number) || !math.IsNaN(worst.Number) {
				t.Errorf("%+v, %+v", middle, worst)
			}
		case "regret_ratio":
			if middle != (page.Cell{Number: 25, Text: "≤"}) || worst != (page.Cell{Number: 50, Text: "≤"}) {
				t.Errorf("%+v, %+v", middle, worst)
			}
		}
	}
}

// Steps are drawn with who has what if that was kept, and with measures alone if not.
func TestPageCases(t *testing.T) {
	for _, keep := range []bool{true, false} {
		o := &options{html: "page.html"}
		s := &bench.Suite{Workloads: bench.Profiles()[:1], First: 3, Seeds: 2, Options: bench.Options{Keep: keep}}
		o.strategies = []string{"sticky", "range"}
		if err := o.parse(s); err != nil {
			t.Fatal(err)
		}
		b := o.newBook(s)
		var first []*bench.Result
		if err := s.Run(t.Context(), func(r *bench.Result) error {
			if r.Seed == 3 {
				first = append(first, r)
			}
			return b.add(r)
		}); err != nil {
			t.Fatal(err)
		}
		if err := b.close(); err != nil {
			t.Fatal(err)
		}
		c := &b.data.Cases[0]
		if len(b.data.Cases) != 1 || c.Name != s.Workloads[0].Name || len(c.Summary.Rows) != 2 || (len(c.Members) > 0) != keep || len(c.Events) != len(first[0].Steps) {
			t.Fatalf("keep %v: %d cases, %d members, %d events", keep, len(b.data.Cases), len(c.Members), len(c.Events))
		}
		for k, r := range first {
			for i := range r.Steps {
				if c.Series[k].Steps[i].Metrics != r.Steps[i].Metrics {
					t.Errorf("%s, step %d: other measures", r.Strategy, i)
				}
			}
		}
	}
}
