package consumer_test

import (
	"context"
	"testing"

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
