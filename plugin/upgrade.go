package plugin

import (
	"context"
	"time"
)

// replace starts another image and, if it passes the self-test within ctx, has it take the place of the one that runs, whose process ends
// when it has answered what it was asked.
func (s *supervisor) replace(ctx context.Context, next *image, timeout time.Duration) error {
	if !s.enterClearing() {
		return s.fail("upgrade", ErrClosed)
	}
	defer s.clearing.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.closed, cancel)()
	p, err := s.start(ctx, "upgrade", next, newOutput(s.log, &s.spell))
	if err == nil {
		if err = s.tested(ctx, p, timeout); err != nil {
			s.discard(p)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.closed.Err() != nil {
		s.discard(p)
		err = s.fail("upgrade", ErrClosed)
	}
	if err != nil {
		s.dropUnused(next)
		return err
	}
	old, oldImage := s.current, s.image
	s.image, s.gone = next, nil
	s.backoff.answered()
	s.adopt(p)
	if old != nil {
		s.retire(old)
	}
	s.dropUnused(oldImage)
	return nil
}

// dismiss ends the process that runs, once it has answered what it was asked. From then on there is none, because of err.
func (s *supervisor) dismiss(err error) {
	if !s.enterClearing() {
		return
	}
	defer s.clearing.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.image
	s.image, s.gone = nil, err
	if p := s.current; p != nil {
		s.current = nil
		s.retire(p)
	}
	s.dropUnused(i)
}

// test has the plugin pass the self-test, each call of which may take timeout.
func (s *supervisor) test(ctx context.Context, timeout time.Duration) error {
	p, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer s.release(p)
	return s.tested(ctx, p, timeout)
}

func (s *supervisor) tested(ctx context.Context, p *process, timeout time.Duration) error {
	err := selfTest(ctx, p, timeout)
	if err == nil {
		return nil
	}
	e := s.fail("self-test", err)
	e.Stderr = p.out.last()
	return e
}
