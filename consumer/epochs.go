package consumer

import (
	"slices"
	"sync"

	"github.com/assignkit/assignkit/strategy"
)

// epochs knows under which epochs of leaders the records were written that the member has read. Commits carry that, so that who goes on from one
// can notice a log that was cut off before it. It is safe for concurrent use.
//
// A batch's epoch is that of its last record. Records before it may have a lower one, which does no harm: a log that was cut off before a
// record ends before it in every epoch.
type epochs struct {
	mu    sync.Mutex
	spans map[strategy.TopicPartition][]epochSpan
}

// An epochSpan is records of one epoch, behind those of the span before it.
type epochSpan struct {
	end   int64 // the offset behind them
	epoch int32 // -1 if brokers do not say
}

// maxSpans is how many spans of a partition are kept. Leaders change seldom, and what is committed is not far behind what is read.
const maxSpans = 16

// begin forgets what was known of a partition, which is read anew from an offset. The epoch is that of the record before it.
func (e *epochs) begin(p strategy.TopicPartition, offset int64, epoch int32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.spans == nil {
		e.spans = map[strategy.TopicPartition][]epochSpan{}
	}
	e.spans[p] = []epochSpan{{end: offset, epoch: epoch}}
}

// read notes that a partition was read up to an offset. What was known of offsets from there on is forgotten.
func (e *epochs) read(p strategy.TopicPartition, end int64, epoch int32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	list, known := e.spans[p]
	if !known {
		return // it is gone
	}
	for len(list) > 0 && list[len(list)-1].end >= end {
		list = list[:len(list)-1]
	}
	if n := len(list); n > 0 && list[n-1].epoch == epoch {
		list[n-1].end = end
	} else {
		list = append(list, epochSpan{end: end, epoch: epoch})
	}
	if n := len(list); n > maxSpans {
		list = slices.Delete(list, 0, n-maxSpans)
	}
	e.spans[p] = list
}

// before returns the epoch of the record before an offset, -1 if it is not known.
func (e *epochs) before(p strategy.TopicPartition, offset int64) int32 {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.spans[p] {
		if offset <= s.end {
			return s.epoch
		}
	}
	return -1
}

// forget drops partitions that have gone.
func (e *epochs) forget(parts []strategy.TopicPartition) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range parts {
		delete(e.spans, p)
	}
}
