package bench

import (
	"fmt"
	"strings"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/fault"
)

// comparing keeps what results come to, and prints in the end what differs from an earlier time.
type comparing struct {
	*options
	suite         *bench.Suite
	before, after *baseline
	v             verdicts
}

func (c *comparing) verdicts() *verdicts { return &c.v }

func (c *comparing) result(r *bench.Result) error {
	c.after.add(key{r.Workload, r.Strategy}, r.Seed, r.Total)
	return nil
}

// A difference is a figure of a workload under a strategy that is not what it was.
type difference struct {
	Workload string  `json:"workload"`
	Strategy string  `json:"strategy"`
	Figure   string  `json:"figure"`
	Before   float64 `json:"before"` // the median of the seeds that both have
	Now      float64 `json:"now"`
	Seeds    int     `json:"seeds"`
	Changed  int     `json:"changed"`     // in how many of these it differs
	P        float64 `json:"p,omitempty"` // of what is measured: that it is chance
	Verdict  verdict `json:"verdict"`

	figure *figure
}

// A verdict says what to think of a difference.
type verdict string

const (
	better verdict = "better"
	worse  verdict = "worse"
	mixed  verdict = "mixed"   // better with some seeds, worse with others
	other  verdict = "differs" // neither is better
)

// contrast is two baselines beside each other.
type contrast struct {
	differences    []difference
	runs           int   // that both have
	missing, added []key // that only the former, only the latter has
	apart          []key // that both have, with no seed in common
}

func compare(before, after *baseline) *contrast {
	c := &contrast{}
	for _, k := range after.order {
		if before.runs[k] == nil {
			c.added = append(c.added, k)
			continue
		}
		seeds := after.seeds(before, k)
		if len(seeds) == 0 {
			c.apart = append(c.apart, k)
			continue
		}
		c.runs += len(seeds)
		for i := range figures {
			f := &figures[i]
			was, is := make([]float64, len(seeds)), make([]float64, len(seeds))
			for n, seed := range seeds {
				was[n], is[n] = f.value(before, k, seed), f.value(after, k, seed)
			}
			if d := f.compare(was, is); d != nil {
				d.Workload, d.Strategy = k.workload, k.strategy
				c.differences = append(c.differences, *d)
			}
		}
	}
	for _, k := range before.order {
		if after.runs[k] == nil {
			c.missing = append(c.missing, k)
		}
	}
	return c
}

func (f *figure) value(b *baseline, k key, seed uint64) float64 {
	t := b.runs[k][seed]
	return f.of(&t)
}

// compare returns what differs in a figure over the same seeds, nil if nothing does. What is determined differs or does not; what is
// measured has to do so significantly.
func (f *figure) compare(was, is []float64) *difference {
	d := &difference{Figure: f.name, Before: median(was), Now: median(is), Seeds: len(was), Verdict: other, figure: f}
	ups, downs := 0, 0
	for i := range was {
		switch {
		case is[i] > was[i]:
			ups++
		case is[i] < was[i]:
			downs++
		}
	}
	d.Changed = ups + downs
	if f.kind == cost {
		if d.P = mannWhitney(was, is); d.P >= alpha || d.Before == 0 || d.Now == 0 { // 0: not measured
			return nil
		}
		ups, downs = 0, 1
		if d.Now > d.Before {
			ups, downs = 1, 0
		}
	}
	switch {
	case d.Changed == 0:
		return nil
	case !f.lower && !f.higher:
	case ups > 0 && downs > 0:
		d.Verdict = mixed
	case ups > 0 == f.higher:
		d.Verdict = better
	default:
		d.Verdict = worse
	}
	return d
}

func (c *comparing) end() error {
	result := compare(c.before, c.after)
	if len(c.after.order) < len(c.suite.Workloads)*len(c.suite.Strategies) { // interrupted: what is missing is not known
		result.missing = nil
	}
	if c.format == output.JSON {
		for i := range result.differences {
			if err := writeLine(c.io.Out, &result.differences[i]); err != nil {
				return err
			}
		}
	} else if _, err := c.io.Out.Write(c.report(result)); err != nil {
		return err
	}
	if c.failWorse {
		return result.err(c.before.name)
	}
	return nil
}

// err is that something but time and memory is worse.
func (c *contrast) err(name string) error {
	var told []string
	n := 0
	for i := range c.differences {
		d := &c.differences[i]
		if d.figure.kind == cost || d.Verdict != worse && d.Verdict != mixed {
			continue
		}
		if n++; n <= maxTold {
			told = append(told, fmt.Sprintf("%s: %s: %s was %s and is %s", d.Workload, d.Strategy, d.Figure, d.figure.format(d.Before), d.figure.format(d.Now)))
		}
	}
	if n == 0 {
		return nil
	}
	if n > maxTold {
		told = append(told, fmt.Sprintf("and %d more", n-maxTold))
	}
	return fault.Assertion("%s than in %s:\n  %s", output.Count(n, "figure")+map[bool]string{true: " is worse", false: " are worse"}[n == 1],
		name, strings.Join(told, "\n  "))
}

// report is the differences for people.
func (c *comparing) report(r *contrast) (dst []byte) {
	paper := c.paper()
	say := func(format string, args ...any) {
		dst = append(paper.Wrap(dst, output.Cell{Text: fmt.Sprintf(format, args...)}), '\n')
	}
	counts := map[verdict]int{}
	g := &output.Grid{Columns: []output.Column{
		{Title: "STRATEGY"}, {Title: "FIGURE"}, {Title: "BEFORE", Right: true}, {Title: "NOW", Right: true}, {Title: "CHANGE", Right: true}, {Title: "VERDICT"},
	}}
	at := ""
	for i := range r.differences {
		d := &r.differences[i]
		counts[d.Verdict]++
		if d.Workload != at {
			at = d.Workload
			g.Heading(output.Clean(at))
		}
		g.Row(d.cells()...)
	}
	name := output.Clean(c.before.name)
	if len(r.differences) == 0 {
		say("nothing differs from %s in %s", name, output.Count(r.runs, "run"))
	} else {
		dst = append(g.Append(dst, paper), '\n')
		var parts []string
		for _, v := range []verdict{better, worse, mixed, other} {
			if n := counts[v]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, map[bool]string{true: "differ otherwise", false: string(v)}[v == other]))
			}
		}
		say("compared with %s in %s: %s", name, output.Count(r.runs, "run"), strings.Join(parts, ", "))
	}
	for _, x := range []struct {
		text string
		list []key
	}{{"only in " + name, r.missing}, {"not in " + name, r.added}, {"with other seeds in " + name, r.apart}} {
		if len(x.list) > 0 {
			say("%s: %s", x.text, keys(x.list))
		}
	}
	return dst
}

// keys lists workloads with strategies, the first few.
func keys(list []key) string {
	const shown = 5
	var parts []string
	for _, k := range list[:min(len(list), shown)] {
		parts = append(parts, output.Clean(k.workload)+" under "+output.Clean(k.strategy))
	}
	if n := len(list) - shown; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more", n))
	}
	return strings.Join(parts, ", ")
}

func (d *difference) cells() []output.Cell {
	style := map[verdict]output.Style{better: output.Good, worse: output.Bad, mixed: output.Changed, other: output.Changed}[d.Verdict]
	change := ""
	if d.Before != 0 {
		change = fmt.Sprintf("%+.1f %%", 100*(d.Now-d.Before)/d.Before)
	}
	how := fmt.Sprintf(", %d of %s", d.Changed, output.Count(d.Seeds, "seed"))
	if d.figure.kind == cost {
		how = fmt.Sprintf(", p=%.3f", d.P)
	}
	title := strings.ToLower(d.figure.title)
	return []output.Cell{
		{Text: "  " + output.Clean(d.Strategy)}, {Text: title}, {Text: d.figure.format(d.Before)}, {Text: d.figure.format(d.Now)},
		{Text: change}, {Text: string(d.Verdict) + how, Style: style},
	}
}
