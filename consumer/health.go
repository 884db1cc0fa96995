package consumer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/assignkit/assignkit/internal/fetch"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/strategy"
)

// health watches that the member does its work. It is safe for concurrent use.
type health struct {
	driver *driver

	mu       sync.Mutex
	state    membership.State
	joined   bool // once
	readings map[*worker]*reading
	calls    map[*worker]*handlerCall
}

// A handlerCall is what a worker was seen to work on.
type handlerCall struct {
	offset   int64
	attempts uint64
	since    time.Time
	told     bool
}

func newHealth(d *driver) *health {
	return &health{driver: d, readings: map[*worker]*reading{}, calls: map[*worker]*handlerCall{}}
}

// watch looks at the handlers and at what is read until ctx ends.
func (h *health) watch(ctx context.Context) {
	interval := max(min(h.driver.cfg.StuckAfter/4, h.driver.cfg.StalledAfter/4, time.Second), time.Millisecond)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			now := time.Now()
			if pause := now.Sub(last) - 2*interval; pause > 0 {
				h.slept(pause)
			}
			last = now
			workers := h.driver.host.active()
			h.look(now, workers)
			h.lookAtReading(now, workers)
		}
	}
}

// slept takes a time into account in which the whole process did not run, so that nobody could get on.
func (h *health) slept(pause time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.calls {
		c.since = c.since.Add(pause)
	}
	for _, r := range h.readings {
		r.since = r.since.Add(pause)
	}
}

// look finds handlers that do not return.
func (h *health) look(now time.Time, workers []*worker) {
	h.mu.Lock()
	defer h.mu.Unlock()
	seen := map[*worker]bool{}
	for _, w := range workers {
		seen[w] = true
		offset, attempts := w.working.Load(), w.attempts.Load()
		c := h.calls[w]
		if c == nil || c.offset != offset || c.attempts != attempts {
			if c != nil && c.told {
				h.driver.observe(HandlerReturned{Partition: w.at})
			}
			h.calls[w] = &handlerCall{offset: offset, attempts: attempts, since: now}
			continue
		}
		if offset == none || c.told || now.Sub(c.since) < h.driver.cfg.StuckAfter {
			continue
		}
		c.told = true
		stuck := w.stuck(now.Sub(c.since))
		h.driver.observe(HandlerStuck{Err: stuck})
		if h.driver.cfg.LeaveWhenStuck {
			go h.driver.fail(stuck) // which waits for the driver
		}
	}
	maps.DeleteFunc(h.calls, func(w *worker, _ *handlerCall) bool { return !seen[w] })
}

// stuck says where a worker is.
func (w *worker) stuck(since time.Duration) *StuckError {
	return &StuckError{Partition: w.at, Offset: w.working.Load(), For: since}
}

// entered notes the member's state.
func (h *health) entered(s membership.State) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state = s
	h.joined = h.joined || s == membership.Stable
}

// check returns what is wrong.
func (h *health) check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	switch _, generation := h.driver.identity(); {
	case h.state == membership.Leaving || h.state == membership.Ended:
		errs = append(errs, errors.New("consumer: is about to end"))
	case !h.joined:
		errs = append(errs, errors.New("consumer: has not joined the group yet"))
	case h.state == membership.Rediscovering || h.state == membership.Discovering:
		errs = append(errs, errors.New("consumer: the group's coordinator cannot be reached"))
	case generation == strategy.NoGeneration:
		errs = append(errs, errors.New("consumer: has been put out of the group, and has not joined it again yet"))
	}
	if late := h.driver.host.late.Load(); late != nil && time.Now().After(*late) {
		errs = append(errs, errors.New("consumer: the group's committed offsets cannot be had"))
	}
	var stuck []*worker
	for w, c := range h.calls {
		if c.told {
			stuck = append(stuck, w)
		}
	}
	stuck = append(stuck, h.driver.host.givenUp()...)
	for _, w := range slices.Compact(sorted(stuck)) {
		errs = append(errs, fmt.Errorf("consumer: the handler of %s does not return", name(w.at)))
	}
	for _, w := range sorted(h.unread()) {
		errs = append(errs, fmt.Errorf("consumer: %s is not read: its broker does not answer", name(w.at)))
	}
	for _, w := range h.driver.host.active() {
		if err := w.trouble(); err != nil {
			errs = append(errs, fmt.Errorf("consumer: %s cannot be read: %w", name(w.at), err))
		}
	}
	return errors.Join(errs...)
}

// trouble returns why the worker's partition cannot be read for now, or ever.
func (w *worker) trouble() error {
	r := w.reader.Load()
	if r == nil {
		return nil
	}
	if err := r.State().Err; !errors.Is(err, fetch.ErrClosed) {
		return err
	}
	return nil
}

// sorted puts workers in the order of their partitions.
func sorted(workers []*worker) []*worker {
	slices.SortFunc(workers, func(a, b *worker) int { return a.at.Compare(b.at) })
	return workers
}

// reading takes what the fetcher reports.
func (d *driver) reading(r fetch.Report) {
	if d.gate.Cause() != nil {
		return // Run ends, and has broken the connections itself
	}
	switch r := r.(type) {
	case fetch.OutOfRangeReport:
		d.observe(OffsetOutOfRange{Partition: r.Partition, Wanted: r.Wanted, Start: r.Start, End: r.End, Next: r.Next})
	case fetch.Trouble:
		if errors.Is(r.Err, fetch.ErrMissing) {
			d.topics.hurry()
		}
		d.observe(ReadTrouble{Partition: r.Partition, Err: r.Err})
	case fetch.LeaderMoved:
		d.observe(LeaderMoved{Partition: r.Partition, From: r.From, To: r.To, Epoch: r.Epoch})
	case fetch.BrokerTrouble:
		d.observeQuietly(BrokerTrouble{Broker: r.Broker, Addr: r.Addr, Err: r.Err}) // the fetcher has logged it
	}
}
