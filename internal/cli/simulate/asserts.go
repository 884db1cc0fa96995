package simulate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/internal/cli/junit"
	"github.com/assignkit/assignkit/internal/cli/subject"
	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/simulation"
)

// maxToldFailures is how many failures an error tells; the JUnit file and JSON have all.
const maxToldFailures = 50

func (o *options) addAssertion(text string) error {
	a, err := simulation.ParseAssertion(text)
	if err != nil {
		return err
	}
	o.assertions = append(o.assertions, a)
	return nil
}

// verdicts are what became of the assertions of all cases.
type verdicts struct {
	suites []junit.Suite // kept where a file is wanted
	keep   bool

	checks, failures int
	told             []string // of the failures, the first ones
}

// assert checks one case's results, but for what was recorded: that has happened, and no strategy is to blame.
func (v *verdicts) assert(ctx context.Context, s *subject.Subject, out *outcomes) error {
	if len(s.Scenario.Assertions) == 0 {
		return nil
	}
	out.failed = make([][]simulation.Failure, len(out.results))
	type failure struct {
		simulation.Failure
		strategy string
	}
	var all []failure
	for i, r := range out.results {
		if r == s.Recorded {
			continue
		}
		failures, err := simulation.Assert(ctx, r, s.Scenario.Assertions)
		if err != nil {
			return fmt.Errorf("%s%w", subject.Prefix(s.Name), err)
		}
		if out.failed[i] = failures; failures == nil {
			out.failed[i] = []simulation.Failure{} // not nil: it was checked
		}
		v.checks += len(r.Steps) * len(s.Scenario.Assertions)
		v.failures += len(failures)
		for _, f := range failures[:min(len(failures), maxToldFailures)] {
			all = append(all, failure{f, r.Strategy})
		}
		if v.keep {
			v.suites = append(v.suites, newSuite(s, r, failures))
		}
	}
	slices.SortStableFunc(all, func(a, b failure) int { return cmp.Compare(a.Step, b.Step) })
	for _, f := range all[:min(len(all), maxToldFailures-len(v.told))] {
		v.told = append(v.told, fmt.Sprintf("%s%s: %s", subject.Prefix(s.Name), f.strategy, &f.Failure))
	}
	return nil
}

// newSuite has a check for each step and assertion of a strategy's result.
func newSuite(s *subject.Subject, r *simulation.Result, failures []simulation.Failure) junit.Suite {
	events := make([]string, len(r.Steps)) // the result itself is not kept
	for i := range r.Steps {
		events[i] = r.Steps[i].Event
	}
	assertions := s.Scenario.Assertions
	return junit.Suite{Name: subject.Prefix(s.Name) + r.Strategy, Cases: func(yield func(junit.Case) bool) {
		left := failures // by step and assertion, as the cases are
		for step, event := range events {
			for k, a := range assertions {
				c := junit.Case{Name: fmt.Sprintf("step %d (%s): %s", step, event, a)}
				if len(left) > 0 && left[0].Step == step && left[0].Assertion == k {
					c.Outcome, c.Message, c.Text = junit.Failed, cmp.Or(left[0].Problem, "does not hold"), left[0].String()
					if left[0].Broken {
						c.Outcome = junit.Broken
					}
					left = left[1:]
				}
				if !yield(c) {
					return
				}
			}
		}
	}}
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
