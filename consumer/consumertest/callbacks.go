package consumertest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/strategy"
)

// A Subject is callbacks to be checked, and what else the check may use of the application they are part of. Only Callbacks is needed; the
// more there is, the more is found.
type Subject struct {
	Callbacks callbacks.Callbacks

	// State says whether the application keeps something for a partition, as in a map, a cache or a file that is open, and what: a text
	// that is the same for the same state, or "" if that is hard to say. It is called between callbacks; where one was given up because its
	// context had ended, it may still be running. Nil: not checked.
	State func(p strategy.TopicPartition) (text string, kept bool)
	// Handle processes the record at an offset, as the application's handler does. It is called for partitions that the member has, also
	// while a callback runs that is about other partitions; for one partition, it is called with one offset after another. A
	// partition that comes back goes on at its committed offset, or where OnAssign has it start, so that offsets may come again. Nil:
	// records count as handled.
	Handle func(p strategy.TopicPartition, offset int64) error
	// Close is called when the Subject is done with, and may say that something is wrong. May be nil.
	Close func() error
}

// CallbackOptions say what host is played. The zero value is right for most.
type CallbackOptions struct {
	// Commits is as in the application's consumer.Config. With CommitAuto, what was handled is committed now and then, and before a
	// revocation; with CommitManual only what the application commits is.
	Commits consumer.CommitMode
	// MayFail allows callbacks to fail though they have time, for applications whose test has them meet errors. What they must do
	// all the same is checked as otherwise.
	MayFail bool
	// Topics are the names of the partitions' topics. Nil: orders and payments.
	Topics []string
	// Patience is the time that one call is given, which is what its context's deadline says; and how long it may take to return
	// after its context has ended. 0: five seconds.
	Patience time.Duration
	// Seed chooses the longer sequences. The same seed makes the same ones; 0 is a seed like any other.
	Seed uint64
}

// TestCallbacks checks callbacks under the zero [CallbackOptions], with a subtest for each rule. newSubject is called for each sequence; what it
// returns must share no state with the ones before. The host is for applications that commit by themselves, see [Host.Commit].
func TestCallbacks(t *testing.T, newSubject func(h *Host) Subject) {
	t.Helper()
	CallbackOptions{}.Test(t, newSubject)
}

// CheckCallbacks is TestCallbacks outside of tests: it returns all faults joined, each a [*Fault], or nil.
func CheckCallbacks(newSubject func(h *Host) Subject) error {
	return CallbackOptions{}.Check(newSubject)
}

// Test is [TestCallbacks] with options.
func (o CallbackOptions) Test(t *testing.T, newSubject func(h *Host) Subject) {
	t.Helper()
	found := newChecker(o, newSubject).all()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, f := range found[r.name] {
				t.Errorf("%s\n%s", r.explanation, f.Detail)
			}
		})
	}
}

// Check is [CheckCallbacks] with options.
func (o CallbackOptions) Check(newSubject func(h *Host) Subject) error {
	found := newChecker(o, newSubject).all()
	var errs []error
	for _, r := range rules {
		for _, f := range found[r.name] {
			errs = append(errs, f)
		}
	}
	return errors.Join(errs...)
}

// A Fault is one way in which callbacks break a rule.
type Fault struct {
	Rule   string // its name, as in the subtests of [TestCallbacks]
	Detail string // what happened, and the sequence that led to it
}

func (f *Fault) Error() string {
	return f.Rule + ": " + strings.ReplaceAll(f.Detail, "\n", "\n\t")
}
