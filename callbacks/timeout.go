package callbacks

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Timeout bounds the time that each call of cb may take by limit, and by the context's deadline if that is sooner. With a limit of 0
// only the context counts. cb runs on goroutines of Timeout's own, never two calls at once.
//
// When the time is over, the call's context ends and the caller gets an [ErrTimeout], at once. cb is given up, not ended, which
// cannot be done: it holds its goroutine until it returns. Its result is dropped then, the starts it has set too; from now on it
// can neither set starts nor commit ([ErrEnded]), though a commit on its way is not recalled.
//
// The next calls wait, within their own time, until the one that was given up has returned, so that cb still sees every event, in
// order and one at a time. One whose time is over before its turn comes reaches cb all the same, late: with an ended context, an
// assignment so that its pair is complete, a revocation as a [Loss] with [LossLate], as the partitions may be another's by then.
func Timeout(cb Callbacks, limit time.Duration) Callbacks {
	return &timeout{inner: cb, limit: limit}
}

type timeout struct {
	inner Callbacks
	limit time.Duration

	mu   sync.Mutex
	last <-chan struct{} // closed when the call made last has returned
}

func (t *timeout) Assigned(ctx context.Context, a *Assignment) error {
	own := a.child()
	inTime, err := t.run(ctx, func(ctx context.Context, _ bool) error { return t.inner.Assigned(ctx, own) })
	starts := own.End()
	if inTime {
		a.adopt(starts)
	}
	return err
}

func (t *timeout) Revoked(ctx context.Context, r *Revocation) error {
	own := r.child()
	defer own.End()
	_, err := t.run(ctx, func(ctx context.Context, late bool) error {
		if late {
			return t.inner.Lost(ctx, r.late(context.Cause(ctx)))
		}
		return t.inner.Revoked(ctx, own)
	})
	return err
}

func (t *timeout) Lost(ctx context.Context, l *Loss) error {
	_, err := t.run(ctx, func(ctx context.Context, _ bool) error { return t.inner.Lost(ctx, l) })
	return err
}

// run calls f, when it is its turn, and returns its error; or that it did not return in time. f is told whether its turn came late.
func (t *timeout) run(ctx context.Context, f func(ctx context.Context, late bool) error) (inTime bool, err error) {
	cancel := context.CancelFunc(func() {})
	if t.limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, t.limit)
	}
	defer cancel()
	before, done := t.turn()
	result := make(chan error, 1)
	go func() {
		err := errExited
		defer func() {
			result <- err
			close(done)
		}()
		if before != nil {
			<-before
		}
		late := ctx.Err() != nil
		err = protect(func() error { return f(ctx, late) })
	}()
	select {
	case err := <-result:
		return true, err
	case <-ctx.Done():
	}
	select {
	case err := <-result: // both have come
		return true, err
	default:
	}
	if before != nil {
		select {
		case <-before:
		default:
			return false, fmt.Errorf("%w, as the one before it has not returned: %w", ErrTimeout, context.Cause(ctx))
		}
	}
	return false, fmt.Errorf("%w: %w", ErrTimeout, context.Cause(ctx))
}

// turn queues up: a call begins when before is closed, and closes done.
func (t *timeout) turn() (before <-chan struct{}, done chan<- struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before = t.last
	mine := make(chan struct{})
	t.last = mine
	return before, mine
}
