package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A FailurePolicy says what to do when a handler returns an error or panics, which is then a [*strategy.PanicError]. The zero value ends Run, with the
// record not committed.
//
// A record is tried Retries times more, on its partition's goroutine: the partition waits, others go on. Then DeadLetter is given it, if
// there is one, and if that returns nil the record counts as processed. Otherwise Then decides.
type FailurePolicy struct {
	Retries    int           // how often to try again. Negative: until it succeeds, or the partition goes
	Backoff    time.Duration // before the first retry, doubled before each further one. 0: 100 ms
	MaxBackoff time.Duration // 0: 10 s

	// DeadLetter stores a record that could not be processed somewhere else. It runs on the partition's goroutine, with the handler's
	// context. May be nil.
	DeadLetter func(ctx context.Context, m *Message, err error) error
	Then       Then
}

// Then is what to do with a record that could not be processed, by a [FailurePolicy].
type Then uint8

// What there is.
const (
	ThenStop Then = iota // end Run with a [*HandlerError]; whoever gets the partition next tries again
	ThenSkip             // go on; the record counts as processed
)

func (f *FailurePolicy) check() error {
	switch {
	case f.Then > ThenSkip:
		return fmt.Errorf("consumer: Failure.Then is %d; there are ThenStop and ThenSkip", f.Then)
	case f.Retries < 0 && (f.DeadLetter != nil || f.Then == ThenSkip):
		return errors.New("consumer: Failure.Retries is negative, which is for ever: DeadLetter and ThenSkip would never come")
	}
	return nil
}

// wait returns how long to wait before retry number n, from 1.
func (f *FailurePolicy) wait(n int) time.Duration {
	d := f.Backoff
	for i := 1; i < n && d < f.MaxBackoff; i++ {
		d *= 2
	}
	return min(d, max(f.MaxBackoff, f.Backoff))
}

// settle deals with a failure of the handler, and returns whether the records count as processed. Otherwise the worker is to end: it was
// stopped, or has ended Run.
func (w *worker) settle(err error, offset int64, messages []Message, again func() error) bool {
	f := &w.driver.cfg.Failure
	for n := 1; ; n++ {
		if w.ctx.Err() != nil {
			return false // the handler was told to end
		}
		if f.Retries >= 0 && n > f.Retries {
			return w.giveUp(err, offset, n, messages)
		}
		w.failed(err, offset, n, "retry")
		if !w.pause(f.wait(n)) {
			return false
		}
		w.attempts.Add(1)
		if err = again(); err == nil {
			return true
		}
	}
}

// giveUp is what follows the last attempt.
func (w *worker) giveUp(err error, offset int64, attempt int, messages []Message) bool {
	f := &w.driver.cfg.Failure
	if f.DeadLetter != nil {
		w.failed(err, offset, attempt, "dead letter")
		buried := w.bury(err, messages)
		if buried == nil {
			return true
		}
		if w.ctx.Err() != nil {
			return false
		}
		err = errors.Join(err, buried)
	}
	if f.Then == ThenSkip {
		w.failed(err, offset, attempt, "skip")
		return true
	}
	w.failed(err, offset, attempt, "stop")
	w.driver.fail(&HandlerError{Partition: w.at, Offset: offset, Err: err})
	return false
}

func (w *worker) bury(err error, messages []Message) error {
	for i := range messages {
		w.working.Store(messages[i].Offset)
		if err := enterDeadLetter(w.ctx, w.driver.cfg.Failure.DeadLetter, &messages[i], err); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) failed(err error, offset int64, attempt int, next string) {
	w.driver.observe(HandlerFailed{Attempt: attempt, Next: next, Err: &HandlerError{Partition: w.at, Offset: offset, Err: err}})
}

// pause waits, and returns false if the worker is stopped meanwhile. Nothing is in work then.
func (w *worker) pause(d time.Duration) bool {
	at := w.working.Swap(none)
	defer w.working.Store(at)
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-w.reading.Done():
		return false
	}
}
