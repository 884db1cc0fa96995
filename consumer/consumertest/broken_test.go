package consumertest_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/consumer/consumertest"
)

type (
	assignment = callbacks.Assignment
	revocation = callbacks.Revocation
	loss       = callbacks.Loss
	host       = consumertest.Host
	subject    = consumertest.Subject
	options    = consumertest.CallbackOptions
)

// brief is for callbacks that are to be found hanging.
var brief = options{Patience: 400 * time.Millisecond}

// manual is for those that commit by themselves.
var manual = options{Commits: consumer.CommitManual}

// A broken subject, the rule that has to find it, and a part of what that says.
type broken struct {
	name, rule, says string
	options          options
	make             func(*host) subject
}

func check(t *testing.T, list []broken) {
	for _, test := range list {
		t.Run(test.name, func(t *testing.T) {
			err := test.options.Check(test.make)
			for _, f := range faults(err) {
				if f.Rule == test.rule && strings.Contains(f.Detail, test.says) {
					return
				}
			}
			t.Errorf("rule %q does not say %q, but\n%.3000v", test.rule, test.says, err)
		})
	}
}

func faults(err error) (list []*consumertest.Fault) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	for _, err := range joined.Unwrap() {
		var f *consumertest.Fault
		if errors.As(err, &f) {
			list = append(list, f)
		}
	}
	return list
}
