package fetch

import (
	"context"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

const (
	unknown = -1 // an offset that has to be found
	nobody  = -1 // a broker that has to be found
)

// replicaLease is how long a closer replica is read from before the leader is asked for one again.
const replicaLease = 5 * time.Minute

// A place is where a partition is.
type place uint8

const (
	finding  place = iota // its leader or position is being found
	eligible              // to be part of the next request to its broker
	flying                // in a request
	waiting               // for some time after an error
	full                  // for room
	ended
)

// A Partition is read ahead. Next and TryNext are for one goroutine, everything else is safe for concurrent use.
type Partition struct {
	fetcher *Fetcher
	at      strategy.TopicPartition
	start   callbacks.Start
	wake    chan struct{} // has room for one: there is a batch, or an error

	// Under the fetcher's mutex:
	place      place
	first      int64 // where it began, once that is known
	next       int64 // to ask for
	leader     int32
	epoch      int32 // of the leader
	replica    int32 // to read from instead
	until      time.Time
	alone      bool  // it is to be the only one in a request
	failures   int   // in a row
	wanted     int64 // what was out of range
	outOfRange bool
	trouble    error
	queue      []*Batch
	bytes      int64 // in the queue, and handed out and not given back
	held       int64 // handed out
	err        error // final

	highWatermark, logStart int64
	answered                time.Time
}

// A Batch is records of one partition, as they came. It may be without any, if all that came were control records and the like.
type Batch struct {
	Next          int64 // the offset behind all of them, and behind what is not shown
	HighWatermark int64
	LeaderEpoch   int32 // under which the last record was written; -1 if that is not known
	Bytes         int64 // about

	at    strategy.TopicPartition
	parts []part
	left  int // messages
}

// Start returns the offset at which the partition began to be read, and whether that is known yet.
func (p *Partition) Start() (offset int64, known bool) {
	p.fetcher.mu.Lock()
	defer p.fetcher.mu.Unlock()
	return p.first, p.first != unknown
}

// Next returns the next batch, when there is one. It gives back the room that the one before it has taken. An error is the context's cause,
// [ErrClosed], or a [*PartitionError], after which nothing more comes.
func (p *Partition) Next(ctx context.Context) (*Batch, error) {
	for {
		b, err := p.take()
		if b != nil || err != nil {
			return b, err
		}
		select {
		case <-p.wake:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// TryNext is Next without waiting: nil if there is nothing.
func (p *Partition) TryNext() (*Batch, error) { return p.take() }

func (p *Partition) take() (*Batch, error) {
	f := p.fetcher
	f.mu.Lock()
	defer f.mu.Unlock()
	if p.held > 0 {
		held := p.held
		p.held = 0
		f.release(p, held)
	}
	if len(p.queue) == 0 {
		return nil, p.err
	}
	b := p.queue[0]
	p.queue[0] = nil
	p.queue = p.queue[1:]
	p.held = b.Bytes
	return b, nil
}

// Close ends reading, and drops what was read ahead. It may be called more than once.
func (p *Partition) Close() {
	p.fetcher.mu.Lock()
	defer p.fetcher.mu.Unlock()
	p.finish(ErrClosed)
}

// A State is how a partition is doing.
type State struct {
	Next          int64 // to be read; -1 while it is being found
	HighWatermark int64
	LogStart      int64
	Answered      time.Time // when a broker answered last
	Full          bool      // it waits for room
	Err           error     // why it cannot be read for now, or ever
}

// State returns it.
func (p *Partition) State() State {
	p.fetcher.mu.Lock()
	defer p.fetcher.mu.Unlock()
	err := p.trouble
	if p.err != nil {
		err = p.err
	}
	return State{Next: p.next, HighWatermark: p.highWatermark, LogStart: p.logStart, Answered: p.answered, Full: p.place == full, Err: err}
}

// finish ends a partition. With [ErrClosed] what was read is dropped; otherwise it can still be taken. It is called with the mutex held.
func (p *Partition) finish(err error) {
	f := p.fetcher
	if f.parts[p.at] == p {
		delete(f.parts, p.at)
	}
	if p.err != nil && (p.place == ended || p.err == ErrClosed) { //nolint:errorlint // it is set here only
		return
	}
	p.err = err
	delete(f.lost, p)
	delete(f.full, p)
	if err == ErrClosed { //nolint:errorlint // it is given as such
		p.place = ended
		p.queue = nil
		f.release(p, p.bytes)
		p.held = 0
	}
	p.tell()
}

// tell wakes who waits in Next.
func (p *Partition) tell() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// source is the broker to ask.
func (p *Partition) source(now time.Time) int32 {
	if p.replica != nobody && now.Before(p.until) {
		return p.replica
	}
	p.replica = nobody
	return p.leader
}

// troubled notes an error that time may mend, and has it reported if it is news. It is called with the mutex held.
func (p *Partition) troubled(err error) {
	if p.trouble == nil {
		p.fetcher.cfg.Report(Trouble{Partition: p.at, Err: err})
	}
	p.trouble = err
	p.failures++
}

// mended notes that the partition was read. It is called with the mutex held.
func (p *Partition) mended() {
	p.failures = 0
	if p.trouble != nil {
		p.trouble = nil
		p.fetcher.cfg.Report(Trouble{Partition: p.at})
	}
}

// backoff is how long to wait after the failures so far.
func (p *Partition) backoff() time.Duration {
	d := p.fetcher.cfg.Backoff
	for i := 1; i < p.failures && d < p.fetcher.cfg.MaxBackoff; i++ {
		d *= 2
	}
	return min(d, p.fetcher.cfg.MaxBackoff)
}

// later has a partition go on when its backoff is over: with finding its leader, or with asking. It is called with the mutex held.
func (p *Partition) later(find bool) {
	if p.err != nil {
		return
	}
	p.place = waiting
	f := p.fetcher
	time.AfterFunc(p.backoff(), func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if p.place != waiting || p.err != nil {
			return
		}
		if find {
			f.lose(p)
		} else {
			f.ready(p)
		}
	})
}
