package simulation

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/assignkit/assignkit/internal/expression"
)

// Limits of assertions.
const (
	MaxAssertions = 1000
	MaxChecks     = 1_000_000 // steps times assertions

	maxTold   = 1000 // failures of one result whose values are told
	maxSource = 200  // characters of an expression that a failure repeats
)

// An Assertion is what has to be so after each step: an expression such as "skew <= 1". docs/scenarios.md lists what it may speak of.
// It is not changed once made, and may be used several times at once.
type Assertion struct {
	program *expression.Program
	text    string // in one line
}

// ParseAssertion checks an expression and compiles it. The error shows where in it the fault is, over several lines.
func ParseAssertion(source string) (*Assertion, error) {
	return compileAssertion(source, expression.Position{})
}

func compileAssertion(source string, at expression.Position) (*Assertion, error) {
	p, err := expression.Compile(source, expression.Options{
		Env: &variables{}, Want: expression.Bool, At: at, Functions: []expression.Function{ownerFunction},
	})
	var known *expression.Error
	if errors.As(err, &known) {
		inWords(known)
	}
	if err != nil {
		return nil, err
	}
	return &Assertion{program: p, text: oneLine(source)}, nil
}

// typeNames are how the compiler calls lists and what has fields.
var typeNames = regexp.MustCompile(`(\[\])?simulation\.(\w+)Variable\b`)

// inWords adds to an error what only this package knows about its variables.
func inWords(e *expression.Error) {
	list, fields := false, ""
	e.Problem = strings.TrimSpace(typeNames.ReplaceAllStringFunc(e.Problem, func(name string) string {
		if strings.HasPrefix(name, "[]") {
			list = true
			return "a list"
		}
		fields = typeNames.FindStringSubmatch(name)[2]
		return "something with fields"
	}))
	switch {
	case e.Hint != "":
	case strings.Contains(e.Problem, `Operator("=")`):
		e.Hint = "== compares"
	case list:
		e.Hint = "len(members) and len(partitions) are how many there are"
	case fields == "step":
		e.Hint = "step.number is its number"
	case fields == "moved":
		e.Hint = "moved.total is how many there are"
	case strings.HasSuffix(e.Problem, "is not callable"):
		e.Hint = "max, min and mean are measures of the step here"
	}
}

// String returns the expression in one line.
func (a *Assertion) String() string { return a.text }

// A Failure is an assertion that does not hold after a step.
type Failure struct {
	Step      int    // 0 is the start
	Event     string // as in [Step]
	Assertion int    // which of those that were checked, from 0
	Source    string // the expression, in one line
	// Problem is one line: the values that the expression has looked at, or why it has no result. Of many failures, later ones have none.
	Problem string
	Broken  bool // it has no result, as that of an index beyond a list
}

// String says what failed at which step, in one line. Of a long expression it has the beginning.
func (f *Failure) String() string {
	text := "does not hold"
	if f.Broken {
		text = "cannot be evaluated"
	}
	if f.Problem != "" {
		text += ": " + f.Problem
	}
	source := f.Source
	if runes := []rune(source); len(runes) > maxSource {
		source = string(runes[:maxSource]) + "..."
	}
	return fmt.Sprintf("step %d (%s): %s %s", f.Step, oneLine(f.Event), source, text)
}

// Assert checks assertions after every step of a result, the start as well, and returns those that fail, by step, and of one step in
// the order of the assertions. It changes neither, and may run several times at once.
//
// The error is that of ctx, or says that there is too much to check: more than [MaxAssertions] or [MaxChecks], or loops within loops
// of an expression that take more than seconds.
func Assert(ctx context.Context, r *Result, assertions []*Assertion) ([]Failure, error) {
	switch {
	case len(assertions) == 0:
		return nil, nil
	case len(assertions) > MaxAssertions:
		return nil, fmt.Errorf("%d assertions; %d are allowed", len(assertions), MaxAssertions)
	case len(assertions)*len(r.Steps) > MaxChecks:
		return nil, fmt.Errorf("%d assertions after each of %d steps; %d checks are allowed", len(assertions), len(r.Steps), MaxChecks)
	}
	return assert(ctx, r, assertions, budget(r, len(assertions)))
}

// assert is Assert with a budget of steps of the evaluator.
func assert(ctx context.Context, r *Result, assertions []*Assertion, budget int64) ([]Failure, error) {
	run := expression.NewEvaluator(ctx, budget)
	defer run.Close()
	topics := sync.OnceValue(func() map[string]bool { return topicsOf(r) })
	var failures []Failure
	for i := range r.Steps {
		v, err := newVariables(r, i, assertions)
		if err != nil {
			return nil, err
		}
		v.topics = topics
		run.Attach(&v.Env)
		for k, a := range assertions {
			f := Failure{Step: i, Event: r.Steps[i].Event, Assertion: k, Source: a.String()}
			fails, err := f.check(run, a.program, v, len(failures) < maxTold)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case errors.Is(err, expression.ErrBudget):
				err = errors.New("takes too long: loops within loops are to look at less")
				fallthrough
			case err != nil:
				return nil, fmt.Errorf("%s: step %d (%s): %s %w", r.Strategy, i, f.Event, f.Source, err)
			case fails:
				failures = append(failures, f)
			}
		}
	}
	return failures, nil
}

// check evaluates an assertion, and notes why it fails if it does.
func (f *Failure) check(run *expression.Evaluator, p *expression.Program, v *variables, tell bool) (fails bool, err error) {
	v.asked = v.asked[:0]
	holds, err := run.Bool(p, v)
	var known *expression.Error
	switch {
	case errors.As(err, &known) && known.Err == nil:
		f.Broken, f.Problem = true, oneLine(strings.ReplaceAll(known.Problem, "<nil>", "nothing"))
		return true, nil
	case err != nil:
		return false, err
	case !holds && tell:
		f.Problem = v.words(p)
	}
	return !holds, nil
}

// budget lets every assertion look at all members and partitions of all steps several times.
func budget(r *Result, assertions int) int64 {
	size := int64(0)
	for i := range r.Steps {
		size += int64(r.Steps[i].Metrics.Members + r.Steps[i].Metrics.Partitions)
	}
	return expression.DefaultBudget + 8*size*int64(assertions)
}

// topicsOf are all that are there at some step.
func topicsOf(r *Result) map[string]bool {
	names := map[string]bool{}
	for i := range r.Steps {
		topics := r.Steps[i].Group.Topics
		if i > 0 {
			if before := r.Steps[i-1].Group.Topics; len(topics) == len(before) && (len(topics) == 0 || &topics[0] == &before[0]) {
				continue
			}
		}
		for k := range topics {
			names[topics[k].Name] = true
		}
	}
	return names
}
