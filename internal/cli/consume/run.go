package consume

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/cli/strategies"
	"github.com/assignkit/assignkit/internal/connect"
	"github.com/assignkit/assignkit/strategy"
)

// leaving is how long the command may take to leave the group.
const leaving = 30 * time.Second

func run(ctx context.Context, o *options) error {
	client, err := o.connect.Dial(ctx, o.io.Err)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }() // the consumer has connections of its own
	s := &session{options: o, printer: printer{out: o.io.Out, json: o.format == output.JSON, now: time.Now}}
	if !o.explain.none() {
		s.asked = make(chan *consumer.RebalanceEnded, maxAsked)
	}
	defer s.close()
	cfg, err := s.config(client)
	if err != nil {
		return err
	}
	if s.consumer, err = consumer.New(*cfg); err != nil {
		return err
	}
	o.io.Linger.Store(int64(leaving + time.Second))
	defer s.reloads(cfg.Assignors)()
	explained := s.explains(ctx)
	err = s.consumer.Run(ctx, s.handle)
	explained()
	if errors.Is(err, consumer.ErrNoCommonAssignor) {
		err = fmt.Errorf("%w; 'assignctl group describe' shows theirs, and --strategy names this member's", err)
	}
	return errors.Join(s.failed(), err)
}

// A session is one run.
type session struct {
	options  *options
	printer  printer
	consumer *consumer.Consumer
	closers  []io.Closer
	asked    chan *consumer.RebalanceEnded // are to be explained; nil: none
	records  atomic.Int64
	failure  atomic.Pointer[error] // of writing
}

func (s *session) close() {
	for _, c := range s.closers {
		_ = c.Close() // nothing is written to any more
	}
}

func (s *session) config(client *connect.Client) (*consumer.Config, error) {
	o := s.options
	from, err := start(o.from, time.Now())
	if err != nil {
		return nil, err
	}
	conf := *client.Config()
	conf.RackID = o.rack
	cfg := &consumer.Config{
		Brokers: client.Addrs(), Group: o.group, Topics: o.topics, Callbacks: s, Sarama: &conf,
		InstanceID: o.static, SessionTimeout: o.session, HeartbeatInterval: o.heartbeat, Start: from, CloseTimeout: leaving,
		// What a handler fails with has ended the run already: until it stops, the record is kept back.
		Failure:  consumer.FailurePolicy{Retries: -1, Backoff: time.Millisecond, MaxBackoff: time.Second},
		Observer: consumer.ObserverFunc(s.observe), Logger: slog.New(slog.DiscardHandler),
	}
	if o.commit != commitAuto {
		cfg.Commits = consumer.CommitManual
	}
	for _, l := range o.labels {
		if cfg.Labels == nil {
			cfg.Labels = map[string]string{}
		}
		key, value, _ := strings.Cut(l, "=")
		cfg.Labels[key] = value
	}
	for _, spec := range o.strategies {
		spec = strings.TrimSpace(spec)
		a, err := strategies.Parse(spec)
		if err != nil {
			return nil, err
		}
		s.closers = append(s.closers, closer{a})
		cfg.Assignors = append(cfg.Assignors, specified{a, spec})
	}
	if o.trace != "" {
		f, err := os.OpenFile(o.trace, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, fmt.Errorf("--trace: %w", err)
		}
		s.closers = append(s.closers, f)
		cfg.Trace = traceFile{f, s}
	}
	return cfg, nil
}

// A traceFile ends the run when it cannot be written to: the consumer itself goes on without.
type traceFile struct {
	*os.File
	session *session
}

// Write makes it an io.Writer.
func (f traceFile) Write(line []byte) (int, error) {
	n, err := f.File.Write(line)
	if err != nil {
		f.session.keep(fmt.Errorf("--trace: %w", err))
	}
	return n, err
}

// A specified assignor tells what it was made of, for the trace.
type specified struct {
	strategy.Assignor
	spec string
}

// Unwrap lets the assignor's optional interfaces be found.
func (s specified) Unwrap() strategy.Assignor { return s.Assignor }

// Spec makes it a [consumer.Specified].
func (s specified) Spec() string { return s.spec }

// A closer closes an assignor.
type closer struct{ strategy.Assignor }

// Close makes it an io.Closer.
func (c closer) Close() error { return strategy.Close(c.Assignor) }

// errEnough keeps records from being processed that came beside the last one that was asked for.
var errEnough = errors.New("enough records")

// handle prints a record, and commits it.
func (s *session) handle(ctx context.Context, m *consumer.Message) error {
	n := s.records.Add(1)
	if s.options.count > 0 && n > s.options.count {
		return errEnough
	}
	if !s.options.noRecords {
		if err := s.printer.record(m); err != nil {
			s.keep(err)
			return err
		}
	}
	switch s.options.commit {
	case commitSync:
		if err := m.Commit(ctx); err != nil && ctx.Err() == nil {
			s.problem(fmt.Sprintf("commit: %v", err))
		}
	case commitAsync:
		s.consumer.CommitAsync(map[strategy.TopicPartition]callbacks.Offset{m.At(): {Offset: m.Offset + 1}}, func(err error) {
			if err != nil {
				s.problem(fmt.Sprintf("commit: %v", err))
			}
		})
	}
	if n == s.options.count {
		s.consumer.Stop()
	}
	return nil
}

// Assigned makes it callbacks.
func (s *session) Assigned(ctx context.Context, a *callbacks.Assignment) error {
	s.keep(s.printer.event("assign", &a.Event, a.Added, ""))
	return s.hook("on-assign", s.options.onAssign).run(ctx, "assign", &a.Event, a.Added, "")
}

// Revoked makes it callbacks.
func (s *session) Revoked(ctx context.Context, r *callbacks.Revocation) error {
	s.keep(s.printer.event("revoke", &r.Event, r.Removed, ""))
	return s.hook("on-revoke", s.options.onRevoke).run(ctx, "revoke", &r.Event, r.Removed, "")
}

// Lost makes it callbacks.
func (s *session) Lost(ctx context.Context, l *callbacks.Loss) error {
	s.keep(s.printer.event("lost", &l.Event, l.Removed, string(l.Reason)))
	return s.hook("on-lost", s.options.onLost).run(ctx, "lost", &l.Event, l.Removed, string(l.Reason))
}

func (s *session) hook(flag, command string) *hook {
	return &hook{flag: flag, command: command, errors: s.options.io.Err}
}

// observe prints what went wrong. Callbacks and records print themselves.
func (s *session) observe(e consumer.Event) {
	switch e := e.(type) {
	case consumer.RebalanceEnded:
		s.ask(&e)
	case consumer.CallbackReturned:
		if e.Err != nil {
			s.problem(e.Err.Error())
		}
	case consumer.CallbackBlocked:
		s.problem(fmt.Sprintf("the callback for %s has been running for %v; the group waits %v more", e.Callback, e.For.Round(time.Millisecond), e.Left.Round(time.Millisecond)))
	case consumer.CommitFailed:
		s.problem(e.Err.Error())
	case consumer.OffsetOutOfRange:
		s.problem(fmt.Sprintf("%s-%d has no offset %d any more, but %d to %d; going on at %d", e.Partition.Topic, e.Partition.Partition, e.Wanted, e.Start, e.End, e.Next))
	case consumer.ReadTrouble:
		if e.Err != nil {
			s.problem(fmt.Sprintf("%s-%d cannot be read for now: %v", e.Partition.Topic, e.Partition.Partition, e.Err))
		}
	case consumer.BrokerTrouble:
		if e.Err != nil {
			s.problem(fmt.Sprintf("broker %d at %s cannot be read from for now: %v", e.Broker, e.Addr, e.Err))
		}
	case consumer.FetchRestarted:
		s.problem(fmt.Sprintf("%s-%d was not read for %v; its reading begins anew", e.Partition.Topic, e.Partition.Partition, e.For.Round(time.Millisecond)))
	case consumer.TopicRecreated:
		s.problem(fmt.Sprintf("topic %s was deleted and made anew", e.Topic))
	case consumer.TopicMissing:
		s.problem(fmt.Sprintf("topic %s does not exist; waiting for it", e.Topic))
	case consumer.AssignorFailed:
		s.problem(fmt.Sprintf("strategy %s: %v; %s decides instead", e.Failure.Assignor, e.Failure.Err, e.Failure.Next))
	case consumer.CoordinatorLost:
		s.problem(fmt.Sprintf("the group's coordinator is away: %v", e.Err))
	}
}

func (s *session) problem(text string) { s.keep(s.printer.problem(text)) }

// keep ends the run when what it has to tell cannot be written.
func (s *session) keep(err error) {
	if err != nil && s.failure.CompareAndSwap(nil, &err) {
		s.consumer.Stop()
	}
}

func (s *session) failed() error {
	if err := s.failure.Load(); err != nil {
		return *err
	}
	return nil
}
