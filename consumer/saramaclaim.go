package consumer

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/fetch"
	"github.com/assignkit/assignkit/strategy"
)

// A saramaClaim is a partition for as long as a handler of Sarama's has it. ConsumeClaim runs in serve, on a goroutine of the claim's. Records
// are brought to it by pump, on the worker's goroutine, once there is one.
type saramaClaim struct {
	run     *saramaRun
	session *saramaSession
	at      strategy.TopicPartition
	initial int64        // offset, or Sarama's name for one
	before  *saramaClaim // of the same partition, that may not have returned; or nil

	ctx      context.Context // ends with the claim
	cancel   context.CancelFunc
	messages chan *sarama.ConsumerMessage
	returned chan struct{} // closed when ConsumeClaim is not called any more
	gone     atomic.Bool   // the partition is not the claim's any more

	taken     atomic.Int64 // offset of the last record that was taken; initial before
	highWater atomic.Int64
	attempt   atomic.Pointer[saramaAttempt]
	handing   sync.Mutex // held while a record is handed to ConsumeClaim, until it is noted as taken

	mu      sync.Mutex
	pumping bool // the pump closes messages
	closed  bool
}

// A saramaAttempt is one call of ConsumeClaim.
type saramaAttempt struct {
	over     context.Context // ends when it has returned, or with the claim
	end      context.CancelFunc
	replaced chan struct{} // closed when there is another
	initial  int64
}

func newSaramaClaim(s *saramaSession, at strategy.TopicPartition, initial int64, before *saramaClaim) *saramaClaim {
	c := &saramaClaim{run: s.run, session: s, at: at, initial: initial, before: before, messages: make(chan *sarama.ConsumerMessage), returned: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	c.taken.Store(initial)
	c.attempt.Store(c.newAttempt(initial))
	return c
}

func (c *saramaClaim) newAttempt(initial int64) *saramaAttempt {
	a := &saramaAttempt{replaced: make(chan struct{}), initial: initial}
	a.over, a.end = context.WithCancel(c.ctx)
	return a
}

// end has ConsumeClaim return.
func (c *saramaClaim) end() {
	c.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.pumping && !c.closed {
		close(c.messages)
	}
	c.closed = true
}

// serve calls ConsumeClaim until the claim ends.
func (c *saramaClaim) serve() {
	defer close(c.returned)
	if c.before != nil {
		select {
		case <-c.before.returned:
		case <-c.ctx.Done():
			return
		}
	}
	a := c.attempt.Load()
	for tries := 1; ; tries++ {
		marked, _ := c.run.marked(c.at)
		err := enterCode(func() error {
			return c.run.handler.ConsumeClaim(claimSession{c.session, c}, saramaClaimView{c, a.initial})
		})
		ended := c.ctx.Err() != nil
		a.end()
		if ended {
			c.noteLast(err)
			return
		}
		if err == nil {
			err = sarama.ErrSessionConsumeClaimExited
		}
		now, progressed := c.run.marked(c.at)
		if now != marked {
			tries = 1
		}
		if !c.again(err, tries) {
			return
		}
		next := c.newAttempt(c.initial)
		if progressed {
			next.initial = now
		}
		c.attempt.Store(next)
		close(a.replaced)
		a = next
	}
}

// noteLast logs what a ConsumeClaim returns that had to return.
func (c *saramaClaim) noteLast(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		c.session.driver.log.Warn("ConsumeClaim returned an error, after its partition had to go", "partition", name(c.at), "error", err)
	}
}

// again deals with a ConsumeClaim that has failed, and returns whether to call it again. Otherwise Run ends, or the claim has.
func (c *saramaClaim) again(err error, tries int) bool {
	d, f := c.session.driver, &c.run.cfg.Failure
	failed := &HandlerError{Partition: c.at, Offset: c.lastTaken(), Err: err}
	if f.Retries >= 0 && tries > f.Retries {
		d.observe(HandlerFailed{Attempt: tries, Next: "stop", Err: failed})
		d.fail(failed)
		return false
	}
	d.observe(HandlerFailed{Attempt: tries, Next: "retry", Err: failed})
	timer := time.NewTimer(f.wait(tries))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.ctx.Done():
		return false
	}
}

// pump brings records to ConsumeClaim until the worker is stopped, and then waits for ConsumeClaim, so that a claim has the bound for draining
// that handlers have. A ConsumeClaim that is called again is given the records from the mark on.
func (c *saramaClaim) pump(w *worker, b *fetch.Batch) {
	if !c.beginPump() {
		return
	}
	defer w.working.Store(none)
	defer func() {
		c.cancel()
		close(c.messages)
		w.working.Store(c.taken.Load())
		<-c.returned
	}()
	messages := w.messages(b)
	first := messages[0].Offset
	for {
		a := c.attempt.Load()
		if !c.feed(w, a, messages, b) || !c.awaitNext(w, a) {
			return
		}
		w.attempts.Add(1)
		from, ok := c.run.marked(c.at)
		if !ok {
			from = first
		}
		if err := w.rewind(from); err != nil {
			w.unreadable(err)
			return
		}
		messages, b = nil, nil
	}
}

// beginPump returns false if the claim has ended.
func (c *saramaClaim) beginPump() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pumping = !c.closed
	return c.pumping
}

// feed brings records to an attempt: messages, what is left of b, and what is read after that. It returns true if the attempt is over, and
// false if the worker is to end.
func (c *saramaClaim) feed(w *worker, a *saramaAttempt, messages []Message, b *fetch.Batch) bool {
	ctx, cancel := context.WithCancel(w.reading)
	defer cancel()
	defer context.AfterFunc(a.over, cancel)()
	for {
		for i := range messages {
			w.working.Store(messages[i].Offset)
			if !c.hand(ctx, &messages[i]) {
				return w.reading.Err() == nil
			}
		}
		w.working.Store(none)
		if b == nil || b.Len() == 0 {
			var err error
			b, err = w.next(ctx)
			if ctx.Err() != nil {
				return w.reading.Err() == nil
			}
			if err != nil {
				w.unreadable(err)
				return false
			}
		}
		c.highWater.Store(b.HighWatermark)
		messages = w.messages(b)
	}
}

// hand hands a record to ConsumeClaim. It returns false if ctx ends before it is taken.
func (c *saramaClaim) hand(ctx context.Context, m *Message) bool {
	c.handing.Lock()
	defer c.handing.Unlock()
	select {
	case c.messages <- m.Sarama():
		c.taken.Store(m.Offset)
		return true
	case <-ctx.Done():
		return false
	}
}

// lastTaken returns the offset of the last record that was taken, once the attempt is over: ConsumeClaim may have returned with a record before
// who has handed it over could note that.
func (c *saramaClaim) lastTaken() int64 {
	c.handing.Lock()
	defer c.handing.Unlock()
	return c.taken.Load()
}

// awaitNext waits, after an attempt, for the next one.
func (c *saramaClaim) awaitNext(w *worker, a *saramaAttempt) bool {
	w.working.Store(none)
	select {
	case <-a.replaced:
		return true
	case <-c.ctx.Done():
	case <-w.reading.Done():
	}
	return false
}

// A saramaClaimView is what one call of ConsumeClaim sees.
type saramaClaimView struct {
	claim   *saramaClaim
	initial int64
}

func (v saramaClaimView) Topic() string                            { return v.claim.at.Topic }
func (v saramaClaimView) Partition() int32                         { return v.claim.at.Partition }
func (v saramaClaimView) InitialOffset() int64                     { return v.initial }
func (v saramaClaimView) HighWaterMarkOffset() int64               { return v.claim.highWater.Load() }
func (v saramaClaimView) Messages() <-chan *sarama.ConsumerMessage { return v.claim.messages }
