package fetch

import (
	"encoding/binary"
	"slices"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/strategy"
)

// What records take in memory beside their bytes, about.
const (
	recordOverhead = 200
	batchOverhead  = 200
)

// A part of a batch is records as Sarama has decoded them. Messages are made of them when they are taken, not before: they take as much
// memory again, and are best made where they are looked at next.
type part struct {
	records *sarama.RecordBatch      // of the present format
	old     []sarama.ConsumerMessage // of a former one
	at      int                      // index of the first that is left
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
	r.batch.parts = append(r.batch.parts, part{records: b, at: at})
}

// Take returns the next messages of the batch, at most n, nil when there are no more. They are the caller's.
func (b *Batch) Take(n int) []sarama.ConsumerMessage {
	left := 0
	for i := range b.parts {
		if left += b.parts[i].len(); left >= n {
			left = n
			break
		}
	}
	if left == 0 {
		return nil
	}
	messages := make([]sarama.ConsumerMessage, left)
	for rest := messages; len(rest) > 0; {
		p := &b.parts[0]
		rest = rest[p.fill(rest, &b.at):]
		if p.len() == 0 {
			b.parts[0] = part{}
			b.parts = b.parts[1:]
		}
	}
	return messages
}

func (p *part) len() int {
	if p.records != nil {
		return len(p.records.Records) - p.at
	}
	return len(p.old) - p.at
}

// fill writes messages, and returns how many.
func (p *part) fill(messages []sarama.ConsumerMessage, at *strategy.TopicPartition) int {
	n := min(len(messages), p.len())
	from := p.at
	p.at += n
	if p.records == nil {
		return copy(messages, p.old[from:from+n])
	}
	b := p.records
	for i, record := range b.Records[from : from+n] {
		m := &messages[i]
		m.Topic, m.Partition, m.Offset = at.Topic, at.Partition, b.FirstOffset+record.OffsetDelta
		m.Key, m.Value, m.Headers = record.Key, record.Value, record.Headers
		if b.LogAppendTime {
			m.Timestamp = b.MaxTimestamp
		} else {
			m.Timestamp = b.FirstTimestamp.Add(record.TimestampDelta)
		}
	}
	return n
}

// isAbort reads the one record of a control batch: its key is a version and a type, of which 0 is an abort.
func isAbort(b *sarama.RecordBatch) bool {
	return len(b.Records) > 0 && len(b.Records[0].Key) >= 4 && binary.BigEndian.Uint16(b.Records[0].Key[2:]) == 0
}

// messageSet reads the formats before that of Kafka 0.11. In the later of the two, offsets inside a compressed message count from the
// first one, and only the offset of the last is known.
func (r *reader) messageSet(set *sarama.MessageSet) {
	var messages []sarama.ConsumerMessage
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
			messages = append(messages, sarama.ConsumerMessage{
				Topic: r.batch.at.Topic, Partition: r.batch.at.Partition, Offset: offset, Key: m.Msg.Key, Value: m.Msg.Value, Timestamp: timestamp, BlockTimestamp: block.Msg.Timestamp,
			})
			r.batch.Next = offset + 1
			r.batch.Bytes += int64(len(m.Msg.Key)+len(m.Msg.Value)) + recordOverhead
		}
	}
	if len(messages) > 0 {
		r.batch.parts = append(r.batch.parts, part{old: messages})
	}
}
