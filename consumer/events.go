package consumer

import (
	"sync"
)

// maxQueued bounds what waits for an observer that is too slow.
const maxQueued = 10_000

// A queue calls functions one after another on a goroutine of its own, so that who adds one never waits.
type queue struct {
	mu      sync.Mutex
	waiting []func()
	dropped int
	closed  bool
	wake    chan struct{} // has room for one
	done    chan struct{}
}

func newQueue() *queue {
	q := &queue{wake: make(chan struct{}, 1), done: make(chan struct{})}
	go q.run()
	return q
}

// add is for what must not be lost.
func (q *queue) add(f func()) { q.put(f, false) }

// offer is for what may be dropped if too much waits.
func (q *queue) offer(f func()) { q.put(f, true) }

func (q *queue) put(f func(), mayDrop bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	if mayDrop && len(q.waiting) >= maxQueued {
		q.dropped++
		return
	}
	q.waiting = append(q.waiting, f)
	q.nudge()
}

// nudge is called with q.mu held.
func (q *queue) nudge() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// close lets what waits be called, and returns when it was, or when quit is closed; and how much was dropped.
func (q *queue) close(quit <-chan struct{}) (dropped int) {
	q.mu.Lock()
	q.closed = true
	q.nudge()
	q.mu.Unlock()
	select {
	case <-q.done:
	case <-quit:
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}

func (q *queue) run() {
	defer close(q.done)
	for range q.wake {
		for {
			q.mu.Lock()
			list, closed := q.waiting, q.closed
			q.waiting = nil
			q.mu.Unlock()
			if len(list) == 0 {
				if closed {
					return
				}
				break
			}
			for _, f := range list {
				f()
			}
		}
	}
}
