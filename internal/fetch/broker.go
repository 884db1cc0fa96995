package fetch

import "time"

const (
	maxLanes = 4 // connections to a broker
	maxAsked = 2000
	gather   = 500 * time.Microsecond // for what a request may wait, so that it is about more than one partition
	idle     = 10 * time.Second       // after which a lane that has nothing to do is given up
	overdue  = 3 * time.Second        // beyond its wait, after which an answer is doubted
	little   = 64 << 10               // bytes to read although the buffer is used up

	parking  = 20 * time.Millisecond // that partitions without anything to read wait at most for another lane to take them
	handOver = 5 * time.Millisecond  // before the first lane's answer is due, the others' are
)

// A broker is where some partitions are read from. It is guarded by the fetcher's mutex.
type broker struct {
	fetcher *Fetcher
	node    int32
	addr    string // "" if it is not known
	down    bool   // it was reported
	muted   time.Time

	ready []*Partition // eligible ones, in the order in which they became so
	lanes []*lane
	quiet bool // what becomes ready is taken by the lane that is at work right now

	unplaced []*Partition // whose positions it is to be asked for
	placing  bool         // locator runs
}

// broker returns a broker. It is called with f.mu held, as are all methods here.
func (f *Fetcher) broker(node int32) *broker {
	b := f.brokers[node]
	if b == nil {
		b = &broker{fetcher: f, node: node}
		f.brokers[node] = b
	}
	return b
}

// add has a partition be part of the next request. A lane that is free sends it, or a new one: it does not wait for the answer to another
// request.
func (b *broker) add(p *Partition) {
	b.ready = append(b.ready, p)
	if !b.quiet {
		b.rouse(false)
	}
}

// rouse has a lane look at what is ready, at once or after gathering more. There is none only when all are at work, of which the last does
// not wait for long.
func (b *broker) rouse(now bool) {
	f := b.fetcher
	for _, l := range b.lanes {
		if l.free {
			l.free, l.urgent = false, now
			signal(l.wake)
			return
		}
	}
	if len(b.lanes) < maxLanes && !f.closed {
		l := &lane{broker: b, wake: make(chan struct{}, 1), urgent: now}
		b.lanes = append(b.lanes, l)
		f.lanes++
		signal(l.wake)
		f.goes(l.run)
	}
}

// cut breaks all connections.
func (b *broker) cut() {
	for _, l := range b.lanes {
		l.cut()
	}
}

// unreachable notes that the broker is away.
func (b *broker) unreachable(err error) {
	if b.down {
		return
	}
	b.down = true
	b.fetcher.report(BrokerTrouble{Broker: b.node, Addr: b.addr, Err: err})
}

// reached notes that it is there.
func (b *broker) reached() {
	if !b.down {
		return
	}
	b.down = false
	b.fetcher.report(BrokerTrouble{Broker: b.node, Addr: b.addr})
}
