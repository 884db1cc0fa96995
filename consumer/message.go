package consumer

import (
	"context"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

// Handler processes a record. It is called on the goroutine of the record's partition, in the order of offsets, for one record at a time. Nil
// says that the record is processed. What happens after an error or a panic is for [FailurePolicy] to say.
//
// The context ends when the partition is lost, when a revoked partition's bound for draining is over, and with the context of Run. An
// error of a handler whose context has ended is no failure: the record counts as not processed.
type Handler func(ctx context.Context, m *Message) error

// BatchHandler processes records of one partition, several hundred at a time at most, as many as have come. Nil says that all of them are processed, an
// error that none is. Everything else is as with [Handler].
type BatchHandler func(ctx context.Context, b *Batch) error

// A Message is a record, made by a consumer or [MessageOf]: one that was made otherwise has no [Place]. It may be kept.
type Message struct {
	*Place
	Offset     int64
	Key, Value []byte // nil if the record has none; must not be written to

	timestamp int64 // in milliseconds since 1970
	record    *sarama.Record
}

// A Place is what the messages of a partition have in common.
type Place struct {
	Topic     string
	Partition int32
	worker    *worker
}

// Timestamp returns when the record was made, or when the broker has appended it, as the topic is configured.
func (m *Message) Timestamp() time.Time { return time.UnixMilli(m.timestamp) }

// Headers returns the record's headers, in their order. They must not be changed.
func (m *Message) Headers() []*sarama.RecordHeader { return m.record.Headers }

// Sarama returns the message as Sarama's consumers would have it. It is made anew by each call.
func (m *Message) Sarama() *sarama.ConsumerMessage {
	return &sarama.ConsumerMessage{
		Topic: m.Topic, Partition: m.Partition, Offset: m.Offset, Key: m.Key, Value: m.Value, Headers: m.Headers(), Timestamp: m.Timestamp(),
	}
}

// MessageOf makes a message of Sarama's, as tests of handlers need. Its Commit fails with [ErrNotRunning].
func MessageOf(m *sarama.ConsumerMessage) *Message {
	return &Message{
		Place: &Place{Topic: m.Topic, Partition: m.Partition}, Offset: m.Offset, Key: m.Key, Value: m.Value,
		timestamp: m.Timestamp.UnixMilli(), record: &sarama.Record{Headers: m.Headers},
	}
}

// At returns the message's partition.
func (m *Message) At() strategy.TopicPartition {
	return strategy.TopicPartition{Topic: m.Topic, Partition: m.Partition}
}

// Commit commits this message and all before it in its partition, and waits for the answer. See [Consumer.Commit].
func (m *Message) Commit(ctx context.Context) error {
	switch {
	case m.worker == nil:
		return ErrNotRunning
	case m.worker.isLost():
		return &callbacks.CommitError{Failed: map[strategy.TopicPartition]error{m.At(): ErrNotOwned}}
	}
	return m.worker.consumer.Commit(ctx, map[strategy.TopicPartition]callbacks.Offset{m.At(): {Offset: m.Offset + 1}})
}

// A Batch is records of one partition, in the order of offsets. It may be kept.
type Batch struct {
	Topic     string
	Partition int32
	Messages  []Message // never empty
}

// At returns the batch's partition.
func (b *Batch) At() strategy.TopicPartition {
	return strategy.TopicPartition{Topic: b.Topic, Partition: b.Partition}
}

// Commit commits this batch and all before it in its partition, and waits for the answer. See [Consumer.Commit].
func (b *Batch) Commit(ctx context.Context) error {
	return b.Messages[len(b.Messages)-1].Commit(ctx)
}
