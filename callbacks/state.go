package callbacks

import (
	"context"
	"errors"
	"sync"

	"github.com/assignkit/assignkit/strategy"
)

const defaultConcurrency = 8

// A PartitionState keeps a value for each partition that the member owns: loaded when it is assigned, saved when it is revoked,
// dropped when it is lost. It is given to the host as callbacks, alone or in a [Chain], and to handlers for [PartitionState.Get].
// Values are usually pointers. The fields are set before first use and not changed afterwards. It must not be copied.
//
// Every value that Load returned without an error is given to exactly one of Save and Drop. Where loading or saving some
// partitions fails, the others are loaded or saved all the same, and the error joins a [*PartitionError] for each that failed,
// panics included, in the order of partitions. What has not begun when the context ends is not begun: not loaded, or dropped
// instead of saved, with the context's cause as the error.
type PartitionState[S any] struct {
	// Load makes or reads the value of a partition. It may set where the partition starts, at an offset kept with the value, say.
	// It runs concurrently with itself for other partitions. Nil: the zero value of S.
	Load func(ctx context.Context, a *Assignment, p strategy.TopicPartition) (S, error)
	// Save stores the value of a partition that goes to another member; the handler has returned, and Get no longer has it. It may
	// commit. It runs concurrently with itself for other partitions. Nil: values are dropped.
	Save func(ctx context.Context, r *Revocation, p strategy.TopicPartition, s S) error
	// Drop releases a value that is not saved. It must not store it: another member may have gone on from the one saved last. It may
	// run concurrently with itself for other partitions, and, with [LossUndrained], with the handler of its own. May be nil.
	Drop func(p strategy.TopicPartition, s S)
	// Concurrency bounds how many calls run at a time. 0: 8; 1: one after another, in the order of partitions.
	Concurrency int

	mu   sync.RWMutex
	held map[strategy.TopicPartition]S
}

var _ Callbacks = (*PartitionState[int])(nil)

// Get returns the value of a partition, and whether there is one: not before its loading, not if that failed, and not once it is
// being revoked or lost. It may be called at any time, concurrently.
func (s *PartitionState[S]) Get(p strategy.TopicPartition) (S, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	value, ok := s.held[p]
	return value, ok
}

// Assigned loads the values of what is added.
func (s *PartitionState[S]) Assigned(ctx context.Context, a *Assignment) error {
	return s.each(a.Added, "load", func(p strategy.TopicPartition) error {
		if _, ok := s.Get(p); ok {
			return ErrHeld
		}
		var value S
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s.Load != nil {
			var err error
			if value, err = s.Load(ctx, a, p); err != nil {
				return err
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.held == nil {
			s.held = make(map[strategy.TopicPartition]S)
		}
		s.held[p] = value
		return nil
	})
}

// Revoked saves the values of what is removed.
func (s *PartitionState[S]) Revoked(ctx context.Context, r *Revocation) error {
	return s.each(r.Removed, "save", func(p strategy.TopicPartition) error {
		value, ok := s.take(p)
		switch {
		case !ok:
			return nil // it could not be loaded
		case s.Save == nil:
			s.drop(p, value)
			return nil
		case ctx.Err() != nil:
			s.drop(p, value)
			return context.Cause(ctx)
		}
		return s.Save(ctx, r, p, value)
	})
}

// Lost drops the values of what is removed, whether the context has ended or not.
func (s *PartitionState[S]) Lost(_ context.Context, l *Loss) error {
	return s.each(l.Removed, "drop", func(p strategy.TopicPartition) error {
		if value, ok := s.take(p); ok {
			s.drop(p, value)
		}
		return nil
	})
}

// take removes a value.
func (s *PartitionState[S]) take(p strategy.TopicPartition) (S, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok := s.held[p]
	delete(s.held, p)
	return value, ok
}

func (s *PartitionState[S]) drop(p strategy.TopicPartition, value S) {
	if s.Drop != nil {
		s.Drop(p, value)
	}
}

// each calls f for each partition, up to Concurrency at a time, and joins the errors.
func (s *PartitionState[S]) each(list []strategy.TopicPartitions, op string, f func(strategy.TopicPartition) error) error {
	limit := s.Concurrency
	if limit <= 0 {
		limit = defaultConcurrency
	}
	errs := make([]error, strategy.Count(list))
	slots := make(chan struct{}, limit)
	var running sync.WaitGroup
	i := 0
	for p := range Each(list) {
		err := &errs[i]
		i++
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			*err = &PartitionError{Op: op, Partition: p, Err: errExited} // unless protect returns
			*err = about(op, p, protect(func() error { return f(p) }))
		})
	}
	running.Wait()
	return errors.Join(errs...)
}

// about makes err, if there is one, an error about p.
func about(op string, p strategy.TopicPartition, err error) error {
	if err == nil {
		return nil
	}
	return &PartitionError{Op: op, Partition: p, Err: err}
}
