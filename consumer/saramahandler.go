package consumer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/fetch"
	"github.com/assignkit/assignkit/strategy"
)

// A SaramaGroup runs a handler that was written for a sarama.ConsumerGroup. It is made by [SaramaHandler].
type SaramaGroup struct{ handler sarama.ConsumerGroupHandler }

// SaramaHandler has a handler that was written for a sarama.ConsumerGroup work on a [Consumer]:
//
//	c, err := consumer.New(consumer.Config{Brokers: brokers, Group: "billing", Topics: []string{"orders"}})
//	err = consumer.SaramaHandler(handler).Run(ctx, c)
//
// There is no loop around Run, as there is around Consume: it goes on through all rebalances.
//
// # Sessions
//
// A session lasts from the first partition to the last, as with Sarama: where the group is cooperative, it goes on while partitions come and
// go, and Claims and GenerationID change; in an eager group, each rebalance ends one and begins another. Setup runs before the first
// claim of a session, Cleanup when all its ConsumeClaims have returned, before its partitions go and before the last marks are committed. Config.Callbacks
// are called as well, before Setup and after Cleanup. A handler that needs Setup and Cleanup around each rebalance needs an eager assignor.
//
// ConsumeClaim runs on a goroutine of its own for each partition, from its assignment until it is revoked or lost or Run ends: then Messages is closed
// and the context of the session that ConsumeClaim was given ends. It has [Config.RevokeTimeout] to return. If it does not, marks in the partition count no
// more, and the partition is not claimed here again before it has; Cleanup waits for that too. The context of the session that Setup
// was given ends with the session.
//
// Messages has no buffer: a record is taken out of it when the handler receives it. InitialOffset is where the partition starts: the offset that
// OnAssign has set, or the committed one, or that of [Config.Start]. The earliest and the latest are sarama.OffsetOldest and OffsetNewest, as
// with Sarama; a start by time is not seen in it, it is OffsetOldest too.
//
// # What is committed
//
// Only what was marked. Marks are committed every CommitInterval, before their partitions go, and by Commit of the session, which waits for the
// answer; with [CommitManual], or Sarama's AutoCommit turned off, only by Commit. ResetOffset takes a mark back that was not committed yet; an
// offset below one committed since the partition was claimed is refused, with an error in the log. Offsets of partitions that are not claimed are
// ignored. Revocation.Positions is empty: what was handled, only marks tell.
//
// # Failures
//
// A ConsumeClaim that returns before its partition goes has failed: with its error, a [*strategy.PanicError], or
// sarama.ErrSessionConsumeClaimExited. [Config.Failure] says what to do: Retries calls it again, with the records from the mark on; then Run ends with
// a [*HandlerError]. Sarama's way, to go on for ever, is Retries: -1. Tries are counted from the last mark. DeadLetter and ThenSkip are refused, as nobody
// knows which record it is about. An error of Setup is one of OnAssign, after Cleanup; see [Config.RetryAssign]. One of Cleanup is reported.
func SaramaHandler(h sarama.ConsumerGroupHandler) *SaramaGroup { return &SaramaGroup{handler: h} }

// Run is [Consumer.Run] with the handler. It may be called for several consumers, also at a time if the handler can bear that.
func (g *SaramaGroup) Run(ctx context.Context, c *Consumer) error {
	switch {
	case g.handler == nil:
		return errors.New("consumer: SaramaHandler needs a handler")
	case c == nil:
		return errors.New("consumer: SaramaHandler needs a consumer; make one with New")
	case c.cfg.Failure.DeadLetter != nil || c.cfg.Failure.Then == ThenSkip:
		return errors.New("consumer: Failure.DeadLetter and ThenSkip cannot be had with SaramaHandler; handle records that fail in ConsumeClaim")
	}
	cfg := c.cfg
	r := &saramaRun{
		handler: g.handler, consumer: c, cfg: &cfg, auto: cfg.Commits == CommitAuto,
		claims: map[strategy.TopicPartition]*saramaClaim{}, late: map[strategy.TopicPartition]*saramaClaim{},
		marks: map[strategy.TopicPartition]*saramaMark{},
	}
	cfg.Commits = CommitManual
	cfg.Callbacks = callbacks.Chain(startsKept{cfg.Callbacks, r}, r)
	if r.auto {
		committing, stop := context.WithCancel(context.WithoutCancel(ctx))
		var committer sync.WaitGroup
		committer.Go(func() { r.commitAtIntervals(committing) })
		defer committer.Wait()
		defer stop()
	}
	return c.run(ctx, &cfg, saramaWork{r})
}

// A saramaRun is one Run: callbacks that begin and end sessions and claims.
type saramaRun struct {
	handler  sarama.ConsumerGroupHandler
	consumer *Consumer
	cfg      *Config
	auto     bool // marks are committed at intervals, and before partitions go

	turn   sync.Mutex                                  // held by who begins or ends sessions and claims
	starts map[strategy.TopicPartition]callbacks.Start // that the application has set for what is being assigned

	mu      sync.Mutex
	session *saramaSession // nil without partitions
	claims  map[strategy.TopicPartition]*saramaClaim
	late    map[strategy.TopicPartition]*saramaClaim // given up, and not returned; the last one of a partition
	marks   map[strategy.TopicPartition]*saramaMark  // of what is claimed
}

var _ callbacks.Callbacks = (*saramaRun)(nil)

// startsKept are the application's callbacks. The starts that they set are kept for the claims that begin then: who is behind them in a chain
// does not see them.
type startsKept struct {
	callbacks.Callbacks
	run *saramaRun
}

func (k startsKept) Assigned(ctx context.Context, a *callbacks.Assignment) error {
	own := &callbacks.Assignment{Event: a.Event, Added: a.Added, Committed: a.Committed}
	err := k.Callbacks.Assigned(ctx, own)
	starts := own.End()
	for p, s := range starts {
		err = errors.Join(err, a.SetStart(p, s))
	}
	k.run.turn.Lock()
	defer k.run.turn.Unlock()
	k.run.starts = starts
	return err
}

// Assigned begins a session if there is none, and the claims of what was added.
func (r *saramaRun) Assigned(ctx context.Context, a *callbacks.Assignment) error {
	r.turn.Lock()
	defer r.turn.Unlock()
	d, err := r.consumer.running()
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s := r.session
	if s == nil {
		if s, err = r.begin(d, a); err != nil {
			return err
		}
	}
	s.claim(a.Current)
	for p := range callbacks.Each(a.Added) {
		r.start(s, p, a)
	}
	return nil
}

func (r *saramaRun) begin(d *driver, a *callbacks.Assignment) (*saramaSession, error) {
	s := newSaramaSession(r, d)
	s.claim(a.Current)
	r.set(s)
	err := enterCode(func() error { return r.handler.Setup(s) })
	if err == nil {
		return s, nil
	}
	return nil, errors.Join(fmt.Errorf("consumer: Setup: %w", err), r.end(s))
}

// set makes a session the current one.
func (r *saramaRun) set(s *saramaSession) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.session = s
}

// end ends a session.
func (r *saramaRun) end(s *saramaSession) error {
	s.cancel()
	err := enterCode(func() error { return r.handler.Cleanup(s) })
	r.set(nil)
	if err != nil {
		return fmt.Errorf("consumer: Cleanup: %w", err)
	}
	return nil
}

// start begins a claim.
func (r *saramaRun) start(s *saramaSession, p strategy.TopicPartition, a *callbacks.Assignment) {
	committed, ok := a.Committed[p]
	from := s.driver.host.beginning(p, r.starts[p], committed.Offset, ok)
	mark := &saramaMark{offset: none, asked: none}
	if from.From == callbacks.FromOffset {
		mark.offset = from.Offset // so that marks before it count for nothing
	}
	if from.resumed {
		mark.metadata = committed.Metadata
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	c := newSaramaClaim(s, p, initial(from.Start), r.late[p])
	r.claims[p], r.marks[p] = c, mark
	s.driver.working.Go(c.serve)
}

// initial is a start in Sarama's terms.
func initial(s callbacks.Start) int64 {
	switch s.From {
	case callbacks.FromOffset:
		return s.Offset
	case callbacks.FromLatest:
		return sarama.OffsetNewest
	case callbacks.FromCommitted, callbacks.FromEarliest, callbacks.FromTimestamp:
	}
	return sarama.OffsetOldest
}

// Revoked ends claims, and the session if they were its last ones, and commits what is marked.
func (r *saramaRun) Revoked(ctx context.Context, rev *callbacks.Revocation) error {
	r.turn.Lock()
	defer r.turn.Unlock()
	leaving := r.leaving(rev.Removed)
	if len(leaving) == 0 {
		return nil
	}
	d := leaving[0].session.driver
	bound := r.cfg.RevokeTimeout
	if deadline, ok := ctx.Deadline(); ok {
		bound = min(bound, time.Until(deadline)/2)
	}
	for _, c := range r.await(ctx, leaving, bound, d.host.hurry) {
		r.giveUp(c)
		d.observe(HandlerStuck{Err: &StuckError{Partition: c.at, Offset: c.taken.Load(), For: bound}, Lost: true})
	}
	err := r.finish(leaving, rev.Current)
	if offsets := r.due(leaving); r.auto && len(offsets) > 0 {
		committed := rev.Commit(ctx, offsets)
		r.settle(offsets, committed)
		err = errors.Join(err, committed)
	}
	r.forget(leaving)
	return err
}

// Lost ends claims, and the session if they were its last ones.
func (r *saramaRun) Lost(ctx context.Context, l *callbacks.Loss) error {
	r.turn.Lock()
	defer r.turn.Unlock()
	leaving := r.leaving(l.Removed)
	if len(leaving) == 0 {
		return nil
	}
	bound := graceful
	if l.Reason == callbacks.LossUndrained {
		bound = 0 // it was over
	}
	for _, c := range r.await(ctx, leaving, bound, nil) {
		r.giveUp(c)
	}
	r.forget(leaving)
	return r.finish(leaving, l.Current)
}

// leaving takes out the claims of partitions that go, and ends them. Without a claim are those whose Setup has failed.
func (r *saramaRun) leaving(removed []strategy.TopicPartitions) []*saramaClaim {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []*saramaClaim
	for p := range callbacks.Each(removed) {
		if c := r.claims[p]; c != nil {
			delete(r.claims, p)
			list = append(list, c)
		}
	}
	return list
}

// await ends claims and returns those that have not returned when the bound is over, or hurry or ctx are.
func (r *saramaRun) await(ctx context.Context, claims []*saramaClaim, bound time.Duration, hurry <-chan struct{}) (late []*saramaClaim) {
	for _, c := range claims {
		c.end()
	}
	over, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	for _, c := range claims {
		select {
		case <-c.returned:
			continue
		default:
		}
		select {
		case <-c.returned:
			continue
		case <-over.Done():
		case <-hurry:
		}
		late = append(late, c)
	}
	return late
}

// giveUp notes a claim that does not return.
func (r *saramaRun) giveUp(c *saramaClaim) {
	r.mu.Lock()
	r.late[c.at] = c
	r.mu.Unlock()
	c.session.driver.working.Go(func() {
		<-c.returned
		r.turn.Lock()
		defer r.turn.Unlock()
		r.mu.Lock()
		if r.late[c.at] == c {
			delete(r.late, c.at)
		}
		r.mu.Unlock()
		d := c.session.driver
		d.observe(HandlerReturned{Partition: c.at})
		if err := r.endIfOver(c.session); err != nil {
			d.log.Error("a session ended late", "error", err)
		}
	})
}

// finish ends the session of claims that have ended if it has no others.
func (r *saramaRun) finish(ended []*saramaClaim, current []strategy.TopicPartitions) error {
	s := ended[0].session
	if len(current) > 0 {
		s.claim(current) // otherwise Cleanup sees what there was
	}
	return r.endIfOver(s)
}

func (r *saramaRun) endIfOver(s *saramaSession) error {
	r.mu.Lock()
	over := r.session == s && len(r.claims) == 0 && len(r.late) == 0
	r.mu.Unlock()
	if !over {
		return nil
	}
	return r.end(s)
}

// saramaWork has workers bring records to their partitions' claims.
type saramaWork struct{ run *saramaRun }

func (s saramaWork) do(w *worker, b *fetch.Batch) bool {
	s.run.mu.Lock()
	c := s.run.claims[w.at]
	s.run.mu.Unlock()
	if c != nil {
		c.pump(w, b)
	}
	return false
}
