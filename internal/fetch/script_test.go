package fetch_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/fetch"
)

// A script is what a broker answers about the partitions of topic "orders", instead of what is there.
type script struct {
	cluster  *embedded.Cluster
	mu       sync.Mutex
	asked    int
	answer   func(node int32, request *kmsg.FetchRequest, p kmsg.FetchRequestTopicPartition, to *kmsg.FetchResponseTopicPartition) // gives records, or an error
	throttle int32
}

func scripted(t *testing.T, brokers int, partitions int32) *script {
	s := &script{cluster: cluster(t, brokers, embedded.Topic{Name: "orders", Partitions: partitions})}
	s.cluster.Fake().ControlKey(int16(kmsg.Fetch), s.control)
	return s
}

func (s *script) control(r kmsg.Request) (kmsg.Response, error, bool) {
	s.cluster.Fake().KeepControl()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	request := r.(*kmsg.FetchRequest)
	resp := request.ResponseKind().(*kmsg.FetchResponse)
	resp.ThrottleMillis = s.throttle
	quiet := true
	for _, topic := range request.Topics {
		rt := kmsg.NewFetchResponseTopic()
		rt.Topic = topic.Topic
		for _, p := range topic.Partitions {
			rp := kmsg.NewFetchResponseTopicPartition()
			rp.Partition, rp.HighWatermark, rp.LastStableOffset, rp.LogStartOffset, rp.RecordBatches = p.Partition, 1000, 1000, 0, []byte{}
			s.answer(s.cluster.Fake().CurrentNode(), request, p, &rp)
			quiet = quiet && len(rp.RecordBatches) == 0 && rp.ErrorCode == 0 && rp.PreferredReadReplica < 0
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
	if quiet {
		time.Sleep(time.Millisecond) // as a broker waits that has nothing
	}
	return resp, nil, true
}

func (s *script) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// serve answers with what is in batches, one at a time, whose end offsets are those of the next. Behind the last there is nothing.
func (s *script) serve(batches ...batch) {
	s.answer = func(_ int32, _ *kmsg.FetchRequest, p kmsg.FetchRequestTopicPartition, to *kmsg.FetchResponseTopicPartition) {
		serve(batches, p, to)
	}
}

func serve(batches []batch, p kmsg.FetchRequestTopicPartition, to *kmsg.FetchResponseTopicPartition) {
	to.HighWatermark = batches[len(batches)-1].last + 1
	to.LastStableOffset = to.HighWatermark
	for _, b := range batches {
		if b.last < p.FetchOffset {
			continue
		}
		if len(to.RecordBatches) > 0 && len(to.RecordBatches)+len(b.bytes) > int(p.PartitionMaxBytes) {
			return
		}
		to.RecordBatches = append(to.RecordBatches, b.bytes...)
		to.AbortedTransactions = append(to.AbortedTransactions, b.aborted...)
	}
}

// A batch is one as it is on the wire.
type batch struct {
	bytes   []byte
	last    int64
	aborted []kmsg.FetchResponseTopicPartitionAbortedTransaction
}

const (
	logAppend = 0x08
	inTxn     = 0x10
	control   = 0x20
)

// records makes a batch of the present format with records at those offsets, of which the first and the last may be gone.
func records(first, last int64, attributes int16, producer int64, at ...int64) batch {
	b := kmsg.RecordBatch{
		FirstOffset: first, PartitionLeaderEpoch: 7, Magic: 2, Attributes: attributes, LastOffsetDelta: int32(last - first), FirstTimestamp: 1_000_000,
		MaxTimestamp: 2_000_000, ProducerID: producer, ProducerEpoch: 0, FirstSequence: 0, NumRecords: int32(len(at)),
	}
	for _, offset := range at {
		r := kmsg.Record{TimestampDelta64: 5, OffsetDelta: int32(offset - first), Key: []byte("key"), Value: []byte("value"), Headers: []kmsg.Header{{Key: "h", Value: []byte("v")}}}
		if attributes&control != 0 {
			r.Key, r.Value, r.Headers = []byte{0, 0, 0, byte(producer & 1)}, make([]byte, 6), nil // odd producers commit
		}
		r.Length = int32(len(r.AppendTo(nil)) - 1)
		b.Records = r.AppendTo(b.Records)
	}
	return seal(b)
}

func seal(b kmsg.RecordBatch) batch {
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return batch{bytes: raw, last: b.FirstOffset + int64(b.LastOffsetDelta)}
}

// compressed packs the records of a batch.
func (b batch) damaged() batch {
	b.bytes = bytes.Clone(b.bytes)
	b.bytes[len(b.bytes)-1] ^= 1
	return b
}

// message makes one of the formats before, 0 or 1.
func message(magic int8, attributes int8, offset int64, value []byte) []byte {
	raw := binary.BigEndian.AppendUint64(nil, uint64(offset))
	body := []byte{byte(magic), byte(attributes)}
	if magic == 1 {
		body = binary.BigEndian.AppendUint64(body, 1_000_000+uint64(offset))
	}
	body = binary.BigEndian.AppendUint32(body, 1)
	body = append(body, 'k')
	body = binary.BigEndian.AppendUint32(body, uint32(len(value)))
	body = append(body, value...)
	raw = binary.BigEndian.AppendUint32(raw, uint32(len(body)+4))
	raw = binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(body))
	return append(raw, body...)
}

// wrapped makes one message with others in it. Those of format 1 count from 0.
func wrapped(magic int8, attributes int8, first, last int64) []byte {
	var inner bytes.Buffer
	z := gzip.NewWriter(&inner)
	for o := first; o <= last; o++ {
		at := o
		if magic == 1 {
			at = o - first
		}
		z.Write(message(magic, 0, at, []byte("value")))
	}
	z.Close()
	return message(magic, attributes|1, last, inner.Bytes())
}

// read returns all offsets up to below end, and the batches' last Next.
func readTo(t *testing.T, p *fetch.Partition, end int64) (got []fetch.Record, behind int64) {
	t.Helper()
	for behind < end {
		b := next(t, p)
		for b.Len() > 0 {
			got = append(got, b.Read())
		}
		if b.Next <= behind {
			t.Fatalf("a batch that leads from %d to %d", behind, b.Next)
		}
		behind = b.Next
	}
	return got, behind
}
