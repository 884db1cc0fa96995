package consumer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/lanes"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/strategy"
)

// graceful is how long a handler has to return when its context was cancelled, before its partition is given up.
const graceful = time.Second

// Causes of a handler's context.
var (
	errLost      = errors.New("the partition is lost")
	errUndrained = errors.New("the partition is revoked, and the handler took too long")
	errCloseTime = errors.New("the consumer ends, and its time for that is over")
)

// A host runs the application's callbacks, one at a time, and the workers of the partitions that these are about. Its methods are called on
// the driver's goroutine and on the one of the running callback.
type host struct {
	driver *driver
	user   callbacks.Callbacks
	ending chan struct{}             // closed when the end begins
	hurry  chan struct{}             // closed when the end has used up half of its time
	late   atomic.Pointer[time.Time] // when committed offsets that are asked for should have come

	mu        sync.Mutex
	announced map[strategy.TopicPartition]bool // OnAssign was called with it
	starts    map[strategy.TopicPartition]begin
	workers   map[strategy.TopicPartition]*worker // that may work
	undrained map[strategy.TopicPartition]*worker // that were given up while their handler was working
	deleted   map[strategy.TopicPartition]bool    // that were lost so, since the last assignment
}

// begin is where a partition begins.
type begin struct {
	callbacks.Start
	resumed bool // that is what the group has committed
}

func newHost(d *driver) *host {
	return &host{
		driver: d, user: callbacks.Timeout(entering{d.cfg.Callbacks}, 0), ending: make(chan struct{}), hurry: make(chan struct{}),
		announced: map[strategy.TopicPartition]bool{}, starts: map[strategy.TopicPartition]begin{},
		workers: map[strategy.TopicPartition]*worker{}, undrained: map[strategy.TopicPartition]*worker{},
	}
}

// current returns what was announced.
func (h *host) current() []strategy.TopicPartitions {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strategy.ByTopic(slices.SortedFunc(maps.Keys(h.announced), strategy.TopicPartition.Compare))
}

// gaveUp reports that a partition's handler was given up while the member still had the partition, so that its commits are refused.
func (h *host) gaveUp(p strategy.TopicPartition) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	given := h.undrained[p]
	return given != nil && (h.workers[p] == nil || h.workers[p] == given)
}

// givenUp returns the workers whose handlers were given up and have not returned.
func (h *host) givenUp() []*worker {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.undrained))
}

// active returns all workers that may work, in the order of partitions.
func (h *host) active() []*worker {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.SortedFunc(maps.Values(h.workers), func(a, b *worker) int { return a.at.Compare(b.at) })
}

// of returns the workers of partitions.
func (h *host) of(parts []strategy.TopicPartition) []*worker {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []*worker
	for _, p := range parts {
		if w := h.workers[p]; w != nil {
			list = append(list, w)
		}
	}
	return list
}

// start begins to work on partitions.
func (h *host) start(parts []strategy.TopicPartition) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range parts {
		from := h.starts[p]
		delete(h.starts, p)
		w := newWorker(h.driver, p, from.Start, from.resumed)
		h.workers[p] = w
		h.driver.working.Add(1)
		go func(before *worker) {
			defer h.driver.working.Done()
			w.run(before)
		}(h.undrained[p])
	}
}

// call runs a callback of the member's and says how it ended. A loss has no deadline.
func (h *host) call(ctx context.Context, cb *membership.Callback, deadline time.Time) error {
	switch cb.Kind {
	case membership.Assign:
		return h.assign(ctx, cb, deadline)
	case membership.Revoke:
		ctx, free := context.WithDeadline(ctx, deadline)
		defer free()
		h.revoke(ctx, cb)
		h.driver.epochs.forget(cb.Partitions)
	case membership.Lost:
		gone, rest := parted(cb.Partitions, cb.Gone)
		h.lost(ctx, cb.Generation, rest, h.driver.lossReason(), nil)
		h.lost(ctx, cb.Generation, gone, callbacks.LossDeleted, nil)
		h.driver.epochs.forget(cb.Partitions)
	}
	return nil
}

// parted sorts partitions by whether they are in a list.
func parted(parts, list []strategy.TopicPartition) (in, out []strategy.TopicPartition) {
	listed := make(map[strategy.TopicPartition]bool, len(list))
	for _, p := range list {
		listed[p] = true
	}
	for _, p := range parts {
		if listed[p] {
			in = append(in, p)
		} else {
			out = append(out, p)
		}
	}
	return in, out
}

// assign finds out where partitions begin and calls OnAssign. Committed offsets are asked for until they are had or the partitions are lost,
// also past the deadline, as Run does not end for a broker that is away; OnAssign has half of Rebalance at least in any case.
func (h *host) assign(ctx context.Context, cb *membership.Callback, deadline time.Time) error {
	stored, err := h.committed(ctx, cb.Partitions, deadline)
	if err != nil {
		return fmt.Errorf("consumer: asking for committed offsets: %w", err)
	}
	if least := time.Now().Add(h.driver.cfg.RebalanceTimeout / 2); deadline.Before(least) {
		deadline = least
	}
	ctx, free := context.WithDeadline(ctx, deadline)
	defer free()
	h.outdate(stored)
	if len(stored) < len(cb.Partitions) && h.driver.cfg.Start.From != callbacks.FromEarliest {
		h.driver.topics.confirm(ctx, cb.Partitions) // what is new is read from its beginning
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	committed := make(map[strategy.TopicPartition]callbacks.Offset, len(stored))
	for p, o := range stored {
		committed[p] = callbacks.Offset{Offset: o.Offset, Metadata: o.Metadata}
		h.driver.epochs.begin(p, o.Offset, o.LeaderEpoch) // now, as OnAssign may commit
	}
	for attempt := 1; ; attempt++ {
		a := &callbacks.Assignment{Event: h.event(cb.Generation, cb.Partitions), Added: strategy.ByTopic(cb.Partitions), Committed: committed}
		err = h.timed("assign", a.Added, func() error { return h.user.Assigned(ctx, a) })
		starts := a.End()
		if err == nil {
			h.begin(cb.Partitions, starts, stored)
			return nil
		}
		if !h.driver.cfg.RetryAssign || ctx.Err() != nil {
			return fmt.Errorf("consumer: OnAssign: %w", err)
		}
		h.revoked(ctx, cb.Generation, cb.Partitions, nil)
		select {
		case <-time.After(min(time.Duration(attempt)*100*time.Millisecond, 5*time.Second)):
		case <-h.ending:
			return fmt.Errorf("consumer: OnAssign: %w", err)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// committed returns what the group has committed. That it takes long makes the member not ready.
func (h *host) committed(ctx context.Context, parts []strategy.TopicPartition, deadline time.Time) (map[strategy.TopicPartition]lanes.Offset, error) {
	h.late.Store(&deadline)
	defer h.late.Store(nil)
	defer time.AfterFunc(time.Until(deadline), func() {
		h.driver.log.Warn("committed offsets cannot be had, and are asked for again and again", "partitions", len(parts))
	}).Stop()
	return h.driver.lanes.Committed(ctx, parts)
}

// outdate drops what is committed of partitions that were deleted and made anew since the last assignment: it may be of the ones before, as it
// was committed before anybody knew.
func (h *host) outdate(stored map[strategy.TopicPartition]lanes.Offset) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for p := range h.deleted {
		delete(stored, p)
	}
	h.deleted = nil
}

// begin notes where partitions will start.
func (h *host) begin(parts []strategy.TopicPartition, starts map[strategy.TopicPartition]callbacks.Start, stored map[strategy.TopicPartition]lanes.Offset) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range parts {
		o, ok := stored[p]
		b := h.beginning(p, starts[p], o.Offset, ok)
		if h.starts[p] = b; !b.resumed {
			h.driver.epochs.begin(p, none, none)
		}
	}
}

// beginning says where a partition begins: where the application has said, where the group has committed, or where the configuration
// says, with what is new read whole.
func (h *host) beginning(p strategy.TopicPartition, set callbacks.Start, committed int64, ok bool) begin {
	switch {
	case set.From != callbacks.FromCommitted:
		return begin{Start: set}
	case ok:
		return begin{Start: callbacks.Start{From: callbacks.FromOffset, Offset: committed}, resumed: true}
	case h.driver.topics.grown(p):
		return begin{Start: callbacks.Start{From: callbacks.FromEarliest}}
	}
	return begin{Start: h.driver.cfg.Start}
}

// revoke drains partitions, commits them, and lets the application know. Those whose handler does not end are lost instead, and so are
// those that do not exist any more, also if only a look tells so: whoever noticed first has started the rebalance that takes them away. That is
// looked for only where nothing of a topic stays, as what moves should not wait for it.
func (h *host) revoke(ctx context.Context, cb *membership.Callback) {
	deleted := make(chan []strategy.TopicPartition, 1)
	suspects := h.last(cb.Partitions)
	if len(suspects) == 0 || h.driver.leaving.Load() { // then nobody is asked who may not answer
		deleted <- nil
	} else {
		go func() { deleted <- h.driver.topics.confirm(ctx, suspects) }()
	}
	drained, undrained := h.drain(ctx, cb.Partitions)
	gone := slices.Concat(cb.Gone, <-deleted)
	if len(undrained) > 0 {
		h.giveUp(undrained)
		h.lost(ctx, cb.Generation, undrained, callbacks.LossUndrained, errUndrained)
	}
	if ctx.Err() != nil {
		h.lost(ctx, cb.Generation, drained, h.driver.lossReason(), context.Cause(ctx))
		return
	}
	gone, kept := parted(drained, gone)
	if len(gone) > 0 {
		h.lost(ctx, cb.Generation, gone, callbacks.LossDeleted, nil)
	}
	workers := h.of(kept)
	if h.driver.cfg.Commits == CommitAuto {
		h.commit(ctx, workers)
	}
	h.revoked(ctx, cb.Generation, kept, workers)
}

// commit commits what workers have processed, and waits until that is answered or ctx ends.
func (h *host) commit(ctx context.Context, workers []*worker) {
	answered := make(chan struct{})
	posted := h.driver.post(func() { h.driver.commitProcessed(workers, func() { close(answered) }) })
	if !posted {
		return
	}
	select {
	case <-answered:
	case <-ctx.Done():
	}
}

// revoked calls OnRevoke.
func (h *host) revoked(ctx context.Context, generation int32, parts []strategy.TopicPartition, workers []*worker) {
	if parts = h.take(parts); len(parts) == 0 {
		return
	}
	positions := map[strategy.TopicPartition]int64{}
	for _, w := range workers {
		if next := w.handled.Load(); next != none {
			positions[w.at] = next
		}
	}
	r := &callbacks.Revocation{Event: h.event(generation, nil), Removed: strategy.ByTopic(parts), Positions: positions, CommitFunc: h.driver.commitNow}
	_ = h.timed("revoke", r.Removed, func() error { return h.user.Revoked(ctx, r) }) // was reported, and changes nothing
	r.End()
}

// lost waits a moment for handlers, whose contexts have ended, and calls OnLost.
func (h *host) lost(ctx context.Context, generation int32, parts []strategy.TopicPartition, reason callbacks.LossReason, cause error) {
	workers := h.of(parts)
	for _, w := range workers {
		w.kill(errLost)
	}
	if reason != callbacks.LossUndrained {
		timer := time.NewTimer(graceful)
		defer timer.Stop()
		if !allDone(workers, timer.C, nil, nil) {
			h.giveUp(stillWorking(workers))
		}
	}
	if parts = h.take(parts); len(parts) == 0 {
		return
	}
	if reason == callbacks.LossDeleted {
		h.noteDeleted(parts)
	}
	// What the context of a callback that was cancelled is good for, a loss cannot use.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.driver.cfg.RebalanceTimeout)
	defer cancel()
	defer context.AfterFunc(h.driver.last, cancel)()
	l := &callbacks.Loss{Event: h.event(generation, nil), Removed: strategy.ByTopic(parts), Reason: reason, Err: cause}
	_ = h.timed("lost", l.Removed, func() error { return h.user.Lost(ctx, l) }) // was reported, and changes nothing
}

func (h *host) noteDeleted(parts []strategy.TopicPartition) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.deleted == nil {
		h.deleted = map[strategy.TopicPartition]bool{}
	}
	for _, p := range parts {
		h.deleted[p] = true
	}
}

// take removes partitions from those that the member has, and returns those of them that the application knows of.
func (h *host) take(parts []strategy.TopicPartition) (known []strategy.TopicPartition) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range parts {
		if h.announced[p] {
			known = append(known, p)
		}
		delete(h.announced, p)
		delete(h.starts, p)
		delete(h.workers, p)
	}
	h.driver.ahead.drop(parts)
	return known
}

// event is what all callbacks are told, in the generation in which it came to that: by now the member may have another one, or none. What is added
// is announced by that.
func (h *host) event(generation int32, added []strategy.TopicPartition) callbacks.Event {
	h.mu.Lock()
	for _, p := range added {
		h.announced[p] = true
	}
	h.mu.Unlock()
	member, _ := h.driver.identity()
	return callbacks.Event{Group: h.driver.cfg.Group, Member: member, Generation: generation, Current: h.current()}
}

// timed calls a callback, and reports it: while it blocks, and when it has returned.
func (h *host) timed(kind string, parts []strategy.TopicPartitions, f func() error) error {
	began := time.Now()
	done := h.driver.callbackBegan(kind, parts, began)
	err := f()
	done()
	h.driver.callbackReturned(CallbackReturned{Callback: kind, Partitions: parts, Took: time.Since(began), Err: err})
	return err
}
