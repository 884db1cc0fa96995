package fetch

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/conn"
)

const (
	maxLanes   = 4                      // connections to a broker
	maxAsked   = 2000                   // partitions in a request
	gather     = 500 * time.Microsecond // that a free lane waits for more partitions to be ready
	idle       = 10 * time.Second       // after which a lane that has nothing to do is given up
	answerTime = 30 * time.Second       // beyond MaxWait, before a connection counts as dead
)

// A broker is where some partitions are read from. It is guarded by the fetcher's mutex.
type broker struct {
	fetcher *Fetcher
	node    int32
	ready   []*Partition // eligible ones, in the order in which they became so
	lanes   []*lane
}

// A lane is a connection to a broker, with one request under way at a time.
type lane struct {
	broker *broker
	wake   chan struct{} // has room for one
	free   bool          // it waits for something to do
	conn   *conn.Conn
}

// broker returns a broker. It is called with f.mu held.
func (f *Fetcher) broker(node int32) *broker {
	b := f.brokers[node]
	if b == nil {
		b = &broker{fetcher: f, node: node}
		f.brokers[node] = b
	}
	return b
}

// add has a partition be part of the next request. A lane that is free sends it, or a new one: it does not wait for the answer to another
// request. It is called with the mutex held.
func (b *broker) add(p *Partition) {
	b.ready = append(b.ready, p)
	for _, l := range b.lanes {
		if l.free {
			l.nudge()
			return
		}
	}
	if len(b.lanes) < maxLanes && b.fetcher.ended.Err() == nil {
		l := &lane{broker: b, wake: make(chan struct{}, 1), free: true}
		b.lanes = append(b.lanes, l)
		l.nudge()
		b.fetcher.running.Go(l.run)
	}
}

// cut breaks all connections.
func (b *broker) cut() {
	for _, l := range b.lanes {
		if l.conn != nil {
			l.conn.Cut()
		}
		l.nudge()
	}
}

func (l *lane) nudge() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l *lane) run() {
	defer l.hangUp()
	timer := time.NewTimer(idle)
	defer timer.Stop()
	for {
		timer.Reset(idle)
		select {
		case <-l.broker.fetcher.ended.Done():
			return
		case <-timer.C:
			if l.retire() {
				return
			}
			continue
		case <-l.wake:
		}
		if !l.broker.fetcher.sleep(gather) {
			return
		}
		for l.once() {
		}
	}
}

// retire takes a lane out of use, unless there is something to do after all.
func (l *lane) retire() bool {
	f := l.broker.fetcher
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(l.broker.ready) > 0 {
		l.nudge()
		return false
	}
	l.broker.lanes = slices.DeleteFunc(l.broker.lanes, func(x *lane) bool { return x == l })
	return true
}

func (l *lane) hangUp() {
	f := l.broker.fetcher
	f.mu.Lock()
	c := l.conn
	l.conn = nil
	f.mu.Unlock()
	if c != nil {
		c.Close()
	}
}

// once sends a request for all that is ready, and deals with the answer. It returns false if there was nothing.
func (l *lane) once() bool {
	f := l.broker.fetcher
	asked := l.collect()
	if len(asked) == 0 {
		return false
	}
	c, err := l.connection()
	if err == nil {
		var resp *sarama.FetchResponse
		if resp, err = c.Fetch(f.request(asked)); err == nil {
			f.answered(l.broker, asked, resp)
			return true
		}
	}
	if f.ended.Err() != nil {
		return false
	}
	if _, ok := errors.AsType[sarama.PacketDecodingError](err); ok && c != nil {
		f.undecodable(asked, err)
		return true
	}
	l.hangUp()
	f.unreachable(l.broker, asked, err)
	return true
}

// An ask is a partition in a request, as it was when that was made.
type ask struct {
	*Partition
	offset int64
	epoch  int32
}

// collect takes what is ready. A partition that has to be alone is.
func (l *lane) collect() []ask {
	f := l.broker.fetcher
	f.mu.Lock()
	defer f.mu.Unlock()
	var asked []ask
	var rest []*Partition
	alone := false
	for _, p := range l.broker.ready {
		switch {
		case p.place != eligible || p.err != nil:
		case alone || len(asked) >= maxAsked || p.alone && len(asked) > 0:
			rest = append(rest, p)
		default:
			epoch := p.epoch
			if l.broker.node != p.leader {
				epoch = -1
			}
			asked = append(asked, ask{p, p.next, epoch})
			p.place = flying
			alone = p.alone
		}
	}
	l.broker.ready = rest
	l.free = len(asked) == 0
	return asked
}

// request asks for records. Version 12 and fetch sessions are left aside: partitions come and go with each request.
func (f *Fetcher) request(asked []ask) *sarama.FetchRequest {
	r := &sarama.FetchRequest{
		Version: 11, MaxWaitTime: int32(f.cfg.MaxWait.Milliseconds()), MinBytes: f.cfg.MinBytes, MaxBytes: f.cfg.MaxBytes, SessionEpoch: -1, RackID: f.cfg.Rack,
	}
	if f.cfg.ReadCommitted {
		r.Isolation = sarama.ReadCommitted
	}
	for _, a := range asked {
		r.AddBlock(a.at.Topic, a.at.Partition, a.offset, f.cfg.PartitionBytes, a.epoch)
	}
	return r
}

// connection returns the lane's, which it may have to make.
func (l *lane) connection() (*conn.Conn, error) {
	f := l.broker.fetcher
	f.mu.Lock()
	c := l.conn
	f.mu.Unlock()
	if c != nil {
		return c, nil
	}
	known, err := f.cfg.Client.Broker(l.broker.node)
	if err != nil {
		return nil, fmt.Errorf("broker %d: %w", l.broker.node, err)
	}
	c, err = conn.Open(f.ended, f.cfg.Client.Config(), known.Addr(), f.cfg.MaxWait+answerTime)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	l.conn = c
	if f.closed {
		c.Cut()
	}
	return c, nil
}

// unreachable has partitions look for their leader anew, as it may be another by now.
func (f *Fetcher) unreachable(b *broker, asked []ask, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cfg.Logger.Debug("broker cannot be read from", "broker", b.node, "error", err)
	for _, a := range asked {
		if a.place != flying {
			continue
		}
		a.replica = nobody
		a.troubled(err)
		a.later(true)
	}
}

// undecodable finds out which partition it is that makes no sense, by asking for each alone.
func (f *Fetcher) undecodable(asked []ask, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range asked {
		switch {
		case a.place != flying:
		case len(asked) == 1:
			a.finish(&PartitionError{Partition: a.at, Offset: a.offset, Err: fmt.Errorf("%w: %w", ErrCorrupt, err)})
		default:
			a.alone = true
			f.ready(a.Partition)
		}
	}
}
