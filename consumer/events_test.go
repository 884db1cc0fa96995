package consumer_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

func TestLeaderMovedIsTold(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{Brokers: 2}, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{5}})
	embeddedtest.Move(t, cluster, "orders", 0, 0)
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), nil)
	a.waitRecords(5)
	embeddedtest.Move(t, cluster, "orders", 0, 1)
	embeddedtest.Produce(t, cluster, "orders", 0, 5)
	a.waitRecords(10)
	a.sees("the move", func(e consumer.Event) bool {
		m, ok := e.(consumer.LeaderMoved)
		return ok && m.Partition == strategy.TopicPartition{Topic: "orders"} && m.From == 0 && m.To == 1 && m.Epoch > 0
	})
}

// TestBrokerTroubleIsTold has a broker away for a while that leads one of two partitions.
func TestBrokerTroubleIsTold(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{Brokers: 2}, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{5}})
	for p := range int32(2) {
		embeddedtest.Move(t, cluster, "orders", p, p)
	}
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Sarama = sarama.NewConfig()
	net := embeddedtest.Through(cfg.Sarama)
	a := start(t, "a", cfg, nil)
	a.waitRecords(10)
	away := cluster.Addrs()[1]
	told := func(trouble bool) func(consumer.Event) bool {
		return func(e consumer.Event) bool {
			b, ok := e.(consumer.BrokerTrouble)
			return ok && b.Broker == 1 && b.Addr == away && (b.Err != nil) == trouble
		}
	}
	net.Break(away, true)
	a.sees("the trouble", told(true))
	a.sees("the partition's", func(e consumer.Event) bool {
		r, ok := e.(consumer.ReadTrouble)
		return ok && r.Err != nil && r.Partition.Partition == 1
	})
	a.notReady("orders-1 cannot be read")
	net.Break(away, false)
	a.sees("its end", told(false))
	a.becomesReady()
}

// TestReadErrorNamesThePlaceOnce reads what is not there, and must not go on elsewhere.
func TestReadErrorNamesThePlaceOnce(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{5}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Start = callbacks.Start{From: callbacks.FromOffset, Offset: 99}
	cfg.OutOfRange = consumer.OutOfRangeFail
	a := start(t, "a", cfg, nil)
	err := a.ended()
	var read *consumer.ReadError
	if !errors.As(err, &read) || read.Partition != (strategy.TopicPartition{Topic: "orders"}) || read.Offset != 99 {
		t.Fatalf("Run returned %v", err)
	}
	if text := read.Error(); strings.Count(text, "orders") != 1 || strings.Count(text, "reading") != 1 || strings.Count(text, "99") != 1 {
		t.Errorf("it says %q", text)
	}
	a.sees("the trouble", func(e consumer.Event) bool {
		r, ok := e.(consumer.ReadTrouble)
		return ok && r.Err != nil && !strings.Contains(r.Err.Error(), "orders") && strings.Contains(r.Err.Error(), "at offset 99")
	})
}

// TestSticky has a member that offers Kafka's sticky assignor, which cannot be told anything.
func TestSticky(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Assignors = []strategy.Assignor{sticky.Assignor{}}
	labelled, capable := cfg, cfg
	labelled.Labels = map[string]string{"tier": "gold"}
	capable.Capacity = 2
	for _, c := range []consumer.Config{labelled, capable} {
		if _, err := consumer.New(c); !errors.Is(err, consumer.ErrSticky) {
			t.Errorf("labels %v, capacity %d: %v", c.Labels, c.Capacity, err)
		}
	}
	labelled.Assignors = nil
	if _, err := consumer.New(labelled); err != nil {
		t.Error(err)
	}
	a := start(t, "a", cfg, nil)
	a.waitOwned(1)
	ctx, cancel := context.WithTimeoutCause(t.Context(), embeddedtest.Patience, errors.New("it waits"))
	defer cancel()
	if err := a.Drain(ctx); !errors.Is(err, consumer.ErrSticky) {
		t.Errorf("draining: %v", err)
	}
	if err := a.Ready(); err != nil {
		t.Error(err)
	}
}
