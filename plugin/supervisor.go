package plugin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pluginproto "github.com/assignkit/assignkit/plugin/proto"
)

// clearTime bounds what close waits for the remains of a process that the system does not let go of.
const clearTime = 2 * time.Second

// A supervisor keeps a plugin's process: it starts it when it is first asked, and anew after it has crashed, and nobody waits for it
// longer than they want to. It is safe for concurrent use. Its goroutines are those of starts, which end within the start timeout, one
// that waits for the end of the process, and those that clear away what is left of one.
type supervisor struct {
	name   string
	log    *slog.Logger
	out    *output
	launch func() (*launch, error)                   // says what to start; called for each start
	check  func(*pluginproto.DescribeResponse) error // whether what was started is what it should be

	closed   context.Context // ends starts in progress
	end      context.CancelFunc
	clearing sync.WaitGroup // all goroutines

	mu       sync.Mutex
	backoff  backoff
	cause    error             // of the last failure
	current  *process          // nil if there is none
	running  map[*process]bool // also those that an upgrade has put aside
	starting *attempt          // nil if none is being started
	stats    Stats
}

// An attempt is one start, which several callers may wait for.
type attempt struct {
	done chan struct{} // closed at its end
	err  error
}

func newSupervisor(name string, log *slog.Logger, launch func() (*launch, error), check func(*pluginproto.DescribeResponse) error) *supervisor {
	s := &supervisor{name: name, log: log, out: &output{log: log}, launch: launch, check: check, running: map[*process]bool{}}
	s.closed, s.end = context.WithCancel(context.Background())
	return s
}

// call has f ask the plugin, within ctx. If the process turns out to be gone f is called once more, with another.
func (s *supervisor) call(ctx context.Context, op string, f func(context.Context, pluginproto.AssignorServiceClient) error) error {
	for again := true; ; again = false {
		if err := ctx.Err(); err != nil {
			return s.fail(op, err)
		}
		p, err := s.acquire(ctx)
		if err != nil {
			return err
		}
		err = f(ctx, p.client)
		if err == nil {
			s.answered(p)
			return nil
		}
		fatal, cause := s.judge(ctx, p, err)
		if !fatal {
			s.answered(p) // if only with an error
			return s.fail(op, cause)
		}
		s.lost(p, cause)
		p.runner.kill()
		s.release(p)
		if !again || !errors.Is(cause, ErrCrashed) || ctx.Err() != nil {
			e := s.fail(op, cause)
			e.Stderr = s.out.last()
			return e
		}
		s.log.Warn("plugin crashed, asking it again", "op", op, "cause", cause, "wrote", s.out.last())
	}
}

// acquire returns the running process, and starts one if there is none. It waits until ctx ends. The caller releases it.
func (s *supervisor) acquire(ctx context.Context) (*process, error) {
	for {
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
			return nil, s.fail("start", fmt.Errorf("%w: it was not ready yet: %w", ErrUnresponsive, ctx.Err()))
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
	if s.starting == nil {
		if left := s.backoff.left(time.Now()); left > 0 {
			return nil, nil, s.fail("start", fmt.Errorf("%w, for %s, after %d failures, the last of which was: %w",
				ErrBackoff, left.Round(time.Millisecond), s.backoff.failures, s.cause))
		}
		a := &attempt{done: make(chan struct{})}
		s.starting = a
		s.clearing.Go(func() { s.attempt(a) })
	}
	return nil, s.starting, nil
}

func (s *supervisor) attempt(a *attempt) {
	p, err := s.start("start")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting = nil
	switch {
	case err != nil:
		a.err = err
		s.failed(err)
	case s.closed.Err() != nil, s.current != nil: // closed, or upgraded, in the meantime
		a.err = s.closed.Err()
		p.runner.kill()
		s.clearing.Go(p.clear)
	default:
		s.adopt(p)
	}
	close(a.done)
}

// start starts a process that is what it should be.
func (s *supervisor) start(op string) (*process, error) {
	l, err := s.launch()
	if err != nil {
		return nil, s.fail(op, err)
	}
	l.out, l.clearing = s.out, &s.clearing
	p, err := l.start(s.closed)
	if err == nil {
		if err = s.check(p.said); err == nil {
			return p, nil
		}
		p.runner.kill()
		s.clearing.Go(p.clear)
	}
	e := s.fail(op, err)
	e.Stderr = s.out.last()
	return nil, e
}

// adopt makes p the process that is asked. The caller holds the lock.
func (s *supervisor) adopt(p *process) {
	s.current, s.running[p] = p, true
	s.stats.Starts++
	s.stats.Version = p.said.GetVersion()
	s.log.Info("plugin started", "version", p.said.GetVersion(), "pid", p.runner.ID())
	s.clearing.Go(func() {
		<-p.runner.exited
		s.lost(p, nil)
		p.clear()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, p)
	})
}

// retire ends a process that is not asked any more, once it has answered what it was asked. The caller holds the lock.
func (s *supervisor) retire(p *process) {
	p.retired = true
	if p.calls == 0 {
		go p.runner.end(endTime)
	}
}

func (s *supervisor) release(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.calls--; p.calls == 0 && p.retired {
		go p.runner.end(endTime)
	}
}

// answered releases p, which works.
func (s *supervisor) answered(p *process) {
	s.release(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backoff.answered()
	s.stats.Answers++
}

// lost notes that p is of no use any more, unless that is known. cause is what a call has found out; without one the process has ended, and
// that is logged unless a call will find out.
func (s *supervisor) lost(p *process, cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != p {
		return
	}
	s.current = nil
	if cause == nil {
		cause = fmt.Errorf("%w: %s", ErrCrashed, p.runner.how())
		if p.calls == 0 {
			s.log.Warn("plugin ended; it is started anew when it is asked", "cause", cause, "wrote", s.out.last())
		}
	}
	s.failed(cause)
}

// failed notes a failure. The caller holds the lock.
func (s *supervisor) failed(err error) {
	now := time.Now()
	s.backoff.failed(now)
	s.cause = err
	s.stats.Failures++
	s.stats.LastFailure, s.stats.LastFailureTime = err.Error(), now
	s.stats.Causes.count(err)
}

// judge says whether the process is of no use any more after an error of a call, and what that means.
func (s *supervisor) judge(ctx context.Context, p *process, err error) (fatal bool, cause error) {
	text := cleanStatus(err)
	code := status.Code(err)
	if code == codes.DeadlineExceeded { // by the plugin's server, whose clock may be a moment ahead; its assignor may compute on
		select {
		case <-ctx.Done():
		case <-time.After(drainTime):
		}
	}
	switch {
	case ctx.Err() != nil:
		return true, fmt.Errorf("%w: %w", ErrUnresponsive, ctx.Err())
	case code == codes.Unavailable:
		select {
		case <-p.runner.exited:
			return true, fmt.Errorf("%w: %s", ErrCrashed, p.runner.how())
		case <-time.After(drainTime):
			return true, fmt.Errorf("%w: the connection broke: %w", ErrCrashed, text)
		}
	case code == codes.ResourceExhausted:
		return true, fmt.Errorf("%w: %w", ErrTooLarge, text)
	}
	return false, text
}

// replace starts what launch says now and, if test is content with it, has it take the place of the process that runs, which ends
// when it has answered what it was asked.
func (s *supervisor) replace(ctx context.Context, test func(context.Context, pluginproto.AssignorServiceClient) error) error {
	if !s.enterClearing() {
		return s.fail("upgrade", ErrClosed)
	}
	defer s.clearing.Done()
	p, err := s.start("upgrade")
	if err != nil {
		return err
	}
	if err := test(ctx, p.client); err != nil {
		p.runner.kill()
		s.clearing.Go(p.clear)
		e := s.fail("self-test", err)
		e.Stderr = s.out.last()
		return e
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Err() != nil {
		p.runner.kill()
		s.clearing.Go(p.clear)
		return s.fail("upgrade", ErrClosed)
	}
	old := s.current
	s.backoff.answered()
	s.adopt(p)
	if old != nil {
		s.retire(old)
	}
	return nil
}

// dismiss ends the process that runs, once it has answered what it was asked.
func (s *supervisor) dismiss() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.current; p != nil {
		s.current = nil
		s.retire(p)
	}
}

// background runs f on a goroutine that close waits for, unless the supervisor is closed.
func (s *supervisor) background(f func()) {
	if s.enterClearing() {
		go func() {
			defer s.clearing.Done()
			f()
		}()
	}
}

// enterClearing has close wait for the caller, until it calls clearing.Done. It reports false if the supervisor is closed.
func (s *supervisor) enterClearing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Err() != nil {
		return false
	}
	s.clearing.Add(1)
	return true
}

// close ends the plugin. When it returns nothing is left of it.
func (s *supervisor) close() {
	s.mu.Lock()
	s.end()
	s.current = nil
	for p := range s.running {
		go p.runner.end(endTime)
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { s.clearing.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(clearTime):
		s.log.Error("the plugin's process does not go away")
	}
}

func (s *supervisor) fail(op string, err error) *Error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	return &Error{Plugin: s.name, Op: op, Err: err}
}

// cleanStatus is a call's error without gRPC's words around it.
func cleanStatus(err error) error {
	if st, ok := status.FromError(err); ok {
		return errors.New(st.Message())
	}
	return err
}
