package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"
)

// A printing writes what is found, as it is found or at the end.
type printing interface {
	start(limits)
	table(*table)
	end(*report) error
}

func printer(o *options, w io.Writer) printing {
	switch {
	case o.output == "json":
		return jsonPrinter{w}
	case o.grid:
		return &gridPrinter{markdownPrinter{w: w}}
	}
	return &markdownPrinter{w: w}
}

// jsonPrinter writes one object, the report.
type jsonPrinter struct{ w io.Writer }

func (jsonPrinter) start(limits) {}
func (jsonPrinter) table(*table) {}
func (p jsonPrinter) end(r *report) error {
	e := json.NewEncoder(p.w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// markdownPrinter writes a page, table by table.
type markdownPrinter struct {
	w      io.Writer
	limits limits
}

func (p *markdownPrinter) start(l limits) {
	p.limits = l
	fmt.Fprintf(p.w, `# The same groups through other libraries

Made by `+"`go -C bench/peers run .`"+` on %d cores, %s %s/%s. Times are medians of the assignors' own calls, with their input built already;
they vary by a third from run to run on a busy machine. At most %d calls, %v each.
`, runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, l.Calls, l.Time)
}

func (p *markdownPrinter) table(t *table) {
	fmt.Fprintf(p.w, `
## %s

| library | assignor | time | to our sticky | loads | ΣL² above optimum | moved / minimum | valid | distinct answers |
|---|---|---|---|---|---|---|---|---|
`, describe(t.Case))
	for i := range t.Results {
		fmt.Fprintln(p.w, p.row(&t.Results[i], &t.Results[0]))
	}
}

func (p *markdownPrinter) end(r *report) error {
	fmt.Fprint(p.w, "\n## Targets\n\n| target | outcome | measured |\n|---|---|---|\n")
	missed := false
	for _, v := range r.Verdicts {
		outcome := v.Outcome
		if outcome == outcomeMissed {
			outcome, missed = "**missed**", true
		}
		fmt.Fprintf(p.w, "| %s | %s | %s |\n", v.Target, outcome, cell(v.Detail))
	}
	sentence := "No target that was measured was missed."
	if missed {
		sentence = "Targets were missed: the rows with **missed**."
	}
	_, err := fmt.Fprintf(p.w, "\n%s\n", sentence)
	return err
}

// row is a result as a row of the table.
func (p *markdownPrinter) row(r, our *Result) string {
	const none = "–"
	columns := []string{r.Library, r.Assignor, timeOf(r, p.limits), none, none, none, none, string(r.Status), none}
	if r.answered() && our.Took > 0 {
		columns[3] = number(float64(r.Took)/float64(our.Took)) + " ×"
	} else if r.Status == Late && our.Took > 0 {
		columns[3] = "> " + number(float64(p.limits.Time)/float64(our.Took)) + " ×"
	}
	if r.answered() {
		columns[4] = number(r.Min) + "-" + number(r.Max)
		columns[6] = fmt.Sprintf("%s / %d", span(float64(r.Best.Voluntary), float64(r.Worst.Voluntary)), r.Minimum)
	}
	switch r.Status {
	case Valid:
		columns[5], columns[7] = span(r.Best.Regret, r.Worst.Regret), "yes"
	default: // regret is against the best complete answer, and this may not be one
		columns[7] = fmt.Sprintf("**%s**: %s", r.Status, cell(r.Detail))
	}
	if r.Calls > 1 {
		columns[8] = fmt.Sprintf("%d of %d", r.Distinct, r.Calls)
	}
	return "| " + strings.Join(columns, " | ") + " |"
}

// timeOf is the time of a result in words.
func timeOf(r *Result, l limits) string {
	switch {
	case r.Status == Late:
		return "> " + duration(l.Time)
	case r.answered():
		return duration(r.Took)
	}
	return "–"
}

// describe names a case in words.
func describe(c Case) string {
	s := c.Shape
	text := fmt.Sprintf("%d topics × %d partitions × %d members", s.Topics, s.Partitions, s.Members)
	if s.Skewed {
		text = fmt.Sprintf("%d topics, few of them large, with %d partitions × %d members", s.Topics, s.Topics*s.Partitions, s.Members)
	}
	if s.Racks > 0 {
		text += fmt.Sprintf(" in %d racks", s.Racks)
	}
	return fmt.Sprintf("%s, %s subscriptions, %s", text, s.Subscriptions, c.Phase)
}

// cell makes a text fit into a table.
func cell(text string) string {
	const most = 160
	text = strings.NewReplacer("\n", " ", "|", `\|`).Replace(text)
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}

// span is one number if both are the same.
func span(low, high float64) string {
	if low > high {
		low, high = high, low // the better of two answers may move more
	}
	if low == high {
		return number(low)
	}
	return number(low) + "-" + number(high)
}

// number has three digits where there are no more before the point.
func number(x float64) string {
	switch {
	case x == float64(int64(x)):
		return fmt.Sprintf("%.0f", x)
	case x < 1:
		return fmt.Sprintf("%.2f", x)
	case x < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%.0f µs", float64(d)/1e3)
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
