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

// A Partition is read ahead. Next and TryNext are for one goroutine; everything else is safe for concurrent use.
type Partition struct {
	fetcher *Fetcher
	at      strategy.TopicPartition
	wake    chan struct{} // has room for one: there is a batch, or an error

	// All below is guarded by the fetcher's mutex.

	place place
	start callbacks.Start // to resolve
	first int64           // where it began, once that is known
	next  int64           // to ask for
	begun bool            // something has been read

	leader  int32
	last    int32     // leader there was
	epoch   int32     // of the last leader
	replica int32     // to read from instead
	until   time.Time // when to ask the leader again whether that replica is the best
	shy     time.Time // until when no replica is taken

	failures int // in a row
	trouble  error
	backoff  *time.Timer // the wait after the last failure

	wanted     int64 // what was out of range
	outOfRange bool
	whole      int64 // from here on nothing was passed over for being out of range

	hot    bool  // the last answer brought records
	missed int   // answers in a row that brought none although there were some
	limit  int   // how many partitions there may be in a request with this one; 0 if any number
	single bool  // it is asked for one batch of records at a time
	passed int64 // bytes read so
	size   int32 // to ask for, if PartitionBytes was too little

	queue   []*Batch
	starved bool  // it is among the fetcher's starved
	bytes   int64 // in the queue, and handed out and not given back
	held    int64 // handed out
	err     error // final

	highWatermark, logStart int64
	readable                int64 // behind the last record that may be read
	answered                time.Time
	taken                   time.Time // when a batch was taken last
}

func newPartition(f *Fetcher, at strategy.TopicPartition, start callbacks.Start) *Partition {
	p := &Partition{
		fetcher: f, at: at, start: start, next: unknown, first: unknown, leader: nobody, last: nobody, epoch: -1, replica: nobody,
		highWatermark: unknown, logStart: unknown, readable: unknown, wake: make(chan struct{}, 1),
	}
	if start.From == callbacks.FromOffset {
		p.next, p.first = start.Offset, start.Offset
	}
	return p
}

// Start returns the offset at which the partition began to be read, and whether that is known yet. It is known at once when an offset was
// asked for, and else when a broker has said what earliest, latest or the time is. If it turns out not to be in the log, it becomes the
// offset at which reading goes on.
func (p *Partition) Start() (offset int64, known bool) {
	p.fetcher.mu.Lock()
	defer p.fetcher.mu.Unlock()
	return p.first, p.first != unknown
}

// Next returns the next batch, when there is one. It gives back the room that the one before it has taken. An error is the context's cause,
// [ErrClosed], or a [*PartitionError], after which nothing more comes.
func (p *Partition) Next(ctx context.Context) (*Batch, error) {
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		b, err := p.take()
		if b != nil || err != nil {
			return b, err
		}
		select {
		case <-p.wake:
		case <-ctx.Done():
		}
	}
}

// TryNext is Next without waiting. It returns false if there is nothing, also when nothing can come any more.
func (p *Partition) TryNext() (*Batch, bool) {
	b, _ := p.take()
	return b, b != nil
}

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
	p.taken = time.Now()
	return b, nil
}

// Close ends reading, and drops what was read ahead. It may be called more than once, and while Next waits, which then returns [ErrClosed].
func (p *Partition) Close() {
	p.fetcher.mu.Lock()
	defer p.fetcher.mu.Unlock()
	p.close()
}

// A State is how a partition is doing.
type State struct {
	Next          int64     // to be asked for; -1 while it is being found
	Whole         int64     // what is read from there on has no gap that is due to an offset out of range; 0 if none was
	HighWatermark int64     // -1 before the first answer
	End           int64     // HighWatermark, or where only committed records are read, the end of those before the first open transaction
	LogStart      int64     // -1 before the first answer, and always with brokers before Kafka 0.11
	Answered      time.Time // when a broker answered last without an error
	Full          bool      // it waits for room
	Bytes         int64     // read ahead, and handed out last
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
	return State{Next: p.next, Whole: p.whole, HighWatermark: p.highWatermark, End: p.readable, LogStart: p.logStart, Answered: p.answered, Full: p.place == full, Bytes: p.bytes, Err: err}
}
