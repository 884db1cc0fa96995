package callbacks

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Chain makes several callbacks one. Assignments go through them in the order given, revocations and losses in reverse, as what was
// set up first is needed longest. Nil callbacks are left out.
//
// An error or a panic of one, which is a [*strategy.PanicError], does not stop the others. All errors are joined, each led by the position of
// the callback in the chain. If one fails on assignment, the others have been called all the same, and will be called on revocation
// like itself. The callbacks share the argument, so the last start that is set counts, and the time: who must not use up that of the
// others is put into a [Timeout].
func Chain(list ...Callbacks) Callbacks {
	return chain(slices.DeleteFunc(slices.Clone(list), func(cb Callbacks) bool { return cb == nil }))
}

type chain []Callbacks

func (c chain) Assigned(ctx context.Context, a *Assignment) error {
	errs := make([]error, 0, len(c))
	for i, cb := range c {
		errs = append(errs, c.call(i, func() error { return cb.Assigned(ctx, a) }))
	}
	return errors.Join(errs...)
}

func (c chain) Revoked(ctx context.Context, r *Revocation) error {
	errs := make([]error, 0, len(c))
	for i, cb := range slices.Backward(c) {
		errs = append(errs, c.call(i, func() error { return cb.Revoked(ctx, r) }))
	}
	return errors.Join(errs...)
}

func (c chain) Lost(ctx context.Context, l *Loss) error {
	errs := make([]error, 0, len(c))
	for i, cb := range slices.Backward(c) {
		errs = append(errs, c.call(i, func() error { return cb.Lost(ctx, l) }))
	}
	return errors.Join(errs...)
}

func (c chain) call(i int, f func() error) error {
	if err := protect(f); err != nil {
		return fmt.Errorf("callback %d of %d: %w", i+1, len(c), err)
	}
	return nil
}
