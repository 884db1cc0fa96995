package consumer_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/strategy"
)

// setStarts has each partition start in another way.
func setStarts(_ context.Context, a *callbacks.Assignment) error {
	for p, s := range map[int32]callbacks.Start{
		0: {From: callbacks.FromOffset, Offset: 3}, 1: {From: callbacks.FromEarliest}, 2: {From: callbacks.FromLatest},
		3: {From: callbacks.FromTimestamp, Time: time.UnixMilli(1)},
	} {
		if err := a.SetStart(strategy.TopicPartition{Topic: "orders", Partition: p}, s); err != nil {
			return err
		}
	}
	return nil
}

// TestSaramaHandlerInitialOffset tells handlers where their partitions start, as OnAssign has decided.
func TestSaramaHandlerInitialOffset(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 5, Records: []int{10}})
	before := start(t, "before", config(cluster.Addrs(), "g", "orders"), nil)
	before.waitRecords(50)
	before.closes()
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Callbacks = callbacks.Funcs{OnAssign: setStarts}
	a := saramaHandlerNew(t, "a", cfg)
	a.accept = func(s sarama.ConsumerGroupSession, _ sarama.ConsumerGroupClaim, r *sarama.ConsumerMessage) error {
		if r.Partition == 0 && r.Offset == 5 {
			s.MarkMessage(r, "")
		}
		return nil
	}
	a.start()
	a.waitRecords(7 + 10 + 10)
	a.wait("all claims", func() bool { return a.claims.Load() == 5 })
	a.closes()
	log := a.noted()
	slices.Sort(log)
	want := []string{"claim orders-0 from 3", "claim orders-1 from -2", "claim orders-2 from -1", "claim orders-3 from -2", "claim orders-4 from 10"}
	if got := log[1:6]; !slices.Equal(got, want) {
		t.Errorf("claims %q, want %q", got, want)
	}
	if got := saramaHandlerStart(t, cluster, 0); got != 6 {
		t.Errorf("committed was %d; it began before what was committed, and marked up to 6", got)
	}
}
