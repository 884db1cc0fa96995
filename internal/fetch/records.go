package fetch

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/IBM/sarama"
)

// What records take in memory beside their bytes, about.
const (
	recordOverhead = 200
	batchOverhead  = 200
)

// A part of a batch is records as Sarama has decoded them. What handlers are given is made of them when they are taken, not before: it
// takes as much memory again, and is best made where it is looked at next.
type part struct {
	*sarama.RecordBatch
	first int64 // of the records' timestamps, in milliseconds
	at    int   // index of the first record that is left
}

func newPart(b *sarama.RecordBatch, at int) part {
	return part{RecordBatch: b, first: b.FirstTimestamp.UnixMilli(), at: at}
}

// A Record is one as Sarama has decoded it, with what only its batch knows.
type Record struct {
	*sarama.Record
	Offset    int64
	Timestamp int64 // in milliseconds since 1970
}

// A reader makes a batch of what Sarama has decoded.
type reader struct {
	batch   *Batch
	aborted []sarama.AbortedTransaction // by their first offsets; those that begin later than what was read so far
	open    map[int64]bool              // producers of aborted transactions that have begun and not ended
}

// transactions notes which were aborted.
func (r *reader) transactions(list []*sarama.AbortedTransaction) {
	if len(list) == 0 {
		return
	}
	r.open = map[int64]bool{}
	for _, t := range list {
		r.aborted = append(r.aborted, *t)
	}
	slices.SortFunc(r.aborted, func(a, b sarama.AbortedTransaction) int { return int(a.FirstOffset - b.FirstOffset) })
}

// records reads a batch of the present format. Records before the wanted offset come with those behind it, as batches are not taken
// apart by brokers; gaps are what compaction has left. The batch's last offset counts even if its record is gone.
func (r *reader) records(b *sarama.RecordBatch) {
	if b.PartialTrailingRecord && len(b.Records) == 0 {
		return
	}
	last := b.FirstOffset + int64(b.LastOffsetDelta)
	for len(r.aborted) > 0 && r.aborted[0].FirstOffset <= last {
		r.open[r.aborted[0].ProducerID] = true
		r.aborted = r.aborted[1:]
	}
	switch {
	case b.Control:
		if isAbort(b) {
			delete(r.open, b.ProducerID)
		}
	case b.IsTransactional && r.open[b.ProducerID]:
	default:
		r.visible(b)
	}
	r.batch.Next = max(r.batch.Next, last+1)
	r.batch.LeaderEpoch = b.PartitionLeaderEpoch
}

func (r *reader) visible(b *sarama.RecordBatch) {
	at := 0
	for at < len(b.Records) && b.FirstOffset+b.Records[at].OffsetDelta < r.batch.Next {
		at++
	}
	if at == len(b.Records) {
		return
	}
	size := int64(len(b.Records)) * recordOverhead
	for _, record := range b.Records[at:] {
		size += int64(len(record.Key) + len(record.Value))
		for _, h := range record.Headers {
			size += int64(len(h.Key) + len(h.Value))
		}
	}
	r.batch.Bytes += size
	r.batch.parts = append(r.batch.parts, newPart(b, at))
	r.batch.left += len(b.Records) - at
}

// Len returns how many records are left in the batch.
func (b *Batch) Len() int { return b.left }

// Read returns the next record of the batch, of which there has to be one left.
func (b *Batch) Read() Record {
	p := &b.parts[0]
	record := p.Records[p.at]
	r := Record{Record: record, Offset: p.FirstOffset + record.OffsetDelta, Timestamp: p.first + record.TimestampDelta.Milliseconds()}
	if p.LogAppendTime {
		r.Timestamp = p.MaxTimestamp.UnixMilli()
	}
	b.left--
	if p.at++; p.at == len(p.Records) {
		b.parts[0] = part{}
		b.parts = b.parts[1:]
	}
	return r
}

// isAbort reads the one record of a control batch: its key is a version and a type, of which 0 is an abort.
func isAbort(b *sarama.RecordBatch) bool {
	return len(b.Records) > 0 && len(b.Records[0].Key) >= 4 && binary.BigEndian.Uint16(b.Records[0].Key[2:]) == 0
}

// messageSet reads the formats before that of Kafka 0.11, as a batch of the present one. In the later of the two, offsets inside a
// compressed message count from the first one, and only the offset of the last is known.
func (r *reader) messageSet(set *sarama.MessageSet) {
	batch := &sarama.RecordBatch{FirstOffset: r.batch.Next, FirstTimestamp: time.UnixMilli(0)}
	for _, block := range set.Messages {
		inner := block.Messages()
		for _, m := range inner {
			offset, timestamp := m.Offset, m.Msg.Timestamp
			if m.Msg.Version >= 1 {
				offset += block.Offset - inner[len(inner)-1].Offset
				if block.Msg.LogAppendTime {
					timestamp = block.Msg.Timestamp
				}
			}
			if offset < r.batch.Next {
				continue
			}
			batch.Records = append(batch.Records, &sarama.Record{
				Key: m.Msg.Key, Value: m.Msg.Value, OffsetDelta: offset - batch.FirstOffset, TimestampDelta: timestamp.Sub(batch.FirstTimestamp),
			})
			r.batch.Next = offset + 1
			r.batch.Bytes += int64(len(m.Msg.Key)+len(m.Msg.Value)) + recordOverhead
		}
	}
	if len(batch.Records) > 0 {
		r.batch.parts = append(r.batch.parts, newPart(batch, 0))
		r.batch.left += len(batch.Records)
	}
}
