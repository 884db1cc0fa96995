package plugin

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// An attempt is one start, which several callers may wait for.
type attempt struct {
	image *image
	out   *output
	done  chan struct{} // closed at its end
	err   error         // nil if there is a process, or it is to be tried again
}

// acquire returns the running process, and starts one if there is none. It waits until ctx ends. The caller releases it.
func (s *supervisor) acquire(ctx context.Context) (*process, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, s.fail("start", err)
		}
		p, a, err := s.enter()
		if err != nil || p != nil {
			return p, err
		}
		select {
		case <-a.done:
			if a.err != nil {
				return nil, a.err
			}
		case <-ctx.Done():
			err := fmt.Errorf("it was not ready yet: %w", ctx.Err())
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				err = fmt.Errorf("%w: %w", ErrUnresponsive, err)
			}
			e := s.fail("start", err)
			e.Stderr = a.out.last()
			return nil, e
		}
	}
}

// enter returns the running process, or the attempt to start one, which it begins if there is none.
func (s *supervisor) enter() (*process, *attempt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Err() != nil {
		return nil, nil, s.fail("start", ErrClosed)
	}
	if s.current != nil {
		s.current.calls++
		return s.current, nil, nil
	}
	if s.image == nil {
		return nil, nil, s.fail("start", s.gone)
	}
	if s.starting == nil {
		if left := s.backoff.left(time.Now()); left > 0 {
			return nil, nil, s.fail("start", fmt.Errorf("%w, for %s, after %d failures, the last of which was: %w",
				ErrBackoff, left.Round(time.Millisecond), s.backoff.failures, s.cause))
		}
		a := &attempt{image: s.image, done: make(chan struct{}), out: newOutput(s.log, &s.spell)}
		s.starting = a
		s.clearing.Go(func() { s.attempt(a) })
	}
	return nil, s.starting, nil
}

func (s *supervisor) attempt(a *attempt) {
	p, err := s.start(s.closed, "start", a.image, a.out)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting = nil
	switch {
	case s.closed.Err() != nil:
		a.err = s.fail("start", ErrClosed)
	case s.image != a.image: // upgraded in the meantime: who waits looks again
	case err != nil:
		a.err = err
		s.failed(err)
	default:
		s.adopt(p)
		p = nil
	}
	if p != nil {
		s.discard(p)
	}
	s.dropUnused(a.image)
	close(a.done)
}

// start starts a process that is what it should be, within ctx, which ends no later than closed.
func (s *supervisor) start(ctx context.Context, op string, i *image, out *output) (*process, error) {
	l, err := i.launch(ctx)
	if err != nil && !isAny(err, refusals...) && !isAny(err, ErrStart, ErrClosed) { // of the system, as it made the copy
		err = fmt.Errorf("%w: %w", ErrStart, err)
	}
	if err != nil {
		return nil, s.fail(op, err)
	}
	l.out, l.clearing = out, &s.clearing
	p, err := l.start(ctx)
	if err == nil {
		if err = i.check(p.said); err == nil {
			p.image = i
			s.log.Info("plugin started", "version", p.said.GetVersion(), "pid", p.runner.ID())
			return p, nil
		}
		s.discard(p)
	} else if ctx.Err() != nil {
		err = fmt.Errorf("%w: it was not ready yet: %w", ErrStart, ctx.Err())
	}
	e := s.fail(op, err)
	e.Stderr = out.last()
	return nil, e
}

// discard kills a process that was not adopted.
func (s *supervisor) discard(p *process) {
	p.runner.kill()
	s.clearing.Go(p.clear)
}
