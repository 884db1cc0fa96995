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
	name string
	log  *slog.Logger
	out  *output

	closed   context.Context // ends starts in progress
	end      context.CancelFunc
	clearing sync.WaitGroup // all goroutines

	mu       sync.Mutex
	image    *image // what is started; nil after dismiss
	gone     error  // why there is none
	backoff  backoff
	cause    error             // of the last failure
	current  *process          // nil if there is none
	running  map[*process]bool // also those that an upgrade has put aside
	starting *attempt          // nil if none is being started
	stats    Stats
}

// An attempt is one start, which several callers may wait for.
type attempt struct {
	image *image
	done  chan struct{} // closed at its end
	err   error         // nil if there is a process, or it is to be tried again
}

func newSupervisor(name string, log *slog.Logger, i *image) *supervisor {
	s := &supervisor{name: name, log: log, out: &output{log: log}, image: i, running: map[*process]bool{}}
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
	if s.image == nil {
		return nil, nil, s.fail("start", s.gone)
	}
	if s.starting == nil {
		if left := s.backoff.left(time.Now()); left > 0 {
			return nil, nil, s.fail("start", fmt.Errorf("%w, for %s, after %d failures, the last of which was: %w",
				ErrBackoff, left.Round(time.Millisecond), s.backoff.failures, s.cause))
		}
		a := &attempt{image: s.image, done: make(chan struct{})}
		s.starting = a
		s.clearing.Go(func() { s.attempt(a) })
	}
	return nil, s.starting, nil
}

func (s *supervisor) attempt(a *attempt) {
	p, err := s.start(s.closed, "start", a.image)
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

// start starts a process that is what it should be, within ctx.
func (s *supervisor) start(ctx context.Context, op string, i *image) (*process, error) {
	l, err := i.launch()
	if err != nil {
		return nil, s.fail(op, err)
	}
	l.out, l.clearing = s.out, &s.clearing
	p, err := l.start(ctx)
	if err == nil {
		if err = i.check(p.said); err == nil {
			p.image = i
			return p, nil
		}
		s.discard(p)
	} else if ctx.Err() != nil {
		err = fmt.Errorf("%w: it was not ready yet: %w", ErrStart, ctx.Err())
	}
	e := s.fail(op, err)
	e.Stderr = s.out.last()
	return nil, e
}

// discard kills a process that was not adopted.
func (s *supervisor) discard(p *process) {
	p.runner.kill()
	s.clearing.Go(p.clear)
}

// dropUnused removes the copy of an image that no process is started from any more, and that none runs. The caller holds the lock, and is one whom close
// waits for.
func (s *supervisor) dropUnused(i *image) {
	if i == nil || i == s.image || s.starting != nil && s.starting.image == i {
		return
	}
	for p := range s.running {
		if p.image == i {
			return
		}
	}
	s.clearing.Go(i.drop)
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
		s.dropUnused(p.image)
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
	text, code := cleanStatus(err), status.Code(err)
	if at, ok := ctx.Deadline(); ok && (code == codes.Canceled || code == codes.DeadlineExceeded) && time.Until(at) < drainTime {
		<-ctx.Done() // the plugin's side of the connection knows the deadline too, and may notice it first
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

// says returns what the plugin says of itself, as far as it is known.
func (s *supervisor) says() description {
	s.mu.Lock()
	i := s.image
	s.mu.Unlock()
	if i == nil {
		return description{}
	}
	return i.description()
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
	s.mu.Lock()
	i := s.image
	s.mu.Unlock()
	if i != nil {
		i.drop()
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
