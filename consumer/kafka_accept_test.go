//go:build kafka

package consumer_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/kafkatest"
	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategy"
)

// What every consumer of Kafka has to do, on a real broker.
func TestKafkaAccept(t *testing.T) {
	c := startKafka(t, kafkatest.Config{Properties: map[string]string{"log.cleaner.backoff.ms": "100"}})
	t.Run("unicast and broadcast", func(t *testing.T) { unicastBroadcast(t, c) })
	t.Run("range, eager", func(t *testing.T) {
		rangeSteps(t, c, "range-eager", rangeassign.Assignor{}, map[string][]string{
			"a": {"assign 0 1 2", "revoke 0 1 2", "assign 0 1", "revoke 0 1", "assign 0", "revoke 0", "assign 0", "revoke 0", "assign 0",
				"revoke 0", "assign 0 1", "revoke 0 1", "assign 0 1 2", "revoke 0 1 2"},
			"b": {"assign 2", "revoke 2", "assign 1", "revoke 1", "assign 1", "revoke 1", "assign 1", "revoke 1", "assign 2", "revoke 2"},
			"c": {"assign 2", "revoke 2", "assign 2", "revoke 2", "assign 2", "revoke 2"},
		})
	})
	t.Run("range, cooperative", func(t *testing.T) {
		rangeSteps(t, c, "range-coop", strategy.Cooperative(rangeassign.Assignor{}), map[string][]string{
			"a": {"assign 0 1 2", "revoke 2", "revoke 1", "assign 1", "assign 2", "revoke 0 1 2"},
			"b": {"assign 2", "revoke 2", "assign 1", "revoke 1", "assign 2", "revoke 2"},
			"c": {"assign 2", "revoke 2"},
		})
	})
	t.Run("compacted topic", func(t *testing.T) { compacted(t, c) })
	t.Run("transactions", func(t *testing.T) { transactions(t, c) })
	t.Run("codecs", func(t *testing.T) { codecs(t, c) })
	t.Run("record larger than a fetch", func(t *testing.T) { largeRecord(t, c) })
}

// seen notes what a handler was given.
type seen struct {
	mu   sync.Mutex
	list []consumer.Message
}

func (s *seen) handle(_ context.Context, m *consumer.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, *m)
	return nil
}

func (s *seen) text() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, m := range s.list {
		out = append(out, fmt.Sprintf("%s=%s", m.Key, m.Value))
	}
	slices.Sort(out)
	return out
}

// unicastBroadcast has three keyed records: each group gets all of them, each member of a group its share.
func unicastBroadcast(t *testing.T, c *realCluster) {
	c.Create(t, "accept", 3)
	var alone seen
	start(t, "alone", named(c, "alone", "accept-group1", "accept"), alone.handle).waitOwned(3)
	var shares [3]seen
	var group2 []*member
	for i := range shares {
		group2 = append(group2, start(t, fmt.Sprint("share", i), named(c, fmt.Sprint("share", i), "accept-group2", "accept"), shares[i].handle))
	}
	for _, m := range group2 {
		m.waitOwned(1)
	}
	c.waitShared(t, "accept-group2", 3, 3)
	var want []string
	for p, key := range []string{"apple", "pear", "plum"} {
		value := strings.ToUpper(key)
		record := &sarama.ProducerMessage{Topic: "accept", Partition: int32(p), Key: sarama.StringEncoder(key), Value: sarama.StringEncoder(value)}
		if _, _, err := c.Producer.SendMessage(record); err != nil {
			t.Fatal(err)
		}
		want = append(want, key+"="+value)
	}
	eventually(t, "all three records in group1", func() (string, bool) { return fmt.Sprint(alone.text()), slices.Equal(alone.text(), want) })
	for _, m := range group2 {
		m.waitRecords(1)
	}
	var got []string
	for i := range shares {
		got = append(got, shares[i].text()...)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("group2 got %q, want %q", got, want)
	}
	c.waitCommitted(t, "accept-group1", "accept", 3)
	c.waitCommitted(t, "accept-group2", "accept", 3)
}

// rangeSteps has 1, 2, 3, 4, 3, 2, 1 members share three partitions in chunks of ⌈P/C⌉.
func rangeSteps(t *testing.T, c *realCluster, topic string, assignor strategy.Assignor, callbacks map[string][]string) {
	c.Create(t, topic, 3)
	owners := [][]string{{"0 1 2"}, {"0 1", "2"}, {"0", "1", "2"}, {"0", "1", "2", ""}}
	short := func(text string) string { return strings.ReplaceAll(text, topic+"-", "") }
	var members []*member
	settled := func() {
		t.Helper()
		eventually(t, fmt.Sprintf("the shares of %d members", len(members)), func() (string, bool) {
			n, _, err := c.members(topic)
			right := err == nil && n == len(members)
			var got []string
			for i, m := range members {
				has := short(strings.Join(m.has(), " "))
				got = append(got, has)
				right = right && has == owners[len(members)-1][i]
			}
			return fmt.Sprintf("%d members, %q, %v", n, got, err), right
		})
	}
	closing := func() {
		last := members[len(members)-1]
		members = members[:len(members)-1]
		last.closes()
		var got []string
		for _, line := range last.noted() {
			got = append(got, short(line))
		}
		if want := callbacks[last.name]; !slices.Equal(got, want) {
			t.Errorf("callbacks of %s: %q, want %q", last.name, got, want)
		}
	}
	for _, id := range []string{"a", "b", "c", "d"} {
		cfg := named(c, id, topic, topic) // member ids begin with it, and are what the assignor sorts by
		cfg.Assignors = []strategy.Assignor{assignor}
		members = append(members, start(t, id, cfg, nil))
		settled()
	}
	for len(members) > 1 {
		closing()
		settled()
	}
	closing()
}

// compacted reads a topic that was compacted, from 0.
func compacted(t *testing.T, c *realCluster) {
	const topic, keys, rounds = "compacted", 50, 20
	c.Create(t, topic, 1, "cleanup.policy=compact", "segment.ms=100", "min.cleanable.dirty.ratio=0.01", "max.compaction.lag.ms=100")
	put := func(key, value string) {
		t.Helper()
		if _, _, err := c.Producer.SendMessage(&sarama.ProducerMessage{Topic: topic, Key: sarama.StringEncoder(key), Value: sarama.StringEncoder(value)}); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{}
	for round := range rounds {
		for k := range keys {
			key, value := fmt.Sprint("key", k), fmt.Sprintf("%d.%d", k, round)
			want[key] = value
			put(key, value)
		}
	}
	for n := 0; ; n++ { // each rolls a segment, so that what came before can be compacted
		put("tick", strconv.Itoa(n))
		want["tick"] = strconv.Itoa(n)
		if left := count(t, c, topic); left < keys*2 {
			break
		} else if n > 1000 {
			t.Fatalf("not compacted: %d records left", left)
		}
	}
	got, last := map[string]string{}, int64(-1)
	m := start(t, "a", config(c.Addrs(), topic, topic), func(_ context.Context, m *consumer.Message) error {
		if m.Offset <= last {
			t.Errorf("offset %d after %d", m.Offset, last)
		}
		last, got[string(m.Key)] = m.Offset, string(m.Value)
		return nil
	})
	c.waitCommitted(t, topic, topic, 1)
	m.closes()
	if !maps.Equal(got, want) {
		t.Errorf("the last values: %v, want %v", got, want)
	}
	if n := len(m.handled()); n >= keys*rounds {
		t.Errorf("%d records: not compacted", n)
	}
}

// count reads a partition with Sarama's own consumer and counts its records.
func count(t *testing.T, c *realCluster, topic string) (n int) {
	t.Helper()
	reader, err := sarama.NewConsumerFromClient(c.Client)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	end, err := c.GetOffset(topic, 0, sarama.OffsetNewest)
	if err != nil {
		t.Fatal(err)
	}
	p, err := reader.ConsumePartition(topic, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for m := range p.Messages() {
		n++
		if m.Offset == end-1 {
			break
		}
	}
	return n
}

// transactions leaves aborted records out, and reaches the end of the log although only control records are there.
func transactions(t *testing.T, c *realCluster) {
	const topic = "transactions"
	c.Create(t, topic, 1)
	conf := kafkatest.ClientConfig()
	conf.Producer.Idempotent, conf.Net.MaxOpenRequests = true, 1
	conf.Producer.Transaction.ID = "writer"
	p, err := sarama.NewSyncProducer(c.Addrs(), conf)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	write := func(n int, commit bool) {
		t.Helper()
		err := p.BeginTxn()
		for range n {
			if err == nil {
				_, _, err = p.SendMessage(&sarama.ProducerMessage{Topic: topic, Value: sarama.StringEncoder(strconv.FormatBool(commit))})
			}
		}
		if err == nil && commit {
			err = p.CommitTxn()
		} else if err == nil {
			err = p.AbortTxn()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(5, true)
	write(5, false)
	write(5, true)
	write(3, false)
	cfg := named(c, "committed", "transactions-committed", topic)
	cfg.Sarama.Consumer.IsolationLevel = sarama.ReadCommitted
	var all seen
	m := start(t, "committed", cfg, all.handle)
	everything := start(t, "everything", named(c, "everything", "transactions-all", topic), nil)
	c.waitCommitted(t, "transactions-committed", topic, 1)
	c.waitCommitted(t, "transactions-all", topic, 1)
	var want []string
	for _, first := range []int{0, 12} { // 5 records and a marker, twice
		for i := range 5 {
			want = append(want, fmt.Sprintf("%s-0@%d", topic, first+i))
		}
	}
	if got := m.handled(); !slices.Equal(got, want) {
		t.Errorf("committed: %q, want %q", got, want)
	}
	if got := all.text(); slices.Contains(got, "=false") {
		t.Errorf("aborted records were delivered: %q", got)
	}
	if got := everything.handled(); len(got) != 18 {
		t.Errorf("uncommitted: %d records, want 18", len(got))
	}
	write(2, true)
	m.waitRecords(12)
	c.waitCommitted(t, "transactions-committed", topic, 1)
}

// codecs reads batches of each codec.
func codecs(t *testing.T, c *realCluster) {
	const topic = "codecs"
	c.Create(t, topic, 5)
	value := strings.Repeat("compressible ", 200)
	for p, codec := range []sarama.CompressionCodec{sarama.CompressionNone, sarama.CompressionGZIP, sarama.CompressionSnappy, sarama.CompressionLZ4, sarama.CompressionZSTD} {
		conf := kafkatest.ClientConfig()
		conf.Producer.Compression = codec
		producer, err := sarama.NewSyncProducer(c.Addrs(), conf)
		if err != nil {
			t.Fatal(err)
		}
		var list []*sarama.ProducerMessage
		for i := range 100 {
			list = append(list, &sarama.ProducerMessage{Topic: topic, Partition: int32(p), Key: sarama.StringEncoder(strconv.Itoa(i)), Value: sarama.StringEncoder(value)})
		}
		if err := producer.SendMessages(list); err != nil {
			t.Fatal(err)
		}
		producer.Close()
	}
	m := start(t, "a", config(c.Addrs(), topic, topic), func(_ context.Context, m *consumer.Message) error {
		if string(m.Key) != strconv.FormatInt(m.Offset, 10) || string(m.Value) != value {
			t.Errorf("partition %d offset %d: key %q, %d bytes", m.Partition, m.Offset, m.Key, len(m.Value))
		}
		return nil
	})
	m.waitRecords(500)
	inOrder(t, m.handled())
	c.waitCommitted(t, topic, topic, 5)
}

// largeRecord has records larger than what is fetched at a time, and than what may be read ahead.
func largeRecord(t *testing.T, c *realCluster) {
	const topic = "large"
	c.Create(t, topic, 1)
	large := bytes.Repeat([]byte{'x'}, 700_000)
	for range 3 {
		for _, value := range [][]byte{large, []byte("small")} {
			if _, _, err := c.Producer.SendMessage(&sarama.ProducerMessage{Topic: topic, Value: sarama.ByteEncoder(value)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	cfg := named(c, "a", topic, topic)
	cfg.Sarama.Consumer.Fetch.Default = 1000
	cfg.PartitionBuffer, cfg.Buffer = 2000, 5000
	m := start(t, "a", cfg, func(_ context.Context, m *consumer.Message) error {
		if want := map[bool]int{true: len(large), false: 5}[m.Offset%2 == 0]; len(m.Value) != want {
			t.Errorf("offset %d has %d bytes, want %d", m.Offset, len(m.Value), want)
		}
		return nil
	})
	m.waitRecords(6)
	c.waitCommitted(t, topic, topic, 1)
}
