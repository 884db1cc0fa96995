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

	mu      sync.Mutex
	state   membership.State
	joined  bool // once
	reading map[strategy.TopicPartition]error
	calls   map[*worker]*handlerCall
}

// A handlerCall is what a worker was seen to work on.
type handlerCall struct {
	offset   int64
	attempts uint64
	since    time.Time
	told     bool
}

func newHealth(d *driver) *health {
	return &health{driver: d, reading: map[strategy.TopicPartition]error{}, calls: map[*worker]*handlerCall{}}
}

// watch looks at the handlers until ctx ends.
func (h *health) watch(ctx context.Context) {
	interval := min(h.driver.cfg.Stuck/4, time.Second)
	ticker := time.NewTicker(max(interval, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			h.look(now, h.driver.host.active())
		}
	}
}

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
		if offset == none || c.told || now.Sub(c.since) < h.driver.cfg.Stuck {
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
	return &StuckError{Topic: w.at.Topic, Partition: w.at.Partition, Offset: w.working.Load(), For: since}
}

// entered notes the member's state.
func (h *health) entered(s membership.State) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state = s
	h.joined = h.joined || s == membership.Stable
}

// readable notes whether a partition can be read.
func (h *health) readable(p strategy.TopicPartition, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil {
		delete(h.reading, p)
	} else {
		h.reading[p] = err
	}
}

// check returns what is wrong.
func (h *health) check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	switch {
	case !h.joined:
		errs = append(errs, errors.New("consumer: has not joined the group yet"))
	case h.state == membership.Rediscovering || h.state == membership.Discovering:
		errs = append(errs, errors.New("consumer: the group's coordinator cannot be reached"))
	case h.state == membership.Leaving || h.state == membership.Ended:
		errs = append(errs, errors.New("consumer: is about to end"))
	}
	var stuck []*worker
	for w, c := range h.calls {
		if c.told {
			stuck = append(stuck, w)
		}
	}
	stuck = append(stuck, h.driver.host.givenUp()...)
	slices.SortFunc(stuck, func(a, b *worker) int { return a.at.Compare(b.at) })
	for _, w := range slices.Compact(stuck) {
		errs = append(errs, fmt.Errorf("consumer: the handler of %s does not return", name(w.at)))
	}
	for _, p := range slices.SortedFunc(maps.Keys(h.reading), strategy.TopicPartition.Compare) {
		errs = append(errs, fmt.Errorf("consumer: %s cannot be read: %w", name(p), h.reading[p]))
	}
	return errors.Join(errs...)
}

// reading takes what the fetcher reports.
func (d *driver) reading(r fetch.Report) {
	switch r := r.(type) {
	case fetch.OutOfRangeReport:
		d.observe(OffsetOutOfRange{Partition: r.Partition, Wanted: r.Wanted, Start: r.Start, End: r.End, Next: r.Next})
	case fetch.Trouble:
		d.health.readable(r.Partition, r.Err)
		d.observe(ReadTrouble{Partition: r.Partition, Err: r.Err})
	}
}
