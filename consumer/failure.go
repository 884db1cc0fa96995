package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Failure says what to do when a handler returns an error or panics, which is then a [*PanicError]. The zero value ends Run, with the
// record not committed.
//
// A record is tried Retries times more, on its partition's goroutine: the partition waits, others go on. Then DeadLetter is given it, if
// there is one, and if that returns nil the record counts as processed. Otherwise Then decides.
type Failure struct {
	Retries    int           // how often to try again. Negative: until it succeeds, or the partition goes
	Backoff    time.Duration // before the first retry, doubled before each further one. 0: 100 ms
	MaxBackoff time.Duration // 0: 10 s

	// DeadLetter stores a record that could not be processed somewhere else. It runs on the partition's goroutine, with the handler's
	// context. May be nil.
	DeadLetter func(ctx context.Context, m *Message, err error) error
	Then       Then
}

// Then is what to do with a record that could not be processed.
type Then uint8

// What there is.
const (
	Stop Then = iota // end Run with a [*HandlerError]; whoever gets the partition next tries again
	Skip             // go on; the record counts as processed
)

func (f *Failure) check() error {
	switch {
	case f.Then > Skip:
		return fmt.Errorf("consumer: Failure.Then is %d; there are Stop and Skip", f.Then)
	case f.Retries < 0 && (f.DeadLetter != nil || f.Then == Skip):
		return errors.New("consumer: Failure.Retries is negative, which is for ever: DeadLetter and Skip would never come")
	}
	return nil
}

// wait returns how long to wait before retry number n, from 1.
func (f *Failure) wait(n int) time.Duration {
	d := f.Backoff
	for i := 1; i < n && d < f.MaxBackoff; i++ {
		d *= 2
	}
	return min(d, max(f.MaxBackoff, f.Backoff))
}
