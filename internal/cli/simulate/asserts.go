package simulate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

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
	suites []suite // kept where a file is wanted
	keep   bool

	checks, failures int
	told             []string // of the failures, the first ones
}

// A suite is a strategy's result as far as assertions go.
type suite struct {
	name       string // the case, if there are several, and the strategy
	events     []string
	assertions []*simulation.Assertion
	failures   []simulation.Failure
}

// assert checks one case's results, but for what was recorded: that has happened, and no strategy is to blame.
func (v *verdicts) assert(ctx context.Context, s *subject, out *outcomes) error {
	if len(s.scenario.Assertions) == 0 {
		return nil
	}
	out.failed = make([][]simulation.Failure, len(out.results))
	type failure struct {
		simulation.Failure
		strategy string
	}
	var all []failure
	for i, r := range out.results {
		if r == s.recorded {
			continue
		}
		failures, err := simulation.Assert(ctx, r, s.scenario.Assertions)
		if err != nil {
			return fmt.Errorf("%s%w", prefix(s.name), err)
		}
		if out.failed[i] = failures; failures == nil {
			out.failed[i] = []simulation.Failure{} // not nil: it was checked
		}
		v.checks += len(r.Steps) * len(s.scenario.Assertions)
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
		v.told = append(v.told, fmt.Sprintf("%s%s: %s", prefix(s.name), f.strategy, &f.Failure))
	}
	return nil
}

func newSuite(s *subject, r *simulation.Result, failures []simulation.Failure) suite {
	u := suite{name: prefix(s.name) + r.Strategy, assertions: s.scenario.Assertions, failures: failures}
	for i := range r.Steps {
		u.events = append(u.events, r.Steps[i].Event)
	}
	return u
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
