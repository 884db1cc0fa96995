package plugin

import (
	"context"
	"sync"
)

// noticesMost is how many notices wait at most.
const noticesMost = 64

// notices are calls that nobody waits for, made one after another. It is safe for concurrent use.
type notices struct {
	mu    sync.Mutex
	queue []func()
	idle  chan struct{} // closed when there are none any more; nil if there are none
}

// add queues a call, which background makes on a goroutine unless it returns false. It says whether the oldest had to go for it, and whether it was queued.
func (n *notices) add(background func(func()) bool, call func()) (dropped, queued bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.queue) == noticesMost {
		n.queue = append(n.queue[:0:0], n.queue[1:]...)
		dropped = true
	}
	n.queue = append(n.queue, call)
	if n.idle == nil {
		n.idle = make(chan struct{})
		if !background(n.work) {
			n.queue, n.idle = nil, nil
			return false, false
		}
	}
	return dropped, true
}

func (n *notices) work() {
	for {
		n.mu.Lock()
		if len(n.queue) == 0 {
			close(n.idle)
			n.idle = nil
			n.mu.Unlock()
			return
		}
		call := n.queue[0]
		n.queue = n.queue[1:]
		n.mu.Unlock()
		call()
	}
}

// wait waits until no notice is on its way.
func (n *notices) wait(ctx context.Context) error {
	n.mu.Lock()
	idle := n.idle
	n.mu.Unlock()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
