package consumertest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// errHung is of a call that has not returned.
var errHung = errors.New("hung")

// A panicError is a panic of the application's, or the end of its goroutine.
type panicError struct{ text string }

func (e *panicError) Error() string { return e.text }

// run calls f on a goroutine of its own, and says how that went: f's error or a [*panicError].
func run(f func() error) <-chan error {
	result := make(chan error, 1)
	go func() {
		err := error(&panicError{"ends its goroutine, as FailNow of a test does"})
		defer func() {
			if v := recover(); v != nil {
				err = &panicError{fmt.Sprintf("panics: %v%s", v, origin())}
			}
			result <- err
		}()
		err = f()
	}()
	return result
}

// origin says where a panic that is being recovered from was.
func origin() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	for panicked := false; ; {
		frame, more := frames.Next()
		inRuntime := strings.HasPrefix(frame.Function, "runtime.")
		if panicked && !inRuntime {
			return fmt.Sprintf(", in %s (%s:%d)", frame.Function, frame.File, frame.Line)
		}
		panicked = panicked || inRuntime && strings.Contains(frame.Function, "panic")
		if !more {
			return ""
		}
	}
}

// callback calls f under a context that ends as the step says, while the records of other partitions are handled. The error is f's, a
// [*panicError] or errHung.
func (h *history) callback(s *step, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), h.patience)
	defer cancel()
	began := time.Now()
	switch s.ends {
	case lives:
	case endedBefore:
		cancel()
	case endsInCall:
		time.AfterFunc(50*time.Microsecond, cancel)
	}
	staying := without(h.host.delivering(), s.parts)
	result := run(func() error { return f(ctx) })
	handled := make(chan error, 1)
	go func() { handled <- h.handle(staying) }()

	err := h.await(result, began, s)
	if errors.Is(err, errHung) {
		return err
	}
	if failed := <-handled; failed != nil {
		return failed
	}
	return err
}

// await waits for a callback, and for as long again after its context has ended.
func (h *history) await(result <-chan error, began time.Time, s *step) error {
	limit := 2 * h.patience
	if s.ends != lives {
		limit = h.patience
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-result:
		if s.ends == lives && time.Since(began) > h.patience {
			h.fault(ruleReturns, "%s returns only when its time of %v is over", s.kind, h.patience)
			h.hang() // it need not be tried once more
			return errHung
		}
		return err
	case <-timer.C:
		h.hang()
		if s.ends == lives {
			h.fault(ruleReturns, "%s does not return, though its time of %v is over", s.kind, h.patience)
		} else {
			h.fault(ruleContext, "%s has not returned within %v, though its context has ended", s.kind, h.patience)
		}
		return errHung
	}
}

// handle has a record of each of some partitions handled, all at once as a host does, and says what went wrong.
func (h *history) handle(parts []strategy.TopicPartition) error {
	errs := make([]error, len(parts))
	var working sync.WaitGroup
	for i, p := range parts {
		working.Go(func() { errs[i] = h.handleOne(p) })
	}
	working.Wait()
	return cmp.Or(errs...)
}

// errReported is of a call that a fault tells of already.
var errReported = errors.New("reported")

// bounded calls what is no callback, and reports what goes wrong there: what names the call. Only if the error is nil may what f writes be read.
func (h *history) bounded(what string, f func() error) error {
	timer := time.NewTimer(h.patience)
	defer timer.Stop()
	select {
	case err := <-run(f):
		var panicked *panicError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &panicked):
			h.fault(rulePanics, "%s %v", what, err)
		default:
			h.fault(ruleErrors, "%s fails: %v", what, err)
		}
		return errReported
	case <-timer.C:
		h.hang()
		h.fault(ruleReturns, "%s does not return within %v", what, h.patience)
		return errHung
	}
}

// handleOne has the next record of a partition handled.
func (h *history) handleOne(p strategy.TopicPartition) error {
	offset, done := h.host.work(p)
	if h.subject.Handle != nil {
		err := h.bounded(fmt.Sprintf("the handler of %s at offset %d", name(p), offset), func() error { return h.subject.Handle(p, offset) })
		if err != nil {
			return err
		}
	}
	done()
	return nil
}
