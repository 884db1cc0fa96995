package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	why "github.com/assignkit/assignkit/internal/cli/explain"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/cli/subject"
	"github.com/assignkit/assignkit/internal/groupjson"
	"github.com/assignkit/assignkit/simulation"
)

// printJSON runs all cases and prints them in one document. A case's results are written down and dropped before the next one runs.
func (o *options) printJSON(ctx context.Context, r *runner, subjects []subject.Subject) error {
	var d document
	d.last = append(d.last, `{"results":[`...)
	first := true
	for i := range subjects {
		cases, err := r.run(ctx, &subjects[i])
		if err != nil {
			return err
		}
		for k, result := range cases.results {
			if !first {
				d.last = append(d.last, ',')
			}
			first = false
			var failed []simulation.Failure
			if cases.failed != nil {
				failed = cases.failed[k]
			}
			if err := d.result(cases.name, result, failed, cases.explained[k]); err != nil {
				return err
			}
		}
	}
	d.last = append(d.last, "]}\n"...)
	if err := o.finish(ctx, r); err != nil {
		return err
	}
	if o.format == output.YAML {
		return output.Print(o.IO.Out, output.YAML, bytes.Join(d.pieces(), nil))
	}
	for _, piece := range d.pieces() {
		if _, err := o.IO.Out.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// result writes a result, what failed in it unless that is nil: nothing was asserted, and what was asked about it likewise.
func (d *document) result(name string, r *simulation.Result, failed []simulation.Failure, asked *why.Account) error {
	d.last = append(d.last, '{')
	if name != "" {
		d.last = groupjson.AppendString(append(d.last, `"case":`...), name)
		d.last = append(d.last, ',')
	}
	d.last = groupjson.AppendString(append(d.last, `"strategy":`...), r.Strategy)
	d.last = append(d.last, `,"steps":[`...)
	d.written = map[string]written{}
	for i := range r.Steps {
		if i > 0 {
			d.last = append(d.last, ',')
		}
		if err := d.writeStep(&r.Steps[i]); err != nil {
			return err
		}
	}
	total, err := json.Marshal(sum(r.Steps[1:]))
	if err != nil {
		return err
	}
	d.last = append(append(d.last, `],"total":`...), total...)
	if failed != nil {
		d.last = appendFailures(d.last, failed)
	}
	if asked != nil {
		text, err := output.EncodeJSON(asked)
		if err != nil {
			return err
		}
		d.last = append(append(d.last, `,"explanation":`...), bytes.TrimSpace(text)...)
	}
	d.last = append(d.last, '}')
	return nil
}

func appendFailures(dst []byte, failed []simulation.Failure) []byte {
	dst = append(dst, `,"failed":[`...)
	for i := range failed {
		if i > 0 {
			dst = append(dst, ',')
		}
		f := &failed[i]
		dst = strconv.AppendInt(append(dst, `{"step":`...), int64(f.Step), 10)
		dst = groupjson.AppendString(append(dst, `,"event":`...), f.Event)
		dst = groupjson.AppendString(append(dst, `,"assert":`...), f.Source)
		dst = groupjson.AppendString(append(dst, `,"problem":`...), f.Problem)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func (d *document) writeStep(s *simulation.Step) error {
	d.roll()
	d.last = groupjson.AppendString(append(d.last, `{"event":`...), s.Event)
	d.last = append(d.last, `,"assignment":`...)
	d.assignment(s.Assignment.Members)
	d.last = append(d.last, `,"moved":[`...)
	for i := range s.Moved {
		if i > 0 {
			d.last = append(d.last, ',')
		}
		d.last = appendMove(d.last, &s.Moved[i])
	}
	metrics, err := json.Marshal(s.Metrics)
	if err != nil {
		return err
	}
	d.last = append(append(d.last, `],"metrics":`...), metrics...)
	d.last = groupjson.AppendUnassigned(append(d.last, `,"unassigned":`...), s.Assignment.Unassigned)
	d.last = strconv.AppendInt(append(d.last, `,"rounds":`...), int64(s.Rounds), 10)
	d.last = groupjson.AppendStopped(d.last, &s.Assignment)
	d.last = append(d.last, '}')
	return nil
}

func appendMove(dst []byte, m *simulation.Move) []byte {
	dst = groupjson.AppendString(append(dst, `{"topic":`...), m.Topic)
	dst = strconv.AppendInt(append(dst, `,"partition":`...), int64(m.Partition), 10)
	dst = groupjson.AppendString(append(dst, `,"from":`...), m.From)
	dst = append(dst, `,"to":`...)
	if m.To == "" { // nobody
		dst = append(dst, "null"...)
	} else {
		dst = groupjson.AppendString(dst, m.To)
	}
	dst = groupjson.AppendString(append(dst, `,"kind":`...), m.Kind.String())
	return append(dst, '}')
}
