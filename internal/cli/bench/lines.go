package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/internal/cli/output"
)

// writer chooses how results are printed.
func (o *options) writer(s *bench.Suite, before *baseline) writer {
	v := verdicts{keep: o.junit != ""}
	switch {
	case before != nil:
		return &comparing{options: o, suite: s, before: before, after: newBaseline(), v: v}
	case o.format == output.JSON:
		return &jsonLines{out: o.io.Out, steps: o.steps, v: v}
	case o.format == csvFormat:
		return &csvLines{out: csv.NewWriter(o.io.Out), steps: o.steps, time: o.time, v: v}
	}
	return &tables{options: o, suite: s, v: v}
}

// jsonLines prints each result as a line, as soon as it is there.
type jsonLines struct {
	out   io.Writer
	steps bool
	v     verdicts
}

// line is a result in its JSON form.
type line struct {
	bench.Result
	Failed *[]failure `json:"failed,omitempty"` // nil: nothing was asserted
}

type failure struct {
	Step    int    `json:"step"`
	Event   string `json:"event"`
	Assert  string `json:"assert"`
	Problem string `json:"problem"`
}

func (l *jsonLines) result(r *bench.Result) error {
	doc := line{Result: *r}
	if !l.steps {
		doc.Steps = nil
	}
	if r.Asserted != nil {
		list := make([]failure, len(r.Failed))
		for i := range r.Failed {
			f := &r.Failed[i]
			list[i] = failure{f.Step, f.Event, f.Source, f.Problem}
		}
		doc.Failed = &list
	}
	return writeLine(l.out, &doc)
}

// writeLine writes a JSON object and ends the line, in one call.
func writeLine(out io.Writer, doc any) error {
	text, err := output.EncodeJSON(doc)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}

func (l *jsonLines) end() error          { return nil }
func (l *jsonLines) verdicts() *verdicts { return &l.v }

// csvLines prints a row for each result, or for each of its steps.
type csvLines struct {
	out         *csv.Writer
	steps, time bool
	titled      bool
	v           verdicts
}

func (l *csvLines) result(r *bench.Result) error {
	start := []string{r.Workload, r.Strategy, strconv.FormatUint(r.Seed, 10)}
	titles := []string{"workload", "strategy", "seed"}
	if !l.steps {
		names, values := l.columns(reflect.ValueOf(r.Total))
		return l.rows(append(titles, names...), [][]string{append(start, values...)})
	}
	var rows [][]string
	for i := range r.Steps {
		names, values := l.columns(reflect.ValueOf(r.Steps[i]))
		if i == 0 {
			titles = append(append(titles, "step"), names...)
		}
		rows = append(rows, append(append(start[:3:3], strconv.Itoa(i)), values...))
	}
	return l.rows(titles, rows)
}

func (l *csvLines) rows(titles []string, rows [][]string) error {
	if !l.titled {
		l.titled = true
		rows = append([][]string{titles}, rows...)
	}
	for _, row := range rows {
		if err := l.out.Write(row); err != nil {
			return err
		}
	}
	l.out.Flush()
	return l.out.Error()
}

// columns are the fields of a struct, those of structs within in their place, by their names in JSON.
func (l *csvLines) columns(v reflect.Value) (names, values []string) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch x := v.Field(i); {
		case field.Type == reflect.TypeFor[bench.Cost]() && !l.time:
		case x.Kind() == reflect.Struct:
			n, t := l.columns(x)
			names, values = append(names, n...), append(values, t...)
		default:
			names = append(names, name)
			values = append(values, fmt.Sprint(x.Interface()))
		}
	}
	return names, values
}

func (l *csvLines) end() error          { return nil }
func (l *csvLines) verdicts() *verdicts { return &l.v }
