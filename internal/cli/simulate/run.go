package simulate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	why "github.com/assignkit/assignkit/internal/cli/explain"
	"github.com/assignkit/assignkit/internal/cli/junit"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/cli/strategies"
	"github.com/assignkit/assignkit/internal/cli/subject"
	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// A runner has the strategies to compare.
type runner struct {
	strategies []candidate
	verdicts   verdicts
	question   question
	book       book
}

// candidate is a strategy and how it was named.
type candidate struct {
	spec     string
	assignor strategy.Assignor
}

// newRunner parses the specifications. Those of the command line go before those of the scenario.
func newRunner(flags []string, scenario *simulation.Scenario) (r *runner, err error) {
	specs := flags
	if len(specs) == 0 {
		specs = scenario.Strategies
	}
	if len(specs) == 0 {
		specs = []string{defaultStrategy}
	}
	r = &runner{}
	for i, spec := range specs {
		var a strategy.Assignor
		if len(flags) > 0 {
			a, err = strategies.Parse(spec)
		} else if a, err = strategy.Parse(spec); err != nil {
			err = scenario.StrategyError(i, err)
		}
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
		r.strategies = append(r.strategies, candidate{spec: spec, assignor: a})
	}
	return r, nil
}

func (r *runner) assignors() (all []strategy.Assignor) {
	for _, s := range r.strategies {
		all = append(all, s.assignor)
	}
	return all
}

func (r *runner) close() error {
	var errs []error
	for _, s := range r.strategies {
		errs = append(errs, strategy.Close(s.assignor))
	}
	return errors.Join(errs...)
}

// afford refuses what all strategies together would have to keep in memory until it is printed.
func (r *runner) afford(subjects []subject.Subject) error {
	total := int64(0)
	for i := range subjects {
		size, err := subjects[i].Scenario.Size()
		if err != nil {
			return fmt.Errorf("%s%w", subject.Prefix(subjects[i].Name), err)
		}
		results := len(r.strategies)
		if subjects[i].Recorded != nil {
			results++
		}
		if total += size * int64(results); total > simulation.MaxSize {
			return fmt.Errorf("%stoo large: partitions times steps times strategies come to more than %d; compare fewer strategies, or simulate fewer steps",
				subject.Prefix(subjects[i].Name), simulation.MaxSize)
		}
	}
	return nil
}

// outcomes has one case's results, a strategy each, behind what was recorded if that is known.
type outcomes struct {
	name    string // "" if it is the only case
	results []*simulation.Result
	failed  [][]simulation.Failure // of each result; nil where nothing was asserted
	// explained is what was asked with --explain, of each result; nil where nothing was asked.
	explained []*why.Account
}

// run runs a case with every strategy.
func (r *runner) run(ctx context.Context, s *subject.Subject) (*outcomes, error) {
	out := &outcomes{name: s.Name}
	if s.Recorded != nil {
		account, err := r.question.explain(ctx, s.Recorded, nil)
		if err != nil {
			return nil, fmt.Errorf("%s%w", subject.Prefix(s.Name), err)
		}
		out.results, out.explained = append(out.results, s.Recorded), append(out.explained, account)
	}
	for _, c := range r.strategies {
		result, err := simulation.Run(ctx, &s.Scenario, c.spec, c.assignor)
		if err != nil {
			if s.Name != "" {
				err = fmt.Errorf("%s: %w", s.Name, err)
			}
			return nil, err
		}
		account, err := r.question.explain(ctx, result, c.assignor)
		if err != nil {
			return nil, fmt.Errorf("%s%w", subject.Prefix(s.Name), err)
		}
		out.results, out.explained = append(out.results, result), append(out.explained, account)
	}
	if err := r.verdicts.assert(ctx, s, out); err != nil {
		return nil, err
	}
	return out, r.book.add(out)
}

// run is the command.
func run(ctx context.Context, o *options) (err error) {
	subjects, err := o.Load(ctx)
	if err != nil {
		return err
	}
	for i := range subjects {
		s := &subjects[i].Scenario
		s.Assertions = append(s.Assertions[:len(s.Assertions):len(s.Assertions)], o.assertions...)
	}
	r, err := newRunner(o.strategies, &subjects[0].Scenario)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	strategies.Attend(o.IO, r.assignors()...)
	r.question = o.question
	if o.whatIf.asked() {
		return o.runWhatIf(ctx, r, subjects)
	}
	if err := r.afford(subjects); err != nil {
		return err
	}
	r.book.wanted = o.html != ""
	if r.verdicts.keep = o.junit != ""; r.verdicts.keep && !slices.ContainsFunc(subjects, func(s subject.Subject) bool { return len(s.Scenario.Assertions) > 0 }) {
		return fault.Usage("--junit reports on assertions, and there are none: --assert adds one")
	}
	if err := o.print(ctx, r, subjects); err != nil {
		return err
	}
	return r.verdicts.err()
}

// print runs all cases and prints what comes of them, behind the files of --junit and --html: if one cannot be written, nothing is printed.
func (o *options) print(ctx context.Context, r *runner, subjects []subject.Subject) error {
	if o.format == output.JSON || o.format == output.YAML {
		return o.printJSON(ctx, r, subjects)
	}
	var text []byte
	for i := range subjects {
		cases, err := r.run(ctx, &subjects[i])
		if err != nil {
			return err
		}
		if i > 0 {
			text = append(text, '\n')
		}
		text = o.appendReport(text, cases)
	}
	if err := o.finish(ctx, r); err != nil {
		return err
	}
	_, err := o.IO.Out.Write(text)
	return err
}

// finish is what comes between running all cases and printing them.
func (o *options) finish(ctx context.Context, r *runner) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if o.junit != "" {
		if err := junit.Write(o.junit, "assignctl simulate", r.verdicts.suites); err != nil {
			return err
		}
	}
	if o.html == "" {
		return nil
	}
	return o.writeHTML(&r.book)
}

func (o *options) runWhatIf(ctx context.Context, r *runner, subjects []subject.Subject) error {
	if len(subjects) > 1 {
		return fmt.Errorf("--what-if takes one case; there are %d", len(subjects))
	}
	list, err := r.whatIf(ctx, &subjects[0].Scenario.Group, o.whatIf)
	if err != nil {
		return err
	}
	if o.format == output.JSON || o.format == output.YAML {
		doc, err := json.Marshal(map[string]any{"results": list})
		if err != nil {
			return err
		}
		return output.Print(o.IO.Out, o.format, doc)
	}
	_, err = o.IO.Out.Write(appendWhatIf(nil, list, o.paper()))
	return err
}

// paper is what tables are written on.
func (o *options) paper() output.Paper { return output.Paper{Width: o.IO.Width, Color: o.IO.Color} }
