package consumer

import (
	"context"
	"slices"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// last returns those partitions that are the last that the member has of their topics.
func (h *host) last(parts []strategy.TopicPartition) (list []strategy.TopicPartition) {
	h.mu.Lock()
	defer h.mu.Unlock()
	had, goes := map[string]int{}, map[string]int{}
	for p := range h.announced {
		had[p.Topic]++
	}
	for _, p := range parts {
		goes[p.Topic]++
	}
	for _, p := range parts {
		if goes[p.Topic] == had[p.Topic] {
			list = append(list, p)
		}
	}
	return list
}

// drain waits until the handlers of partitions have returned.
func (h *host) drain(ctx context.Context, parts []strategy.TopicPartition) (drained, undrained []strategy.TopicPartition) {
	bound := h.driver.cfg.RevokeTimeout
	if deadline, ok := ctx.Deadline(); ok {
		bound = min(bound, time.Until(deadline)/2)
	}
	workers := h.of(parts)
	for _, w := range workers {
		w.stop()
	}
	began := time.Now()
	timer := time.NewTimer(bound)
	defer timer.Stop()
	if !allDone(workers, timer.C, h.hurry, ctx.Done()) {
		for _, w := range workers {
			if at := w.working.Load(); at != none {
				h.driver.observe(HandlerCancelled{Partition: w.at, Offset: at, After: time.Since(began)})
			}
			w.kill(errUndrained)
		}
		last := time.NewTimer(graceful)
		defer last.Stop()
		allDone(workers, last.C, nil, nil)
	}
	undrained = stillWorking(workers)
	for _, p := range parts {
		if _, working := slices.BinarySearchFunc(undrained, p, strategy.TopicPartition.Compare); !working {
			drained = append(drained, p)
		}
	}
	return drained, undrained
}

// stillWorking returns the partitions whose workers have not ended, in the order of the workers.
func stillWorking(workers []*worker) (list []strategy.TopicPartition) {
	for _, w := range workers {
		select {
		case <-w.done:
		default:
			list = append(list, w.at)
		}
	}
	return list
}

// allDone waits for workers to end, or for one of the channels.
func allDone(workers []*worker, timer <-chan time.Time, hurry, quit <-chan struct{}) bool {
	for _, w := range workers {
		select {
		case <-w.done:
			continue
		default:
		}
		select {
		case <-w.done:
		case <-timer:
			return false
		case <-hurry:
			return false
		case <-quit:
			return false
		}
	}
	return true
}

// giveUp notes that handlers did not return in time. Their partitions are not started again before they have.
func (h *host) giveUp(parts []strategy.TopicPartition) {
	workers := h.of(parts)
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range workers {
		h.undrained[w.at] = w
		h.driver.observe(HandlerStuck{Err: w.stuck(h.driver.cfg.RevokeTimeout), Lost: true})
		go h.forget(w)
	}
}

// forget waits for a handler that was given up.
func (h *host) forget(w *worker) {
	<-w.done
	h.mu.Lock()
	if h.undrained[w.at] == w {
		delete(h.undrained, w.at)
	}
	h.mu.Unlock()
	h.driver.observe(HandlerReturned{Partition: w.at})
}
