package plugin

import (
	"errors"
	"fmt"
	"testing"
)

// TestCauses counts failures as they are made: what kept a start from succeeding counts for more than that it did not.
func TestCauses(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Causes
	}{
		{fmt.Errorf("%w: no such file", ErrNotFound), Causes{Refused: 1}},
		{&Error{Plugin: "p", Op: "start", Err: ErrNotLocked}, Causes{Refused: 1}},
		{fmt.Errorf("%w: its sha256 is another", ErrChanged), Causes{Refused: 1}},
		{ErrUnsafe, Causes{Refused: 1}},
		{fmt.Errorf("%w: %w", ErrStart, ErrCrashed), Causes{Start: 1}},
		{fmt.Errorf("%w: signal: killed", ErrCrashed), Causes{Crash: 1}},
		{ErrUnresponsive, Causes{Unresponsive: 1}},
		{ErrTooLarge, Causes{Answer: 1}},
		{errors.New("something else"), Causes{Other: 1}},
	} {
		var got Causes
		got.count(c.err)
		if got != c.want {
			t.Errorf("%v counts as %+v", c.err, got)
		}
	}
}
