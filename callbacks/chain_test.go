package callbacks_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

func TestFuncsNil(t *testing.T) {
	for _, err := range three(t.Context(), callbacks.Funcs{}) {
		if err != nil {
			t.Error(err)
		}
	}
}

func TestChainOrder(t *testing.T) {
	var j journal
	c := callbacks.Chain(j.named("a", nil, false), nil, j.named("b", nil, false), j.named("c", nil, false))
	for _, err := range three(t.Context(), c) {
		if err != nil {
			t.Error(err)
		}
	}
	if got, want := j.String(), "a+ b+ c+ c- b- a- c! b! a!"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestChainGoesOn(t *testing.T) {
	var j journal
	errA, errB := errors.New("a failed"), errors.New("b gave way")
	c := callbacks.Chain(j.named("a", errA, false), j.named("b", errB, true), j.named("c", nil, false))
	assign, revoke := "callback 1 of 3: a failed\ncallback 2 of 3: panic: b gave way", "callback 2 of 3: panic: b gave way\ncallback 1 of 3: a failed"
	for i, err := range three(t.Context(), c) {
		if want := []string{assign, revoke, revoke}[i]; err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
		if !errors.Is(err, errA) || !errors.Is(err, errB) {
			t.Errorf("%v does not wrap both causes", err)
		}
		if panicked, ok := errors.AsType[*strategy.PanicError](err); !ok || !strings.Contains(string(panicked.Stack), "chain_test.go") && !strings.Contains(string(panicked.Stack), "helpers_test.go") {
			t.Errorf("the stack does not lead to the panic: %v", err)
		}
	}
	if got, want := j.String(), "a+ b+ c+ c- b- a- c! b! a!"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestChainSharesTheArgument(t *testing.T) {
	start := func(n int64) callbacks.Callbacks {
		return callbacks.Funcs{OnAssign: func(_ context.Context, a *callbacks.Assignment) error {
			return a.SetStart(order(1), callbacks.Start{From: callbacks.FromOffset, Offset: n})
		}}
	}
	a := assignment(1)
	c := callbacks.Chain(start(3), callbacks.Timeout(start(2), time.Minute), callbacks.Funcs{})
	if err := c.Assigned(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if got := a.End()[order(1)].Offset; got != 2 {
		t.Errorf("starts at %d, want what was set last, 2", got)
	}
}

// TestPanics has callbacks panic within a helper.
func TestPanics(t *testing.T) {
	guarded := func(cb callbacks.Callbacks) callbacks.Callbacks {
		return callbacks.Log(cb, slog.New(slog.DiscardHandler))
	}
	var j journal
	for _, err := range three(t.Context(), guarded(j.named("a", io.ErrUnexpectedEOF, true))) {
		if panicked, ok := errors.AsType[*strategy.PanicError](err); !ok || fmt.Sprint(panicked.Value) != "unexpected EOF" || len(panicked.Stack) == 0 {
			t.Errorf("got %v", err)
		}
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%v does not wrap its value", err)
		}
	}
	for _, err := range three(t.Context(), guarded(j.named("a", io.EOF, false))) {
		if !errors.Is(err, io.EOF) {
			t.Errorf("got %v, want the callback's error", err)
		}
	}
	err := guarded(callbacks.Funcs{OnLost: func(_ context.Context, l *callbacks.Loss) error {
		return fmt.Errorf("%d", []int{}[len(l.Removed)])
	}}).Lost(t.Context(), loss(1))
	if _, ok := errors.AsType[runtime.Error](err); !ok {
		t.Errorf("got %v, want a runtime.Error", err)
	}
	err = guarded(callbacks.Funcs{OnLost: func(context.Context, *callbacks.Loss) error { panic("words") }}).Lost(t.Context(), loss(1))
	if err == nil || err.Error() != "panic: words" || errors.Unwrap(err) != nil {
		t.Errorf("got %v", err)
	}
}
