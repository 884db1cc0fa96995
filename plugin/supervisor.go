package plugin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	pluginproto "github.com/assignkit/assignkit/plugin/proto"
)

// clearTime bounds what close waits for the remains of a process that the system does not let go of.
const clearTime = 2 * time.Second

// A supervisor keeps a plugin's process: it starts it when it is first asked, and anew after it has crashed, and nobody waits for it
// longer than they want to. It is safe for concurrent use. Its goroutines are those of starts, which end within the start timeout, one
// that waits for the end of the process, and those that clear away what is left of one.
type supervisor struct {
	name  string
	log   *slog.Logger
	spell spell

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

func newSupervisor(name string, log *slog.Logger, i *image) *supervisor {
	s := &supervisor{name: name, log: log, image: i, running: map[*process]bool{}}
	s.closed, s.end = context.WithCancel(context.Background())
	return s
}

// call has f ask the plugin, within ctx. If the process turns out to be gone f is called once more, with another.
func (s *supervisor) call(ctx context.Context, op string, f func(context.Context, pluginproto.AssignorServiceClient) error) error {
	var crash *Error // of the first process
	if err := ctx.Err(); err != nil {
		return s.fail(op, err)
	}
	for {
		p, err := s.acquire(ctx)
		switch {
		case err != nil && crash != nil && !errors.Is(err, ErrClosed):
			return crash
		case err != nil:
			return err
		}
		err = s.ask(ctx, p, op, f)
		if err == nil && crash != nil {
			s.log.Warn("the plugin crashed, and has answered when it was asked again", "op", op, "cause", crash.Err, "wrote", crash.Stderr)
		}
		if crash != nil || !errors.Is(err, ErrCrashed) || ctx.Err() != nil {
			return err
		}
		crash = s.fail(op, err)
	}
}

// ask has f ask one process, and releases it.
func (s *supervisor) ask(ctx context.Context, p *process, op string, f func(context.Context, pluginproto.AssignorServiceClient) error) error {
	err := f(ctx, p.client)
	if err == nil {
		s.answered(p)
		return nil
	}
	verdict, cause := judge(ctx, p, err)
	switch verdict {
	case verdictAnswered: // if only with an error
		s.answered(p)
		return s.fail(op, cause)
	case verdictAbandoned:
		s.putAside(p)
		s.release(p)
		return s.fail(op, cause)
	}
	s.lost(p, cause)
	p.runner.finish()
	s.release(p)
	e := s.fail(op, cause)
	e.Stderr = p.out.last()
	return e
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
	s.clearing.Go(func() {
		<-p.runner.exited
		s.lost(p, nil)
		s.reportEnd(p)
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
	p.calls--
	if p.calls == 0 && p.retired {
		go p.runner.end(endTime)
	}
	s.mu.Unlock()
	s.reportEnd(p)
}

// reportEnd logs the end of a process, unless a call has found out about it or is about to.
func (s *supervisor) reportEnd(p *process) {
	s.mu.Lock()
	cause := p.unreported
	if cause == nil || p.calls > 0 {
		s.mu.Unlock()
		return
	}
	p.unreported = nil
	s.mu.Unlock()
	s.log.Warn("plugin ended; it is started anew when it is asked", "cause", cause, "wrote", p.out.last())
}

// answered releases p, which works.
func (s *supervisor) answered(p *process) {
	s.release(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backoff.answered()
	s.stats.Answers++
}

// lost notes that p is of no use any more, unless that is known. cause is what a call has found out; without one the process has ended,
// which is to be reported unless a call finds out.
func (s *supervisor) lost(p *process, cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cause != nil {
		p.unreported = nil
	}
	if s.current != p {
		return
	}
	s.current = nil
	if cause == nil {
		cause = fmt.Errorf("%w: %s", ErrCrashed, p.runner.how())
		p.unreported = cause
	}
	s.failed(cause)
}

// failed notes a failure. The caller holds the lock.
func (s *supervisor) failed(err error) {
	now := time.Now()
	s.backoff.failed(now)
	s.cause = err
	if e, ok := err.(*Error); ok { //nolint:errorlint // as in fail
		s.cause = e.Err
	}
	s.stats.Failures++
	s.stats.LastFailure, s.stats.LastFailureTime = err.Error(), now
	s.stats.Causes.count(err)
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

// putAside has another process started for the next call, and ends p when it has answered its other callers. The process is not to blame.
func (s *supervisor) putAside(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == p {
		s.current = nil
		p.retired = true // the caller has yet to release it
	}
}

// background runs f on a goroutine that close waits for. It reports false if the supervisor is closed.
func (s *supervisor) background(f func()) bool {
	if !s.enterClearing() {
		return false
	}
	go func() {
		defer s.clearing.Done()
		f()
	}()
	return true
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
	if known, ok := err.(*Error); ok { //nolint:errorlint // one that is wrapped is another's
		return known
	}
	return &Error{Plugin: s.name, Op: op, Err: err}
}
