package fetch

import (
	"cmp"
	"encoding/binary"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/IBM/sarama"
)

// What records take in memory beside their bytes, about.
const (
	recordOverhead = 128
	batchOverhead  = 256
)

// A Batch is records of one partition, as they came. It may be without any, if all that came were control records and the like. It is for
// one goroutine.
type Batch struct {
	Next          int64 // the offset behind all of them, and behind what is not shown
	HighWatermark int64
	LeaderEpoch   int32 // under which the last record was written; -1 if that is not known
	Bytes         int64 // in memory, about

	parts []part
	left  int // records
}

// A part of a batch is records as Sarama has decoded them. What handlers are given is made of them when they are taken, not before: it
// takes as much memory again, and is best made where it is looked at next.
type part struct {
	*sarama.RecordBatch
	first int64 // of the records' timestamps, in milliseconds
	at    int   // index of the first record that is left
}

func newPart(b *sarama.RecordBatch, at int) part {
	return part{RecordBatch: b, first: milliseconds(b.FirstTimestamp), at: at}
}

// milliseconds is how Kafka counts time. The zero time is none, -1.
func milliseconds(t time.Time) int64 {
	if t.IsZero() {
		return -1
	}
	return t.UnixMilli()
}

// A Record is one as Sarama has decoded it, with what only its batch knows. It may be kept, and is not changed later.
type Record struct {
	*sarama.Record
	Offset    int64
	Timestamp int64 // in milliseconds since 1970; -1 if there is none
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

// Skip drops the records before an offset.
func (b *Batch) Skip(before int64) {
	for b.left > 0 && b.parts[0].FirstOffset+b.parts[0].Records[b.parts[0].at].OffsetDelta < before {
		b.Read()
	}
}

// A reader makes a batch of what Sarama has decoded.
type reader struct {
	batch   *Batch
	copies  bool                        // records that lie in the answer are taken out of it
	aborted []sarama.AbortedTransaction // by their first offsets; those that begin later than what was read so far
	open    map[int64]bool              // producers of aborted transactions that have begun and not ended
}

// read makes a batch of a partition's answer, nil if it brings nothing. If the answer is shared with other partitions and this one is
// slow, its records are copied, so that they do not keep all of the answer in memory.
func (f *Fetcher) read(a *ask, block *sarama.FetchResponseBlock, shared bool) *Batch {
	if len(block.RecordsSet) == 0 && block.HighWaterMarkOffset <= a.offset {
		return nil
	}
	r := reader{
		batch:  &Batch{Next: a.offset, HighWatermark: block.HighWaterMarkOffset, LeaderEpoch: -1, Bytes: batchOverhead},
		copies: shared && a.slow,
	}
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
		r.batch.Next = max(r.batch.Next, behindEmpty(block))
	}
	if r.batch.Next == a.offset {
		return nil
	}
	return r.batch
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
	slices.SortFunc(r.aborted, func(a, b sarama.AbortedTransaction) int { return cmp.Compare(a.FirstOffset, b.FirstOffset) })
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
	size := 0
	for _, record := range b.Records[at:] {
		size += len(record.Key) + len(record.Value)
		for _, h := range record.Headers {
			size += len(h.Key) + len(h.Value)
		}
	}
	if r.copies && b.Codec == sarama.CompressionNone { // others were copied when they were decompressed
		copyOut(b.Records[at:], size)
	}
	r.batch.Bytes += int64(size) + int64(len(b.Records))*recordOverhead
	r.batch.parts = append(r.batch.parts, newPart(b, at))
	r.batch.left += len(b.Records) - at
}

// copyOut gives records bytes of their own.
func copyOut(records []*sarama.Record, size int) {
	room := make([]byte, 0, size)
	own := func(b []byte) []byte {
		if b == nil {
			return nil
		}
		from := len(room)
		room = append(room, b...)
		return room[from:len(room):len(room)]
	}
	for _, record := range records {
		record.Key, record.Value = own(record.Key), own(record.Value)
		for _, h := range record.Headers {
			h.Key, h.Value = own(h.Key), own(h.Value)
		}
	}
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
				Key: m.Msg.Key, Value: m.Msg.Value, OffsetDelta: offset - batch.FirstOffset,
				TimestampDelta: time.Duration(milliseconds(timestamp)) * time.Millisecond,
			})
			r.batch.Next = offset + 1
			r.batch.Bytes += int64(len(m.Msg.Key)+len(m.Msg.Value)) + recordOverhead
		}
		r.batch.Next = max(r.batch.Next, block.Offset+1)
	}
	if len(batch.Records) > 0 {
		r.batch.parts = append(r.batch.parts, newPart(batch, 0))
		r.batch.left += len(batch.Records)
	}
}

// behindEmpty returns the offset behind a batch that compaction has left without any record, or -1. Sarama leaves such batches out of what it
// returns; only a field that it does not export remembers the last of them. Without it, a partition that begins with one would be read at
// the same offset for ever.
func behindEmpty(block *sarama.FetchResponseBlock) int64 {
	if len(block.RecordsSet) > 0 {
		return unknown
	}
	field := reflect.ValueOf(block).Elem().FieldByName("recordsNextOffset")
	if !field.IsValid() || field.Kind() != reflect.Pointer || field.IsNil() || field.Elem().Kind() != reflect.Int64 {
		return unknown
	}
	return field.Elem().Int()
}

// isTooLarge says whether Sarama refused an answer for its size. It has no value to compare this error with.
func isTooLarge(err error) bool {
	return strings.Contains(err.Error(), "too large or too small")
}
