//go:build kafka

package fetch_test

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/fetch"
	"github.com/assignkit/assignkit/internal/kafkatest"
)

// A kafka is a real cluster with a client.
type kafka struct {
	*kafkatest.Cluster
	*kafkatest.Client
	t *testing.T
}

func start(t *testing.T, config kafkatest.Config) *kafka {
	cluster := kafkatest.Start(t, config)
	return &kafka{cluster, cluster.Client(), t}
}

// produce appends records to a partition.
func (k *kafka) produce(conf *sarama.Config, topic string, partition int32, values ...[]byte) {
	k.t.Helper()
	p, err := sarama.NewSyncProducer(k.Addrs(), conf)
	if err != nil {
		k.t.Fatal(err)
	}
	defer p.Close()
	k.send(p, topic, partition, values)
}

func (k *kafka) send(p sarama.SyncProducer, topic string, partition int32, values [][]byte) {
	k.t.Helper()
	var messages []*sarama.ProducerMessage
	for _, v := range values {
		messages = append(messages, &sarama.ProducerMessage{Topic: topic, Partition: partition, Key: sarama.StringEncoder("key"), Value: sarama.ByteEncoder(v)})
	}
	if err := p.SendMessages(messages); err != nil {
		k.t.Fatal(err)
	}
}

// transact appends records to partition 0 in a transaction.
func (k *kafka) transact(id string, end func(sarama.SyncProducer) error, topic string, values ...[]byte) {
	k.t.Helper()
	conf := kafkatest.ClientConfig()
	conf.Producer.Transaction.ID, conf.Producer.Idempotent, conf.Net.MaxOpenRequests = id, true, 1
	p, err := sarama.NewSyncProducer(k.Addrs(), conf)
	if err != nil {
		k.t.Fatal(err)
	}
	defer p.Close()
	if err := p.BeginTxn(); err != nil {
		k.t.Fatal(err)
	}
	k.send(p, topic, 0, values)
	before, err := k.GetOffset(topic, 0, sarama.OffsetNewest)
	if err != nil {
		k.t.Fatal(err)
	}
	if err := end(p); err != nil {
		k.t.Fatal(err)
	}
	for after := before; after == before; { // the transaction's end is written after that was answered
		if after, err = k.GetOffset(topic, 0, sarama.OffsetNewest); err != nil {
			k.t.Fatal(err)
		}
	}
}

func values(prefix string, n int) [][]byte {
	var all [][]byte
	for i := range n {
		all = append(all, fmt.Appendf(nil, "%s-%d", prefix, i))
	}
	return all
}

func (k *kafka) fetcher(cfg fetch.Config) *setup {
	conf := sarama.NewConfig()
	conf.Version = sarama.MaxVersion
	conf.RackID = cfg.Rack
	return fetcher(k.t, conf, k.Addrs(), cfg)
}

func TestKafka(t *testing.T) {
	k := start(t, kafkatest.Config{Properties: map[string]string{"log.cleaner.backoff.ms": "200"}})
	for _, test := range []struct {
		name string
		run  func(*kafka)
	}{
		{"codecs", (*kafka).codecs},
		{"records smaller than a byte", (*kafka).dense},
		{"transactions", (*kafka).transactions},
		{"large record", (*kafka).large},
		{"log append time", (*kafka).appendTime},
		{"deleted records", (*kafka).deletedRecords},
		{"deleted topic", (*kafka).deletedTopic},
		{"compaction", (*kafka).compaction},
		{"starts", (*kafka).starts},
		{"old versions", (*kafka).oldVersion},
	} {
		t.Run(test.name, func(t *testing.T) {
			own := *k
			own.t = t
			test.run(&own)
		})
	}
}

func (k *kafka) codecs() {
	t := k.t
	k.Create(t, "codecs", 1)
	s := k.fetcher(fetch.Config{})
	p := s.open("codecs", 0, earliest)
	for i, codec := range []sarama.CompressionCodec{sarama.CompressionNone, sarama.CompressionGZIP, sarama.CompressionSnappy, sarama.CompressionLZ4, sarama.CompressionZSTD} {
		conf := kafkatest.ClientConfig()
		conf.Producer.Compression = codec
		k.produce(conf, "codecs", 0, values(codec.String(), 100)...)
		wantOffsets(t, offsets(t, p, 100), int64(100*i), int64(100*i+100))
	}
}

// dense is a batch whose records take less than a byte each, compressed. Sarama can decode it only when enough bytes follow.
func (k *kafka) dense() {
	const n = 20_000
	t := k.t
	k.Create(t, "dense", 1)
	leader, err := k.Leader("dense", 0)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	batch := &sarama.RecordBatch{
		Version: 2, Codec: sarama.CompressionZSTD, CompressionLevel: sarama.CompressionLevelDefault, ProducerID: -1, ProducerEpoch: -1,
		FirstSequence: -1, FirstTimestamp: now, MaxTimestamp: now, LastOffsetDelta: n - 1,
	}
	for i := range n {
		batch.Records = append(batch.Records, &sarama.Record{OffsetDelta: int64(i)})
	}
	request := &sarama.ProduceRequest{Version: 7, RequiredAcks: sarama.WaitForAll, Timeout: 10_000}
	request.AddBatch("dense", 0, batch)
	if resp, err := leader.Produce(request); err != nil || resp.GetBlock("dense", 0).Err != sarama.ErrNoError {
		t.Fatal(err)
	}
	s := k.fetcher(fetch.Config{})
	p := s.open("dense", 0, earliest)
	reported(s, func(r fetch.Trouble) bool { return errors.Is(r.Err, fetch.ErrDense) })
	k.produce(kafkatest.ClientConfig(), "dense", 0, bytes.Repeat([]byte("more"), n))
	wantOffsets(t, offsets(t, p, n+1), 0, n+1)
}

func (k *kafka) transactions() {
	t := k.t
	k.Create(t, "txn", 1)
	k.transact("a", sarama.SyncProducer.CommitTxn, "txn", values("committed", 3)...) // 0-2, 3 is the marker
	k.transact("b", sarama.SyncProducer.AbortTxn, "txn", values("aborted", 3)...)    // 4-6, 7
	k.produce(kafkatest.ClientConfig(), "txn", 0, values("plain", 2)...)             // 8-9
	k.transact("b", sarama.SyncProducer.CommitTxn, "txn", values("committed", 1)...) // 10, 11
	for _, test := range []struct {
		committed bool
		want      []int64
	}{{true, []int64{0, 1, 2, 8, 9, 10}}, {false, []int64{0, 1, 2, 4, 5, 6, 8, 9, 10}}} {
		for _, bytes := range []int32{0, 1} {
			got, behind := readTo(t, k.fetcher(fetch.Config{ReadCommitted: test.committed, PartitionBytes: bytes}).open("txn", 0, earliest), 12)
			var at []int64
			for _, r := range got {
				at = append(at, r.Offset)
			}
			if fmt.Sprint(at) != fmt.Sprint(test.want) || behind != 12 {
				t.Errorf("committed %v: %v and then %d, wanted %v", test.committed, at, behind, test.want)
			}
		}
	}
}

// large is a record larger than what is asked for, beside others that flow.
func (k *kafka) large() {
	t := k.t
	k.Create(t, "large", 3, "max.message.bytes="+strconv.Itoa(16<<20))
	k.produce(kafkatest.ClientConfig(), "large", 1, values("before", 3)...)
	k.produce(kafkatest.ClientConfig(), "large", 1, bytes.Repeat([]byte{'x'}, 8<<20))
	for range 20 {
		k.produce(kafkatest.ClientConfig(), "large", 0, values("other", 1000)...)
		k.produce(kafkatest.ClientConfig(), "large", 2, values("other", 1000)...)
	}
	s := k.fetcher(fetch.Config{PartitionBytes: 4 << 10})
	var readers sync.WaitGroup
	for i, n := range []int{20_000, 4, 20_000} {
		p := s.open("large", int32(i), earliest)
		readers.Go(func() { wantOffsets(t, offsets(t, p, n), 0, int64(n)) })
	}
	readers.Wait()
}

func (k *kafka) appendTime() {
	t := k.t
	k.Create(t, "appended", 1, "message.timestamp.type=LogAppendTime")
	before := time.Now().Add(-time.Second).UnixMilli()
	p, err := sarama.NewSyncProducer(k.Addrs(), kafkatest.ClientConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	message := &sarama.ProducerMessage{Topic: "appended", Value: sarama.StringEncoder("old"), Timestamp: time.Unix(1_000_000, 0)}
	if _, _, err := p.SendMessage(message); err != nil {
		t.Fatal(err)
	}
	b := next(t, k.fetcher(fetch.Config{}).open("appended", 0, earliest))
	if r := b.Read(); r.Timestamp < before {
		t.Errorf("it is from %d, and was appended after %d", r.Timestamp, before)
	}
}

func (k *kafka) deletedRecords() {
	t := k.t
	k.Create(t, "cut", 1)
	k.produce(kafkatest.ClientConfig(), "cut", 0, values("v", 10)...)
	if err := k.Admin.DeleteRecords("cut", map[int32]int64{0: 6}); err != nil {
		t.Fatal(err)
	}
	s := k.fetcher(fetch.Config{})
	p := s.open("cut", 0, from(2))
	wantOffsets(t, offsets(t, p, 4), 6, 10)
	want := fetch.OutOfRangeReport{Partition: at("cut", 0), Wanted: 2, Start: 6, End: 10, Next: 6}
	reported(s, func(r fetch.OutOfRangeReport) bool { return r == want })
	p.Close()
	failing := k.fetcher(fetch.Config{OutOfRange: fetch.Fail}).open("cut", 0, from(11))
	if err := ends(t, failing); !errors.Is(err, fetch.ErrOutOfRange) {
		t.Errorf("it ends with %v", err)
	}
}

func (k *kafka) deletedTopic() {
	t := k.t
	k.Create(t, "gone", 1)
	k.Create(t, "stays", 1)
	k.produce(kafkatest.ClientConfig(), "gone", 0, values("v", 10)...)
	s := k.fetcher(fetch.Config{})
	gone, stays := s.open("gone", 0, earliest), s.open("stays", 0, earliest)
	wantOffsets(t, offsets(t, gone, 10), 0, 10)
	if err := k.Admin.DeleteTopic("gone"); err != nil {
		t.Fatal(err)
	}
	missing := func(r fetch.Trouble) bool { return errors.Is(r.Err, fetch.ErrMissing) }
	reported(s, missing)
	k.produce(kafkatest.ClientConfig(), "stays", 0, values("v", 5)...)
	wantOffsets(t, offsets(t, stays, 5), 0, 5)
	if n := count(s, missing); n != 1 {
		t.Errorf("%d reports that it is missing", n)
	}
	embeddedtest.Eventually(t, "it is created again", func() bool {
		return k.Admin.CreateTopic("gone", &sarama.TopicDetail{NumPartitions: 1, ReplicationFactor: 1}, false) == nil
	})
	k.Wait()
	embeddedtest.Eventually(t, "it can be written to", func() bool {
		_, _, err := k.LeaderAndEpoch("gone", 0)
		return err == nil
	})
	k.produce(kafkatest.ClientConfig(), "gone", 0, values("new", 3)...)
	reported(s, func(r fetch.OutOfRangeReport) bool { return r.Partition == at("gone", 0) && r.Wanted == 10 })
	wantOffsets(t, offsets(t, gone, 3), 0, 3)
}

// compaction leaves gaps, and batches without records at the ends of segments.
func (k *kafka) compaction() {
	t := k.t
	k.Create(t, "compacted", 1, "cleanup.policy=compact", "segment.ms=100", "min.cleanable.dirty.ratio=0.001", "delete.retention.ms=0", "max.compaction.lag.ms=100")
	conf := kafkatest.ClientConfig()
	conf.Producer.Idempotent, conf.Net.MaxOpenRequests = true, 1 // whose last batches stay, if empty
	for i := range 40 {
		k.produce(conf, "compacted", 0, values(strconv.Itoa(i), 3)...)
	}
	read := func() (got []fetch.Record) {
		got, _ = readTo(t, k.fetcher(fetch.Config{PartitionBytes: 100}).open("compacted", 0, earliest), 120)
		return got
	}
	embeddedtest.Eventually(t, "most records are gone", func() bool {
		k.produce(conf, "compacted", 0, []byte("roll"))
		return len(read()) < 60
	})
	got := read()
	for i, r := range got {
		if i > 0 && r.Offset <= got[i-1].Offset {
			t.Errorf("offset %d after %d", r.Offset, got[i-1].Offset)
		}
	}
}

func (k *kafka) starts() {
	t := k.t
	k.Create(t, "starts", 1)
	k.produce(kafkatest.ClientConfig(), "starts", 0, values("v", 5)...)
	for _, test := range []struct {
		start callbacks.Start
		want  int64
	}{
		{earliest, 0},
		{callbacks.Start{From: callbacks.FromLatest}, 5},
		{callbacks.Start{From: callbacks.FromTimestamp, Time: time.Unix(1, 0)}, 0},
		{callbacks.Start{From: callbacks.FromTimestamp, Time: time.Now().Add(time.Hour)}, 5},
	} {
		p := k.fetcher(fetch.Config{ReadCommitted: test.want == 0}).open("starts", 0, test.start)
		embeddedtest.Eventually(t, "the start is known", func() bool { _, known := p.Start(); return known })
		if first, _ := p.Start(); first != test.want {
			t.Errorf("a start from %s is %d, wanted %d", test.start.From, first, test.want)
		}
	}
}

// oldVersion speaks as to the oldest brokers that Kafka 4 still understands.
func (k *kafka) oldVersion() {
	t := k.t
	k.Create(t, "old", 1)
	k.produce(kafkatest.ClientConfig(), "old", 0, values("v", 5)...)
	for _, v := range []sarama.KafkaVersion{sarama.V2_1_0_0, sarama.V2_3_0_0, sarama.V2_7_0_0, sarama.MaxVersion} {
		conf := sarama.NewConfig()
		conf.Version = v
		wantOffsets(t, offsets(t, fetcher(t, conf, k.Addrs(), fetch.Config{}).open("old", 0, earliest), 5), 0, 5)
	}
}
