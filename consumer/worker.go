package consumer

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/fetch"
	"github.com/assignkit/assignkit/strategy"
)

// How many records are made ready at a time. Those of one allocation are freed together, so few are better for who keeps one; and what
// fits into a processor's cache is faster.
const chunk = 400

// none is an offset that is not there.
const none = -1

// A worker reads a partition and has its records processed, on a goroutine of its own.
type worker struct {
	consumer *Consumer
	driver   *driver
	at       strategy.TopicPartition
	place    Place
	start    callbacks.Start
	resumed  bool // start is what the group has committed

	ctx     context.Context // the handlers'
	cancel  context.CancelCauseFunc
	reading context.Context // ends when the worker is stopped
	stopped context.CancelFunc
	stops   sync.Once
	done    chan struct{} // closed when the goroutine has ended

	stopping atomic.Bool
	handled  atomic.Int64  // offset behind the last record processed, none before
	stored   atomic.Int64  // highest offset known to be committed, none before
	working  atomic.Int64  // offset that the handler works on, none if it does not
	attempts atomic.Uint64 // tries after the first of a record, so that they are told from one long call
	reader   atomic.Pointer[fetch.Partition]
	first    atomic.Pointer[fetch.Partition] // the reader that says where it started
	anew     atomic.Bool                     // the reader was closed so that another is opened

	position int64 // behind what was read last, for the worker's goroutine; none before
	skip     int64 // records before this offset are not to be processed
	asked    int64 // offset of the last automatic commit, on the driver's goroutine; none if it failed
}

func newWorker(d *driver, at strategy.TopicPartition, start callbacks.Start, resumed bool) *worker {
	w := &worker{consumer: d.consumer, driver: d, at: at, start: start, resumed: resumed, done: make(chan struct{}), position: none, asked: none}
	w.place = Place{Topic: at.Topic, Partition: at.Partition, worker: w}
	w.ctx, w.cancel = context.WithCancelCause(d.handlers)
	w.reading, w.stopped = context.WithCancel(d.handlers)
	w.handled.Store(none)
	w.stored.Store(none)
	if resumed {
		w.stored.Store(start.Offset)
	}
	w.working.Store(none)
	return w
}

// stop lets the record in work be the last one.
func (w *worker) stop() {
	w.stops.Do(func() {
		w.stopping.Store(true)
		w.stopped()
	})
}

// kill stops the worker and ends its handler's context.
func (w *worker) kill(cause error) {
	w.stop()
	w.cancel(cause)
}

// isLost reports that the partition was lost, or given up, while this worker had it. The member may have it again by now.
func (w *worker) isLost() bool {
	cause := context.Cause(w.ctx)
	return errors.Is(cause, errLost) || errors.Is(cause, errUndrained)
}

// run works until it is stopped, after the worker before it has ended, if there is one.
func (w *worker) run(before *worker) {
	defer close(w.done)
	defer w.cancel(nil)
	defer w.stop()
	if before != nil {
		select {
		case <-before.done:
		case <-w.reading.Done():
			return
		}
	}
	if err := w.begin(); err != nil {
		w.unreadable(err)
		return
	}
	defer func() { w.reader.Load().Close() }()
	for {
		b, err := w.next(w.reading)
		if w.stopping.Load() {
			return
		}
		if err != nil {
			w.unreadable(err)
			return
		}
		if b.Next <= w.skip {
			continue // it was read ahead, and another member has processed it since
		}
		b.Skip(w.skip)
		for b.Len() > 0 {
			if !w.driver.work.do(w, b) {
				return
			}
		}
		w.handled.Store(b.Next)
	}
}

// begin begins to read, or goes on with what was read ahead.
func (w *worker) begin() error {
	reader := w.driver.ahead.take(w.at, w.start)
	if reader == nil {
		return w.open(w.start)
	}
	w.skip = w.start.Offset
	w.first.Store(reader)
	w.reader.Store(reader)
	return nil
}

// open begins to read, in place of the reader there was.
func (w *worker) open(from callbacks.Start) error {
	reader, err := w.driver.fetcher.Open(w.at, from)
	if err != nil {
		return err
	}
	if w.position == none {
		w.first.Store(reader)
	}
	w.reader.Store(reader)
	return nil
}

// next returns the next records. Where the reader was closed by restart, it goes on with another one behind the records that it has returned.
func (w *worker) next(ctx context.Context) (*fetch.Batch, error) {
	for {
		reader := w.reader.Load()
		b, err := reader.Next(ctx)
		if err == nil {
			w.position = b.Next
			w.driver.epochs.read(w.at, b.Next, b.LeaderEpoch)
			return b, nil
		}
		if !errors.Is(err, fetch.ErrClosed) || !w.anew.Swap(false) {
			return nil, err
		}
		from := w.start
		if at, known := reader.Start(); w.position != none {
			from = callbacks.Start{From: callbacks.FromOffset, Offset: w.position}
		} else if known {
			from = callbacks.Start{From: callbacks.FromOffset, Offset: at}
		}
		if err := w.open(from); err != nil {
			return nil, err
		}
	}
}

// restart has reading begin anew. What was read ahead is dropped, and read again. It may be called from any goroutine.
func (w *worker) restart() {
	w.anew.Store(true)
	w.reader.Load().Close()
}

// rewind has it begin anew at an offset. It is for the worker's goroutine.
func (w *worker) rewind(from int64) error {
	w.reader.Load().Close()
	w.position, w.skip = from, 0
	return w.open(callbacks.Start{From: callbacks.FromOffset, Offset: from})
}

// unreadable ends Run, as the partition cannot be read any further.
func (w *worker) unreadable(err error) {
	if w.reading.Err() != nil {
		return
	}
	failed := &ReadError{Partition: w.at, Offset: none, Err: err}
	if p, ok := errors.AsType[*fetch.PartitionError](err); ok {
		failed.Offset, failed.Err = p.Offset, p.Err
	}
	w.driver.fail(failed)
}

// due returns the offset to commit, none if there is none: behind what is processed, or where it started if nobody has committed that. It is
// fresh if it was not asked for yet.
func (w *worker) due() (next int64, fresh bool) {
	next = w.handled.Load()
	if r := w.first.Load(); next == none && r != nil && !w.resumed {
		if first, known := r.Start(); known {
			next = max(first, w.skip)
		}
	}
	return next, next != none && next != w.asked
}

// work is what a worker does with records that were fetched. It returns false if the worker is to end.
type work interface {
	do(w *worker, b *fetch.Batch) bool
}

type recordWork struct{ handle Handler }

func (h recordWork) do(w *worker, b *fetch.Batch) bool {
	defer w.working.Store(none)
	messages := w.messages(b)
	for i := range messages {
		if w.stopping.Load() {
			return false
		}
		m := &messages[i]
		w.working.Store(m.Offset)
		if err := enterRecord(w.ctx, h.handle, m); err != nil && !w.settle(err, m.Offset, messages[i:i+1], func() error { return enterRecord(w.ctx, h.handle, m) }) {
			return false
		}
		w.handled.Store(m.Offset + 1)
	}
	return true
}

type batchWork struct{ handle BatchHandler }

func (h batchWork) do(w *worker, b *fetch.Batch) bool {
	defer w.working.Store(none)
	messages := w.messages(b)
	batch := &Batch{Topic: w.at.Topic, Partition: w.at.Partition, Messages: messages}
	first, last := messages[0].Offset, messages[len(messages)-1].Offset
	w.working.Store(first)
	err := enterBatch(w.ctx, h.handle, batch)
	if err != nil && !w.settle(err, first, messages, func() error { return enterBatch(w.ctx, h.handle, batch) }) {
		return false
	}
	w.handled.Store(last + 1)
	return !w.stopping.Load()
}

// messages makes the next messages of a batch, at most a chunk.
func (w *worker) messages(b *fetch.Batch) []Message {
	messages := make([]Message, min(chunk, b.Len()))
	for i := range messages {
		r := b.Read()
		messages[i] = Message{Place: &w.place, Offset: r.Offset, Key: r.Key, Value: r.Value, timestamp: r.Timestamp, record: r.Record}
	}
	if len(w.driver.interceptors) > 0 {
		for i := range messages {
			w.intercept(&messages[i])
		}
	}
	return messages
}

// intercept shows a record to Sarama's interceptors, and takes over what they change. A panic of one is logged, as with Sarama's own
// consumers.
func (w *worker) intercept(m *Message) {
	shown := m.Sarama()
	for _, i := range w.driver.interceptors {
		if err := enterInterceptor(i, shown); err != nil {
			w.driver.log.Error("an interceptor failed", "partition", name(w.at), "offset", m.Offset, "error", err)
		}
	}
	*m = *MessageOf(shown)
	m.Place = &w.place
}
