package fetch

import (
	"encoding/binary"
	"slices"

	"github.com/IBM/sarama"
)

// What records take in memory beside their bytes, about.
const (
	recordOverhead = 200
	batchOverhead  = 200
)

// A reader makes messages of what Sarama has decoded.
type reader struct {
	batch     *Batch
	topic     string
	partition int32
	aborted   []sarama.AbortedTransaction // by their first offsets; those that begin later than what was read so far
	open      map[int64]bool              // producers of aborted transactions that have begun and not ended
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
	messages, next := r.batch.Messages, r.batch.Next
	size := int64(0)
	for _, record := range b.Records {
		offset := b.FirstOffset + record.OffsetDelta
		if offset < next {
			continue
		}
		messages = append(messages, sarama.ConsumerMessage{
			Topic: r.topic, Partition: r.partition, Offset: offset, Key: record.Key, Value: record.Value, Headers: record.Headers,
		})
		if m := &messages[len(messages)-1]; b.LogAppendTime {
			m.Timestamp = b.MaxTimestamp
		} else {
			m.Timestamp = b.FirstTimestamp.Add(record.TimestampDelta)
		}
		size += int64(len(record.Key)+len(record.Value)) + recordOverhead
		for _, h := range record.Headers {
			size += int64(len(h.Key) + len(h.Value))
		}
	}
	r.batch.Messages = messages
	r.batch.Bytes += size
}

// isAbort reads the one record of a control batch: its key is a version and a type, of which 0 is an abort.
func isAbort(b *sarama.RecordBatch) bool {
	return len(b.Records) > 0 && len(b.Records[0].Key) >= 4 && binary.BigEndian.Uint16(b.Records[0].Key[2:]) == 0
}

// messageSet reads the formats before that of Kafka 0.11. In the later of the two, offsets inside a compressed message count from the
// first one, and only the offset of the last is known.
func (r *reader) messageSet(set *sarama.MessageSet) {
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
			r.batch.Messages = append(r.batch.Messages, sarama.ConsumerMessage{
				Topic: r.topic, Partition: r.partition, Offset: offset, Key: m.Msg.Key, Value: m.Msg.Value, Timestamp: timestamp, BlockTimestamp: block.Msg.Timestamp,
			})
			r.batch.Next = offset + 1
			r.batch.Bytes += int64(len(m.Msg.Key)+len(m.Msg.Value)) + recordOverhead
		}
	}
}
