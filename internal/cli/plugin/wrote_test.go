package plugin

import (
	"errors"
	"fmt"
	"testing"

	host "github.com/assignkit/assignkit/plugin"
)

func TestMessage(t *testing.T) {
	wrote := func(text string) error {
		return &host.Error{Plugin: "x", Op: "start", Err: host.ErrStart, Stderr: text}
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("one\ntwo"), "one\ntwo"},
		{wrote(""), "plugin x: start: the plugin did not start"},
		{wrote("one\n"), "plugin x: start: the plugin did not start; it wrote: one"},
		{wrote("one\n  two\n"), "plugin x: start: the plugin did not start; it wrote:\n    one\n      two"},
		{fmt.Errorf("step 0: %w", wrote("one\ntwo")), "step 0: plugin x: start: the plugin did not start; it wrote:\n    one\n    two"},
		{fmt.Errorf("%w; try this", wrote("one\ntwo")), "plugin x: start: the plugin did not start; it wrote:\n    one\n    two\ntry this"},
		{fmt.Errorf("another text, %w", errors.Join(errors.New("a"), wrote("one\ntwo"))), "another text, a\nplugin x: start: the plugin did not start; it wrote:\n    one\n    two"},
	} {
		if got := Message(c.err); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
