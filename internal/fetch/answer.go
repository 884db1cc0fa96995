package fetch

import (
	"fmt"
	"time"

	"github.com/IBM/sarama"
)

// answered takes an answer apart and has its partitions go on.
func (f *Fetcher) answered(b *broker, asked []ask, resp *sarama.FetchResponse) {
	blocks := make([]*sarama.FetchResponseBlock, len(asked))
	batches := make([]*Batch, len(asked))
	for i, a := range asked {
		if blocks[i] = resp.GetBlock(a.at.Topic, a.at.Partition); blocks[i] != nil && blocks[i].Err == sarama.ErrNoError {
			batches[i] = f.read(&asked[i], blocks[i])
		}
	}
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, a := range asked {
		if a.place != flying { // closed meanwhile
			continue
		}
		if blocks[i] == nil {
			a.troubled(sarama.ErrIncompleteResponse)
			a.later(true)
			continue
		}
		a.answered = now
		if err := blocks[i].Err; err != sarama.ErrNoError {
			f.refused(b, &asked[i], err)
			continue
		}
		f.arrived(&asked[i], blocks[i], batches[i], now)
	}
}

// arrived puts a batch into its partition's queue. It is called with f.mu held.
func (f *Fetcher) arrived(a *ask, block *sarama.FetchResponseBlock, batch *Batch, now time.Time) {
	p := a.Partition
	p.mended()
	p.highWatermark, p.logStart = block.HighWaterMarkOffset, block.LogStartOffset
	if block.PreferredReadReplica >= 0 && f.cfg.Rack != "" {
		p.replica, p.until = block.PreferredReadReplica, now.Add(replicaLease)
	}
	// Nothing, although there is something: the broker had no room for a large record beside other partitions.
	p.alone = batch == nil && a.offset < block.HighWaterMarkOffset && block.Partial
	if batch != nil {
		p.next = batch.Next
		p.queue = append(p.queue, batch)
		p.bytes += batch.Bytes
		f.buffered += batch.Bytes
		p.tell()
	}
	f.ready(p)
}

// refused deals with an error of one partition. It is called with f.mu held.
func (f *Fetcher) refused(b *broker, a *ask, code sarama.KError) {
	p := a.Partition
	if b.node != p.leader && p.replica == b.node {
		p.replica = nobody // what a replica refuses, the leader may have
		p.failures++
		p.later(false)
		return
	}
	switch code { //nolint:exhaustive // others are tried again
	case sarama.ErrOffsetOutOfRange:
		p.next = unknown
		p.outOfRange, p.wanted = true, a.offset
		f.lose(p)
	case sarama.ErrTopicAuthorizationFailed:
		p.finish(&PartitionError{Partition: p.at, Offset: a.offset, Err: ErrUnauthorized})
	case sarama.ErrInvalidMessage:
		p.finish(&PartitionError{Partition: p.at, Offset: a.offset, Err: fmt.Errorf("%w: %w", ErrCorrupt, code)})
	default:
		p.leader = nobody
		p.troubled(code)
		p.later(true)
	}
}

// read makes a batch of a partition's answer, nil if it brings nothing.
func (f *Fetcher) read(a *ask, block *sarama.FetchResponseBlock) *Batch {
	r := reader{batch: &Batch{at: a.at, Next: a.offset, HighWatermark: block.HighWaterMarkOffset, LeaderEpoch: -1, Bytes: batchOverhead}}
	if f.cfg.ReadCommitted {
		r.transactions(block.AbortedTransactions)
	}
	for _, rs := range block.RecordsSet {
		switch {
		case rs.RecordBatch != nil:
			r.records(rs.RecordBatch)
		case rs.MsgSet != nil:
			r.messageSet(rs.MsgSet)
		}
	}
	if r.batch.Next == a.offset {
		return nil
	}
	return r.batch
}
