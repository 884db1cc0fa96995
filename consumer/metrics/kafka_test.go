//go:build kafka

package metrics_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/kafkatest"
)

// A kafka is a real cluster with a client.
type kafka struct {
	*kafkatest.Cluster
	*kafkatest.Client
}

// producing is how records are written there.
func producing() *sarama.Config {
	conf := kafkatest.ClientConfig()
	conf.Producer.Idempotent, conf.Net.MaxOpenRequests = true, 1 // whose last batches stay after compaction, if empty
	return conf
}

// produce writes records of one key.
func (k *kafka) produce(t *testing.T, topic string, records int) {
	t.Helper()
	p, err := sarama.NewSyncProducer(k.Addrs(), producing())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for range records {
		if _, _, err := p.SendMessage(&sarama.ProducerMessage{Topic: topic, Key: sarama.StringEncoder("key"), Value: sarama.StringEncoder("v")}); err != nil {
			t.Fatal(err)
		}
	}
}

// reads has a member read a topic to its end, where there is to be no lag, and returns how many records there were.
func (k *kafka) reads(t *testing.T, group string, cfg consumer.Config) (m *member, records int64) {
	t.Helper()
	topic := cfg.Topics[0]
	end, err := k.GetOffset(topic, 0, sarama.OffsetNewest)
	if err != nil {
		t.Fatal(err)
	}
	var handled atomic.Int64
	m = start(t, group, cfg, func(context.Context, *consumer.Message) error {
		handled.Add(1)
		return nil
	})
	partition := "partition=0 topic=" + topic
	embeddedtest.Eventually(t, "nothing is left", func() bool {
		lag, known := m.series("lag_records")[partition]
		return known && lag == 0 && m.series("position")[partition] >= float64(end) // the marker of a transaction may come a little later
	})
	return m, handled.Load()
}

// TestKafkaLag has logs with gaps of each kind.
func TestKafkaLag(t *testing.T) {
	cluster := kafkatest.Start(t, kafkatest.Config{Properties: map[string]string{"log.cleaner.backoff.ms": "200"}})
	k := &kafka{cluster, cluster.Client()}
	t.Run("compaction", func(t *testing.T) {
		k.Create(t, "compacted", 1, "cleanup.policy=compact", "segment.ms=100", "min.cleanable.dirty.ratio=0.001",
			"delete.retention.ms=0", "max.compaction.lag.ms=100")
		k.produce(t, "compacted", 100)
		round := 0
		embeddedtest.Eventually(t, "most records are gone", func() bool {
			round++
			k.produce(t, "compacted", 1) // begins a segment, so that the one before can be compacted
			group := fmt.Sprintf("compaction-%d", round)
			m, records := k.reads(t, group, config(k.Addrs(), group, "compacted"))
			m.Close()
			return records < 50
		})
	})
	t.Run("transactions", func(t *testing.T) {
		k.Create(t, "transactions", 1)
		transact(t, k.Addrs(), producing(), "transactions", sarama.SyncProducer.CommitTxn, 3)
		transact(t, k.Addrs(), producing(), "transactions", sarama.SyncProducer.AbortTxn, 5)
		cfg := config(k.Addrs(), "transactions", "transactions")
		cfg.Sarama = producing()
		cfg.Sarama.Consumer.IsolationLevel = sarama.ReadCommitted
		if _, records := k.reads(t, "a", cfg); records != 3 {
			t.Errorf("%d records were read", records)
		}
	})
	t.Run("deleted records", func(t *testing.T) {
		k.Create(t, "deleted", 1)
		k.produce(t, "deleted", 10)
		if err := k.Admin.DeleteRecords("deleted", map[int32]int64{0: 6}); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			then    consumer.OutOfRange
			records int64
		}{{consumer.OutOfRangeEarliest, 4}, {consumer.OutOfRangeLatest, 0}} {
			group := fmt.Sprint("deleted-", test.then)
			cfg := config(k.Addrs(), group, "deleted")
			cfg.OutOfRange, cfg.Start = test.then, callbacks.Start{From: callbacks.FromOffset, Offset: 2}
			m, records := k.reads(t, group, cfg)
			if records != test.records {
				t.Errorf("%d records were read, want %d", records, test.records)
			}
			embeddedtest.Eventually(t, "it is counted", func() bool { return m.series("offset_out_of_range_total")[""] == 1 })
		}
	})
}
