package consumer

import (
	"context"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

// Handler processes a record. It is called on the goroutine of the record's partition, in the order of offsets, for one record at a time. Nil
// says that the record is processed. What happens after an error or a panic is for [Failure] to say.
//
// The context ends when the partition is lost, when a revoked partition's bound for draining is over, and with the context of Run. An
// error of a handler whose context has ended is no failure: the record counts as not processed.
type Handler func(ctx context.Context, m *Message) error

// BatchHandler processes records of one partition, up to 1024 at a time, as many as have come. Nil says that all of them are processed, an
// error that none is. Everything else is as with [Handler].
type BatchHandler func(ctx context.Context, b *Batch) error

// A Message is a record with its place. Topic, Partition, Offset, Key, Value, Headers and Timestamp are those of Sarama's message. It may be kept.
type Message struct {
	*sarama.ConsumerMessage
	worker *worker
}

// At returns the message's partition.
func (m *Message) At() strategy.TopicPartition {
	return strategy.TopicPartition{Topic: m.Topic, Partition: m.Partition}
}

// Commit commits this message and all before it in its partition, and waits for the answer. See [Consumer.Commit].
func (m *Message) Commit(ctx context.Context) error {
	return m.worker.consumer.Commit(ctx, map[strategy.TopicPartition]callbacks.Offset{m.At(): {Offset: m.Offset + 1}})
}

// A Batch is records of one partition, in the order of offsets. It may be kept.
type Batch struct {
	Topic     string
	Partition int32
	Messages  []Message // never empty
	// HighWatermark is the offset that the next record to be produced would have had when these were fetched.
	HighWatermark int64
}

// At returns the batch's partition.
func (b *Batch) At() strategy.TopicPartition {
	return strategy.TopicPartition{Topic: b.Topic, Partition: b.Partition}
}

// Commit commits this batch and all before it in its partition, and waits for the answer. See [Consumer.Commit].
func (b *Batch) Commit(ctx context.Context) error {
	last := &b.Messages[len(b.Messages)-1]
	return last.worker.consumer.Commit(ctx, map[strategy.TopicPartition]callbacks.Offset{b.At(): {Offset: last.Offset + 1}})
}
