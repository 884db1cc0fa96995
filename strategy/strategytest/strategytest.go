// Package strategytest checks that an assignor keeps to the contract of package strategy, as testing/fstest does for file systems:
//
//	func TestPinned(t *testing.T) {
//		strategytest.Run(t, func() strategy.Assignor { return pinned{table} })
//	}
//
// It has the assignor answer for some hundred groups, ordinary and odd, each under a list of rules: that answers are complete and valid, do
// not depend on the order of anything, leave the group as it is, and so on. A broken rule is reported with the group that showed
// it, in the notation that "assignctl assign" reads.
//
// What belongs here: rules that hold for every assignor, and the groups to try them on. How good an answer is, is not among them; see
// [strategy.Measure].
package strategytest

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// Options says what an assignor may do that most may not. The zero value is right for most.
type Options struct {
	// Ineligible allows partitions that nobody gets because the assignor finds no member eligible.
	Ineligible bool
	// Limit allows partitions that nobody gets because every member has as many as the assignor lets it have.
	Limit bool
	// Patience is how long one call may take before it counts as hanging; 0 is five seconds.
	Patience time.Duration
}

// Run checks an assignor under the zero [Options], with a subtest for each rule. newAssignor is called several times, and has to make an assignor
// that shares no state with the ones before; each is closed in the end.
func Run(t *testing.T, newAssignor func() strategy.Assignor) {
	t.Helper()
	Options{}.Run(t, newAssignor)
}

// Check is Run outside of tests, as for a plugin that is about to be used: it returns all faults joined, each a [*Fault], or nil.
func Check(newAssignor func() strategy.Assignor) error {
	return Options{}.Check(newAssignor)
}

// Run is the function [Run] with options.
func (o Options) Run(t *testing.T, newAssignor func() strategy.Assignor) {
	t.Helper()
	c := newChecker(o, newAssignor)
	defer func() {
		if err := c.close(); err != nil {
			t.Errorf("closing the assignors: %v", err)
		}
	}()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, f := range c.apply(r) {
				t.Errorf("%s\n%s", r.explanation, f.Detail)
			}
		})
	}
}

// Check is the function [Check] with options.
func (o Options) Check(newAssignor func() strategy.Assignor) error {
	var errs []error
	err := o.Each(newAssignor, func(_, _ string, faults []*Fault) {
		for _, f := range faults {
			errs = append(errs, f)
		}
	})
	return errors.Join(append(errs, err)...)
}

// Each is Check rule by rule, for programs that show what is going on: report is called when a rule has been tried, with its name, what it demands in a sentence,
// and the faults that were found, none if it is kept. What is returned is what closing the assignors has failed with.
func (o Options) Each(newAssignor func() strategy.Assignor, report func(rule, demand string, faults []*Fault)) error {
	c := newChecker(o, newAssignor)
	for _, r := range rules {
		report(r.name, r.explanation, c.apply(r))
	}
	if err := c.close(); err != nil {
		return fmt.Errorf("closing the assignors: %w", err)
	}
	return nil
}

// A Fault is one way in which an assignor breaks a rule.
type Fault struct {
	Rule   string // its name, as in the subtests of [Run]
	Detail string // what happened, and with which group
}

func (f *Fault) Error() string {
	return f.Rule + ": " + strings.ReplaceAll(f.Detail, "\n", "\n\t")
}
