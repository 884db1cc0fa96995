package consumer_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/strategy"
)

// TestReadAheadOutOfRange has records deleted that are read ahead from, while their owner is far behind them already. Where a partition goes on
// at the latest record then, nothing is passed over for that.
func TestReadAheadOutOfRange(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{50}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.OutOfRange = consumer.OutOfRangeLatest
	cfg.Commits = consumer.CommitManual
	cfg.Callbacks = callbacks.Funcs{OnRevoke: func(ctx context.Context, r *callbacks.Revocation) error {
		offsets := map[strategy.TopicPartition]callbacks.Offset{}
		for p, next := range r.Positions {
			offsets[p] = callbacks.Offset{Offset: next}
		}
		return r.Commit(ctx, offsets)
	}}
	ready, gate := make(chan struct{}, 2), make(chan struct{})
	a := newMember(t, "a", cfg)
	a.run(func(ctx context.Context, m *consumer.Message) error {
		if m.Offset == 9 {
			if err := m.Commit(ctx); err != nil {
				return err
			}
		}
		if m.Offset == 30 {
			ready <- struct{}{}
			select {
			case <-gate:
			case <-ctx.Done():
			}
		}
		return ctx.Err()
	})
	<-ready
	<-ready
	if err := embeddedtest.Admin(t, cluster).DeleteRecords("orders", map[int32]int64{0: 20, 1: 20}); err != nil {
		t.Fatal(err)
	}
	b := start(t, "b", cfg, nil)
	b.sees("an offset that is out of range", func(e consumer.Event) bool { _, ok := e.(consumer.OffsetOutOfRange); return ok })
	a.polls("the round", func() bool { return a.Stats().State != "stable" }) // so that it stops behind this record
	close(gate)
	b.waitOwned(1)
	onceEach(t, 100, a, b)
}

// TestReadAheadEnds has a member read ahead what is to come to it, and then drain, so that nothing comes.
func TestReadAheadEnds(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{5}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.HandOver.After = time.Hour
	a := start(t, "a", cfg, nil)
	a.waitRecords(10)
	cfg.Sarama = sarama.NewConfig()
	cfg.Sarama.RackID = "of b" // by which its requests are known
	cfg.Sarama.Consumer.MaxWaitTime = 10 * time.Millisecond
	reads := cluster.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Observe: true, Count: -1, When: func(r kmsg.Request) bool {
		return r.(*kmsg.FetchRequest).Rack == "of b"
	}})
	b := start(t, "b", cfg, nil)
	b.polls("reading ahead", func() bool { return reads.Hits() > 0 })
	began, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Drain(began); !errors.Is(err, context.Canceled) { // it has begun, and waits for the round
		t.Fatal(err)
	}
	start(t, "c", config(cluster.Addrs(), "g", "orders"), nil).waitOwned(1) // which is that in which this one comes
	if err := b.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.polls("the end of reading ahead", func() bool {
		before := reads.Hits()
		time.Sleep(200 * time.Millisecond)
		return reads.Hits() == before
	})
	if log := b.noted(); len(log) > 0 {
		t.Errorf("callbacks %q", log)
	}
}
