//go:build unix

package plugin

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestErrors has an error say which plugin failed at what, why and what it wrote.
func TestErrors(t *testing.T) {
	linuxOnly(t)
	s := newStage(t)
	a := s.plugin(t, Config{StartTimeout: patience}, "rawempty")
	_, err := a.Assign(context.Background(), smallGroup())
	if !errors.Is(err, ErrAnswer) {
		t.Error(err)
	}
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Plugin != "rawempty" || e.Op != "assign" || strings.TrimSpace(e.Stderr) != "the cause" {
		t.Errorf("%+v", e)
	}
	want := "plugin rawempty: assign: the plugin's answer makes no sense: owners of 0 partitions, where the group has 4; it wrote: the cause"
	if err.Error() != want {
		t.Errorf("%s, want %s", err, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := a.Assign(ctx, smallGroup()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Describe(context.Background(), Config{Private: s.dir, Memory: -1, StartTimeout: patience}, executable(t, folder(t), "rawempty")); !errors.Is(err, ErrAnswer) {
		t.Errorf("self-test: %v", err)
	}
	lines := &Error{Plugin: "x", Op: "start", Err: ErrStart, Stderr: "one\ntwo\n"}
	if want := "plugin x: start: the plugin did not start; it wrote: one | two"; lines.Error() != want {
		t.Errorf("%s, want %s", lines, want)
	}
	_ = a.Close()
	s.gone(t)
}
