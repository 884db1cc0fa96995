package consumertest_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/assignkit/assignkit/callbacks"
)

// TestDoesNotReturn has calls that end badly, or do not.
func TestDoesNotReturn(t *testing.T) {
	release := make(chan struct{})
	defer close(release) // after the subtests, which are not parallel
	never := func() error { <-release; return nil }
	check(t, []broken{
		{name: "waits for what comes only after it", rule: "returns", says: "OnAssign does not return, though its time of 400ms is over", options: brief, make: spoiled(func(_ *counter, f *callbacks.Funcs, _ *subject) {
			f.OnAssign = func(context.Context, *assignment) error { return never() }
		})},
		{name: "waits until it has no more time", rule: "returns", says: "OnRevoke returns only when its time of 400ms is over", options: brief, make: spoiled(func(_ *counter, f *callbacks.Funcs, _ *subject) {
			f.OnRevoke = func(ctx context.Context, _ *revocation) error { <-ctx.Done(); return ctx.Err() }
		})},
		{name: "ignores its context before", rule: "context", says: "has not returned within 400ms, though its context has ended", options: brief, make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			f.OnAssign = func(ctx context.Context, a *assignment) error {
				if ctx.Err() != nil {
					return never()
				}
				return c.load(ctx, a)
			}
		})},
		{name: "ignores its context meanwhile", rule: "context", says: "OnLost has not returned", options: brief, make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			f.OnLost = func(ctx context.Context, l *loss) error {
				if deadline, _ := ctx.Deadline(); ctx.Err() != nil || time.Until(deadline) < 0 {
					return never()
				}
				return c.drop(ctx, l)
			}
		})},
		{name: "has a handler that hangs", rule: "returns", says: "the handler of orders-0 at offset 0 does not return within 400ms", options: brief, make: spoiled(func(_ *counter, _ *callbacks.Funcs, s *subject) {
			s.Handle = func(partition, int64) error { return never() }
		})},
		{name: "panics", rule: "panics", says: "OnAssign panics: assignment to entry in nil map", make: spoiled(func(c *counter, _ *callbacks.Funcs, _ *subject) {
			c.kept = nil
		})},
		{name: "ends its goroutine", rule: "panics", says: "OnRevoke ends its goroutine", make: spoiled(func(_ *counter, f *callbacks.Funcs, _ *subject) {
			f.OnRevoke = func(context.Context, *revocation) error { runtime.Goexit(); return nil }
		})},
		{name: "has a handler that panics", rule: "panics", says: "the handler of orders-0 at offset 1 panics: 1, in ", make: spoiled(func(c *counter, _ *callbacks.Funcs, s *subject) {
			s.Handle = func(p partition, offset int64) error {
				if offset == 1 {
					panic(offset)
				}
				return c.handle(p, offset)
			}
		})},
		{name: "cannot be asked", rule: "returns", says: "State does not return within 400ms", options: brief, make: spoiled(func(_ *counter, _ *callbacks.Funcs, s *subject) {
			s.State = func(partition) (string, bool) { return "", never() == nil }
		})},
		{name: "cannot be closed in time", rule: "returns", says: "closing the subject does not return", options: brief, make: spoiled(func(_ *counter, _ *callbacks.Funcs, s *subject) {
			s.Close = never
		})},
		{name: "cannot be made in time", rule: "returns", says: "the function that makes the subject does not return", options: brief, make: func(*host) subject {
			_ = never()
			return subject{}
		}},
		{name: "cannot be made", rule: "panics", says: "the function that makes the subject panics: no", make: func(*host) subject { panic("no") }},
	})
}

// TestFails has callbacks fail, and what they are handed changed.
func TestFails(t *testing.T) {
	full := errors.New("disk full")
	check(t, []broken{
		{name: "fails at first", rule: "errors", says: "OnAssign fails: disk full", make: spoiled(func(_ *counter, f *callbacks.Funcs, _ *subject) {
			f.OnAssign = func(context.Context, *assignment) error { return full }
		})},
		{name: "fails to save", rule: "errors", says: "OnRevoke fails: disk full", make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			f.OnRevoke = func(ctx context.Context, r *revocation) error { return errors.Join(c.save(ctx, r), full) }
		})},
		{name: "fails at losses", rule: "errors", says: "OnLost fails: disk full", make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			f.OnLost = func(ctx context.Context, l *loss) error { return errors.Join(c.drop(ctx, l), full) }
		})},
		{name: "has a handler that fails", rule: "errors", says: "the handler of orders-0 at offset 0 fails: disk full", make: spoiled(func(_ *counter, _ *callbacks.Funcs, s *subject) {
			s.Handle = func(partition, int64) error { return full }
		})},
		{name: "cannot be closed", rule: "errors", says: "closing the subject fails: disk full", make: spoiled(func(_ *counter, _ *callbacks.Funcs, s *subject) {
			s.Close = func() error { return full }
		})},
		{name: "has no callbacks", rule: "errors", says: "no callbacks", make: func(*host) subject { return subject{} }},
		{name: "changes what it is handed", rule: "arguments", says: "the argument of OnRevoke orders-0 was changed", make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			f.OnRevoke = func(ctx context.Context, r *revocation) error {
				err := c.save(ctx, r)
				r.Removed[0].Partitions[0] = 17
				return err
			}
		})},
		{name: "changes what it was handed before", rule: "arguments", says: "the argument of OnAssign orders-0 was changed", make: spoiled(func(c *counter, f *callbacks.Funcs, _ *subject) {
			var before *assignment
			f.OnAssign = func(ctx context.Context, a *assignment) error {
				if before != nil {
					before.Committed[partition{Topic: "orders"}] = callbacks.Offset{Offset: 1000}
				}
				before = a
				return c.load(ctx, a)
			}
		})},
	})
}
