package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/internal/cli/junit"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/cli/strategies"
	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// defaultStrategies are compared where the command line names none.
var defaultStrategies = []string{"sticky", "range", "roundrobin"}

// linger is how long what is done may take to be printed after an interrupt.
const linger = 2 * time.Second

// run is the command.
func run(ctx context.Context, o *options) (err error) {
	workloads, err := o.load()
	if err != nil {
		return err
	}
	if o.list {
		return o.printList(workloads)
	}
	before, err := o.readBefore()
	if err != nil {
		return err
	}
	s := &bench.Suite{
		Workloads: workloads, First: o.first, Seeds: o.seeds,
		// Pages draw who has what. Where time is measured nothing is kept, and measures are drawn.
		Options: bench.Options{Time: o.time, Assertions: o.assertions, Keep: o.html != "" && !o.time},
	}
	defer func() { err = errors.Join(err, closeAll(s.Strategies)) }()
	if err := o.parse(s); err != nil {
		return err
	}
	if err := o.checkJUnit(s); err != nil {
		return err
	}
	w := o.writer(s, before)
	pages := o.newBook(s)
	done, err := o.runAll(ctx, s, w, pages)
	switch {
	case err == nil:
	case ctx.Err() != nil: // what is done is worth having
		fmt.Fprintf(o.io.Err, "%s: %d of %s are done\n", o.io.Name, done, output.Count(s.Runs(), "run"))
		return errors.Join(ctx.Err(), w.end())
	default:
		return err
	}
	if err := o.writeJUnit(w.verdicts()); err != nil {
		return err
	}
	if err := pages.write(); err != nil {
		return err
	}
	if err := w.end(); err != nil {
		return err
	}
	return w.verdicts().err()
}

// parse makes the strategies, which are to be closed whatever the error.
func (o *options) parse(s *bench.Suite) error {
	specs := o.strategies
	if len(specs) == 0 {
		specs = defaultStrategies
	}
	var all []strategy.Assignor
	for _, spec := range specs {
		a, err := strategies.Parse(spec)
		if err != nil {
			return err
		}
		s.Strategies = append(s.Strategies, bench.Strategy{Spec: spec, Assignor: a})
		all = append(all, a)
	}
	strategies.Attend(o.io, all...)
	return nil
}

func closeAll(list []bench.Strategy) error {
	var errs []error
	for _, s := range list {
		errs = append(errs, strategy.Close(s.Assignor))
	}
	return errors.Join(errs...)
}

// runAll hands the results to w and the page, and returns how many there were.
func (o *options) runAll(ctx context.Context, s *bench.Suite, w writer, pages *book) (done int, err error) {
	o.io.Linger.Store(int64(linger))
	bar := newBar(o.io, s.Runs())
	defer bar.clear()
	err = s.Run(ctx, func(r *bench.Result) error {
		done++
		bar.show(done, r.Workload)
		w.verdicts().add(r)
		if err := pages.add(r); err != nil {
			return err
		}
		return w.result(r)
	})
	return done, err
}

// A writer prints results.
type writer interface {
	result(*bench.Result) error
	end() error // prints what has been waited with
	verdicts() *verdicts
}

// verdicts are what became of assertions.
type verdicts struct {
	keep             bool // for a file
	suites           []*suite
	checks, failures int
	told             []string // of the failures, the first ones
}

// A suite is a workload under a strategy: a check for each seed and assertion.
type suite struct {
	name  string
	cases []junit.Case
}

// maxTold is how many failures are told; the JUnit file and JSON have all.
const maxTold = 50

func (v *verdicts) add(r *bench.Result) {
	if r.Asserted == nil {
		return
	}
	v.checks += r.Total.Steps * len(r.Asserted)
	v.failures += len(r.Failed)
	for i := range r.Failed[:min(len(r.Failed), maxTold-len(v.told))] {
		v.told = append(v.told, fmt.Sprintf("%s: %s, seed %d: %s", r.Workload, r.Strategy, r.Seed, &r.Failed[i]))
	}
	if !v.keep {
		return
	}
	name := r.Workload + ": " + r.Strategy
	if len(v.suites) == 0 || v.suites[len(v.suites)-1].name != name {
		v.suites = append(v.suites, &suite{name: name})
	}
	s := v.suites[len(v.suites)-1]
	for k, a := range r.Asserted {
		s.cases = append(s.cases, newCase(r, k, a))
	}
}

// newCase is one assertion after all steps of a run.
func newCase(r *bench.Result, number int, a *simulation.Assertion) junit.Case {
	c := junit.Case{Name: fmt.Sprintf("seed %d: %s", r.Seed, a)}
	var text []string
	for i := range r.Failed {
		f := &r.Failed[i]
		if f.Assertion != number {
			continue
		}
		if len(text) == 0 {
			c.Outcome, c.Message = junit.Failed, fmt.Sprintf("step %d (%s): %s", f.Step, f.Event, cmp.Or(f.Problem, "does not hold"))
		}
		if f.Broken {
			c.Outcome = junit.Broken
		}
		text = append(text, f.String())
	}
	if n := len(text); n > maxTold {
		text = append(text[:maxTold], fmt.Sprintf("and %d more", n-maxTold))
	}
	c.Text = strings.Join(text, "\n")
	return c
}

// err tells of the failures, nil if there are none.
func (v *verdicts) err() error {
	if v.failures == 0 {
		return nil
	}
	more := ""
	if n := v.failures - len(v.told); n > 0 {
		more = fmt.Sprintf("\n  and %d more", n)
	}
	return fault.Assertion("%d of %d checks failed:\n  %s%s", v.failures, v.checks, strings.Join(v.told, "\n  "), more)
}

// checkJUnit refuses a file about assertions where there are none.
func (o *options) checkJUnit(s *bench.Suite) error {
	if o.junit == "" || len(o.assertions) > 0 {
		return nil
	}
	for _, w := range s.Workloads {
		if q, err := w.New(o.first); err != nil || len(q.Scenario.Assertions) > 0 {
			return err
		}
	}
	return fault.Usage("--junit reports on assertions, and there are none: --assert adds one")
}

func (o *options) writeJUnit(v *verdicts) error {
	if o.junit == "" {
		return nil
	}
	suites := make([]junit.Suite, len(v.suites))
	for i, s := range v.suites {
		suites[i] = junit.Suite{Name: s.name, Cases: slices.Values(s.cases)}
	}
	return junit.Write(o.junit, "assignctl bench", suites)
}
