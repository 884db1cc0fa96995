package strategytest

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assignkit/assignkit/internal/groupjson"
	"github.com/assignkit/assignkit/strategy"
)

// A checker applies rules to one assignor. It makes all calls, so that none can crash or stop the check.
type checker struct {
	Options
	newAssignor func() strategy.Assignor
	groups      []testGroup
	made        []strategy.Assignor // to be closed
	shared      strategy.Assignor   // for rules that need none of their own
	firsts      map[string]result   // by the name of the group
	faults      []*Fault            // of the rule that is being applied, the first ones
	more        int                 // faults besides

	lock sync.Mutex
	hung map[string]bool // groups and methods that a call has not returned from
}

// A result is what one call returns.
type result struct {
	answer strategy.Assignment
	err    error
}

// A testGroup is a group that an assignor has to answer for.
type testGroup struct {
	name string
	*strategy.Group
}

// large says whether to answer takes long enough for it to be interrupted, or for calls to overlap.
func (g testGroup) large() bool {
	n := 0
	for i := range g.Topics {
		n += int(g.Topics[i].Partitions)
	}
	return n >= 2000
}

func newChecker(o Options, newAssignor func() strategy.Assignor) *checker {
	if o.Patience <= 0 {
		o.Patience = 5 * time.Second
	}
	return &checker{Options: o, newAssignor: newAssignor, groups: groups(), firsts: map[string]result{}, hung: map[string]bool{}}
}

// apply returns the faults that a rule finds.
func (c *checker) apply(r rule) []*Fault {
	c.faults, c.more = nil, 0
	if c.shared == nil {
		c.shared = c.make()
	}
	if c.shared == nil {
		return []*Fault{{Rule: r.name, Detail: "there is no assignor: the function that makes it panics or returns nil"}}
	}
	r.check(c)
	faults := c.faults
	if c.more > 0 {
		faults = append(faults, &Fault{Detail: fmt.Sprintf("and %d more", c.more)})
	}
	for _, f := range faults {
		f.Rule = r.name
	}
	return faults
}

// maxFaults is the most that one rule reports: what is wrong is mostly wrong for most groups.
const maxFaults = 3

// fault notes what is wrong.
func (c *checker) fault(format string, args ...any) {
	if len(c.faults) == maxFaults {
		c.more++
		return
	}
	c.faults = append(c.faults, &Fault{Detail: fmt.Sprintf(format, args...)})
}

// faultAt notes what is wrong with the answer to one group.
func (c *checker) faultAt(g testGroup, format string, args ...any) {
	if len(c.faults) == maxFaults { // before anything is written
		c.more++
		return
	}
	c.fault("group %q: %s\n%s", g.name, fmt.Sprintf(format, args...), groupjson.AppendGroup(nil, g.Group))
}

// make makes an assignor, nil if that fails.
func (c *checker) make() strategy.Assignor {
	var a strategy.Assignor
	if err := guard(func() { a = c.newAssignor() }); err != nil || a == nil {
		return nil
	}
	c.made = append(c.made, a)
	return a
}

// close closes all assignors that were made.
func (c *checker) close() error {
	var errs []error
	for _, a := range c.made {
		err := c.bounded("Close", func() {
			if err := strategy.Close(a); err != nil {
				errs = append(errs, err)
			}
		})
		if err != nil {
			return err // it may still be adding to errs
		}
	}
	return errors.Join(errs...)
}

// errHang is found in what a call returns that has not come back.
var errHang = errors.New("does not return")

// maxHangs is how many calls may hang before no others are made.
const maxHangs = 2

// A panicError is a panic of the assignor's.
type panicError struct {
	value any
	stack string
}

func (e *panicError) Error() string { return fmt.Sprintf("panics: %v\n%s", e.value, e.stack) }

// guard calls f and returns its panic, if any.
func guard(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{value: v, stack: where(string(debug.Stack()))}
		}
	}()
	f()
	return nil
}

// where shortens a stack to the calls between the panic and this package.
func where(stack string) string {
	lines := strings.Split(strings.TrimSpace(stack), "\n")
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "panic(") }); i >= 0 && i+2 < len(lines) {
		lines = lines[i+2:]
	}
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "strategytest.guard(") }); i > 0 {
		lines = lines[:i]
	}
	return strings.Join(lines[:min(len(lines), 12)], "\n")
}

// bounded calls f, and gives up on it when patience ends; what names the call. f goes on running then, so that the caller must not
// touch what it writes unless err is nil or a panic.
func (c *checker) bounded(what string, f func()) error {
	c.lock.Lock()
	hung := c.hung[what] || len(c.hung) >= maxHangs
	c.lock.Unlock()
	if hung {
		return fmt.Errorf("%w: it hung before, so it is not called again", errHang)
	}
	done := make(chan error, 1)
	go func() { done <- guard(f) }()
	timer := time.NewTimer(c.Patience)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		c.lock.Lock()
		c.hung[what] = true
		c.lock.Unlock()
		return fmt.Errorf("%w within %v", errHang, c.Patience)
	}
}

// assign has a answer for a copy of g, so that whoever changes it spoils no other call.
func (c *checker) assign(ctx context.Context, a strategy.Assignor, g testGroup) (strategy.Assignment, error) {
	return c.assignItself(ctx, a, testGroup{g.name, g.Clone()})
}

// assignItself has a answer for g. The error is the assignor's own, a [*panicError], or an [errHang].
func (c *checker) assignItself(ctx context.Context, a strategy.Assignor, g testGroup) (strategy.Assignment, error) {
	// f may still be writing when this returns, hence a result that is nobody else's.
	r := new(result)
	err := c.bounded("Assign for group "+g.name, func() { r.answer, r.err = a.Assign(ctx, g.Group) })
	if err != nil {
		return strategy.Assignment{}, err
	}
	return r.answer, r.err
}

// first is what the shared assignor says of g the first time, which all other answers are compared with.
func (c *checker) first(g testGroup) (strategy.Assignment, error) {
	if f, ok := c.firsts[g.name]; ok {
		return f.answer, f.err
	}
	a, err := c.assign(context.Background(), c.shared, g)
	if err == nil {
		a = copied(&a) // whoever changes it later is found by a rule
	}
	c.firsts[g.name] = result{a, err}
	return a, err
}

// answer is first for rules that leave it to another to say why there is none.
func (c *checker) answer(g testGroup) (strategy.Assignment, bool) {
	a, err := c.first(g)
	return a, err == nil
}

// name returns a's name, "" if it fails.
func (c *checker) name(a strategy.Assignor) string {
	name := new(string)
	if err := c.bounded("Name", func() { *name = a.Name() }); err != nil {
		return ""
	}
	return *name
}

// protocol returns a's rebalance protocol, eager if it fails.
func (c *checker) protocol(a strategy.Assignor) strategy.Protocol {
	p := new(strategy.Protocol)
	if err := c.bounded("Protocol", func() { *p = strategy.ProtocolOf(a) }); err != nil {
		return strategy.ProtocolEager
	}
	return *p
}
