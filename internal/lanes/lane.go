package lanes

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/conn"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/membership/wire"
)

// A lane sends requests one after another, on its goroutine. Everybody may add to it and cut it.
type lane struct {
	lanes *Lanes
	id    membership.Lane
	wake  chan struct{} // has room for one

	mu    sync.Mutex
	queue []membership.Request
	epoch uint64     // counts how often it was cut
	conn  *conn.Conn // only its goroutine sets one
	node  int32      // to which conn leads
	stop  context.CancelFunc
}

func newLane(l *Lanes, id membership.Lane) *lane {
	return &lane{lanes: l, id: id, wake: make(chan struct{}, 1), stop: func() {}}
}

func (a *lane) add(r membership.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue = append(a.queue, r)
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// cut breaks the connection, and does not wait for that.
func (a *lane) cut() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.epoch++
	a.queue = nil
	a.stop()
	a.drop()
}

// drop gives the connection up. It is called with a.mu held.
func (a *lane) drop() {
	if a.conn == nil {
		return
	}
	c := a.conn
	a.conn = nil
	c.Cut()
	a.lanes.running.Go(c.Close) // waits for the request that is under way
}

func (a *lane) at() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.epoch
}

func (a *lane) run() {
	defer func() {
		a.mu.Lock()
		a.drop()
		a.mu.Unlock()
	}()
	for {
		select {
		case <-a.lanes.ended.Done():
			return
		case <-a.wake:
		}
		for a.next() {
		}
	}
}

// next sends one request and delivers what came of it. It returns false if there is none.
func (a *lane) next() bool {
	a.mu.Lock()
	if len(a.queue) == 0 || a.lanes.ended.Err() != nil {
		a.mu.Unlock()
		return false
	}
	r, epoch := a.queue[0], a.epoch
	a.queue = a.queue[1:]
	ctx, cancel := context.WithCancel(a.lanes.ended)
	a.stop = cancel
	a.mu.Unlock()
	defer cancel()

	body, err := a.send(ctx, &r, epoch)
	if r.Body == nil { // only a connection was asked for; who needs it next tells of trouble with it
		return true
	}
	d := Delivery{lane: a.id, epoch: epoch, Input: membership.Replied{ID: r.ID, Body: body}}
	if err != nil {
		d.Input = membership.Disconnected{Lane: a.id}
	}
	if !a.finish(epoch, err) {
		return true // nobody waits for it
	}
	if err != nil {
		a.lanes.cfg.Logger.Debug("a connection of the group failed", "lane", a.id.String(), "error", err)
	}
	a.lanes.deliver(d)
	return true
}

// finish notes how a request ended. It returns false if the lane was cut meanwhile.
func (a *lane) finish(epoch uint64, err error) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.epoch != epoch {
		return false
	}
	if err != nil {
		a.drop()
		a.queue = nil // the disconnection answers for these too
	}
	a.lanes.came(a.id, err)
	return true
}

// send gets an answer. An idle connection may have been closed by the broker, which shows only now: what may be sent twice is sent again.
func (a *lane) send(ctx context.Context, r *membership.Request, epoch uint64) (wire.Reply, error) {
	if a.id == membership.Any {
		if _, ok := r.Body.(wire.FindCoordinator); !ok {
			return nil, errors.New("lanes: only FindCoordinator goes to any broker")
		}
		return a.lanes.find(ctx)
	}
	for again := false; ; again = true {
		c, used, err := a.connection(ctx, r.Node, epoch)
		if err != nil || r.Body == nil {
			return nil, err
		}
		reply, err := conn.Do(c, func(b *sarama.Broker) (wire.Reply, error) { return exchange(b, &a.lanes.cfg, r.Body) })
		if err == nil {
			return reply, nil
		}
		if again || !used || a.id != membership.Offsets || !hungUp(err) || ctx.Err() != nil {
			return nil, conn.Explain(err)
		}
		a.mu.Lock()
		a.drop()
		a.mu.Unlock()
	}
}

// connection returns the one to a node, and whether it was there already.
func (a *lane) connection(ctx context.Context, node int32, epoch uint64) (c *conn.Conn, used bool, err error) {
	a.mu.Lock()
	if a.conn != nil && a.node == node && a.epoch == epoch {
		defer a.mu.Unlock()
		return a.conn, true, nil
	}
	a.drop()
	a.mu.Unlock()
	timeout := a.lanes.cfg.Request
	if a.id == membership.Group {
		timeout = max(timeout, a.lanes.cfg.Rebalance+slack)
	}
	if c, err = a.lanes.dial(ctx, node, timeout); err != nil {
		return nil, false, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.epoch != epoch {
		a.lanes.running.Go(c.Close)
		return nil, false, conn.ErrCut
	}
	a.conn, a.node = c, node
	return c, false, nil
}

// hungUp reports that the other side closed the connection, which says nothing about whether it takes a new one.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, sarama.ErrNotConnected) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
