package consumer

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/assignkit/assignkit/internal/signals"
	"github.com/assignkit/assignkit/strategy"
)

// An ownSignal is the application's.
type ownSignal struct {
	Signal
	turn    chan struct{} // has one in it while the function runs
	overdue atomic.Bool   // the function that runs, if one does, has had all of its time
}

// errNotReturned is why a function is not called.
var errNotReturned = errors.New("consumer: the function that measures it has been called before and has not returned; it is not called again until it does")

// askOwn has the application measure one of its signals, and stores the answer.
func (m *measures) askOwn(ctx context.Context, own *ownSignal, scope *signals.Scope) error {
	if own.overdue.Load() && len(own.turn) > 0 { // else it has returned since
		return errNotReturned
	}
	select {
	case own.turn <- struct{}{}: // when a call has returned of which nothing is wanted any more
		own.overdue.Store(false)
	case <-ctx.Done():
		return own.late(ctx)
	}
	done := make(chan error, 1)
	answer := m.call(ctx, own, scope, done)
	select {
	case err := <-done:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		return own.late(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.tellChange()
	if own.Members != nil {
		return m.store.PutMembers(m.driver.now(), own.Name, answer.members)
	}
	return m.store.PutTopics(m.driver.now(), own.Name, answer.partitions)
}

// late notes that the function that runs had all of its time, if it had, and returns why nobody waits for it.
func (o *ownSignal) late(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && len(o.turn) > 0 {
		o.overdue.Store(true)
	}
	return context.Cause(ctx)
}

// An ownAnswer is what one of the application's functions has returned.
type ownAnswer struct {
	partitions map[string][]float64
	members    map[string]float64
}

// call calls the function, with copies of what it is told, on a goroutine of its own. The answer is there when done has the error.
func (m *measures) call(ctx context.Context, own *ownSignal, scope *signals.Scope, done chan<- error) *ownAnswer {
	g := (&strategy.Group{Topics: scope.Topics, Members: scope.Members}).Clone()
	answer := &ownAnswer{}
	m.working.Go(func() {
		err := enterCode(func() (err error) {
			if own.Members != nil {
				answer.members, err = own.Members(ctx, g.Members)
			} else {
				answer.partitions, err = own.Partitions(ctx, g.Topics)
			}
			return err
		})
		done <- err
		<-own.turn
	})
	return answer
}
