package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/strategy"
)

// TestLagFalls has records processed one by one: the lag says how many are left, and is 0 when none is.
func TestLagFalls(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
	next := make(chan struct{})
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), gated(next))
	const partition = "partition=0 topic=orders"
	for left := 10.0; left > 0; left-- {
		embeddedtest.Eventually(t, "the lag is what is left", func() bool {
			lag, known := a.series("lag_records")[partition]
			if known && (lag < left || lag > left+1) { // the last one may not have been noted yet
				t.Fatalf("a lag of %v with %v left", lag, left)
			}
			return known && lag == left
		})
		if at := a.series("position")[partition]; at != 10-left {
			t.Errorf("position %v with %v left", at, left)
		}
		if a.series("buffered_bytes")[partition] == 0 {
			t.Error("nothing is buffered or in work")
		}
		next <- struct{}{}
	}
	embeddedtest.Eventually(t, "nothing is left", func() bool {
		lag, known := a.series("lag_records")[partition]
		return known && lag == 0 && a.series("buffered_bytes")[partition] == 0
	})
	if a.series("last_fetch_timestamp_seconds")[partition] == 0 {
		t.Error("no broker has answered")
	}
	embeddedtest.Produce(t, cluster, "orders", 0, 3)
	embeddedtest.Eventually(t, "three more are noticed", func() bool { return a.series("lag_records")[partition] == 3 })
	for range 3 {
		next <- struct{}{}
	}
	embeddedtest.Eventually(t, "they are processed", func() bool { return a.series("lag_records")[partition] == 0 })
}

// TestLagResumes has a member begin behind what is committed: it is not behind by the whole log.
func TestLagResumes(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
	const partition = "partition=0 topic=orders"
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), nil)
	embeddedtest.Eventually(t, "all is processed", func() bool { return a.series("position")[partition] == 10 })
	a.Close()
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	embeddedtest.Eventually(t, "its lag is known", func() bool {
		lag, known := b.series("lag_records")[partition]
		if known && lag != 0 {
			t.Fatalf("a lag of %v, and nothing is left", lag)
		}
		return known
	})
}

// TestLagUnknown has brokers that do not answer: there is no lag then, rather than one of 0, and the progress stands.
func TestLagUnknown(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
	release := make(chan struct{})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Callbacks = callbacks.Funcs{OnAssign: func(ctx context.Context, _ *callbacks.Assignment) error {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return nil
	}}
	a := start(t, "a", cfg, nil)
	embeddedtest.Eventually(t, "it has a partition", func() bool { return a.series("assigned_partitions")["topic=orders"] == 1 })
	if got := a.partitions(); len(got) > 0 {
		t.Errorf("series of %q, which are not read yet", got)
	}
	close(release)
	embeddedtest.Eventually(t, "all is processed", func() bool {
		lag, known := a.series("lag_records")["partition=0 topic=orders"]
		return known && lag == 0
	})
}

// Elsewhere: a partition moved from one member to the next and on, and all of them went on exporting the last lag that they had seen.
func TestWild24SeriesOfReleasedPartitionsDisappear(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 6, Records: []int{10}})
	settled := func(each int, members ...*member) {
		t.Helper()
		embeddedtest.Eventually(t, "everybody has what is theirs, and series of it alone", func() bool {
			for _, m := range members {
				owned := m.owned()
				if len(owned) != each || !slices.Equal(m.partitions(), owned) || m.series("assigned_partitions")["topic=orders"] != float64(each) {
					return false
				}
			}
			return true
		})
	}
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), nil)
	settled(6, a)
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	settled(3, a, b)
	c := start(t, "c", config(cluster.Addrs(), "g", "orders"), nil)
	settled(2, a, b, c)
	a.Close()
	settled(0, a)
	settled(3, b, c)
	b.Close()
	settled(6, c)
	moved := a.series("moved_partitions_total")
	if moved["change=assigned"] != 6 || moved["change=revoked"] != 6 {
		t.Errorf("the first one was given, and gave, %v", moved)
	}
	if got := a.series("rebalances_total"); got["reason=first_join"] != 1 || got["reason=group"] == 0 {
		t.Errorf("the first one's rebalances: %v", got)
	}
}

// TestLagPassesOverGaps reads only committed records, of a log that ends in an aborted transaction: no record of it is handed out, and
// none is waited for.
func TestLagPassesOverGaps(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 1})
	transact(t, cluster.Addrs(), cluster.Config("writer"), "orders", sarama.SyncProducer.CommitTxn, 3) // 0 to 2, and the marker
	transact(t, cluster.Addrs(), cluster.Config("writer"), "orders", sarama.SyncProducer.AbortTxn, 5)  // 4 to 8, and the marker
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Sarama = cluster.Config("reader")
	cfg.Sarama.Consumer.IsolationLevel = sarama.ReadCommitted
	a := start(t, "a", cfg, nil)
	embeddedtest.Eventually(t, "the lag is 0 at the end of the log", func() bool {
		lag, known := a.series("lag_records")["partition=0 topic=orders"]
		return known && lag == 0 && a.series("position")["partition=0 topic=orders"] == 10
	})
}

// TestPositionBehindAHandOver has a partition move that its new owner has read ahead, while the old one went on.
func TestPositionBehindAHandOver(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{1000}})
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), func(context.Context, *consumer.Message) error {
		time.Sleep(5 * time.Millisecond) // some are left when it moves
		return nil
	})
	embeddedtest.Eventually(t, "some of both are processed", func() bool {
		at := a.series("position")
		return at["partition=0 topic=orders"] > 0 && at["partition=1 topic=orders"] > 0
	})
	next, working := make(chan struct{}), make(chan *consumer.Message, 1)
	wait := gated(next)
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), func(ctx context.Context, m *consumer.Message) error {
		select {
		case working <- m: // the first one
		default:
		}
		return wait(ctx, m)
	})
	first := <-working
	partition := fmt.Sprintf("partition=%d topic=orders", first.Partition)
	if at := b.series("position")[partition]; at != float64(first.Offset) || at == 0 {
		t.Errorf("position %v, and the first record is at %d", at, first.Offset)
	}
	close(next)
}

// TestLagOfDeletedRecords has records deleted that were not read yet: nobody waits for them.
func TestLagOfDeletedRecords(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{1}})
	next := make(chan struct{})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.PartitionBuffer = 1 // so that nothing is read while the first record is in work
	a := start(t, "a", cfg, gated(next))
	const partition = "partition=0 topic=orders"
	embeddedtest.Eventually(t, "the first record is in work", func() bool { return a.series("buffered_bytes")[partition] > 0 })
	embeddedtest.Produce(t, cluster, "orders", 0, 9)
	if err := embeddedtest.Admin(t, cluster).DeleteRecords("orders", map[int32]int64{0: 10}); err != nil {
		t.Fatal(err)
	}
	next <- struct{}{}
	embeddedtest.Eventually(t, "nothing is left", func() bool {
		lag, known := a.series("lag_records")[partition]
		return known && lag == 0 && a.series("position")[partition] == 10
	})
	embeddedtest.Eventually(t, "it is counted", func() bool { return a.series("offset_out_of_range_total")[""] == 1 })
}

// TestPositionInARevocation has a partition that is given up and waits for another one's handler: what was read ahead of it does not count as
// processed.
func TestPositionInARevocation(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{10}})
	next, slow := make(chan struct{}), make(chan struct{})
	quick, waits := gated(next), gated(slow)
	var inWork atomic.Int64 // the offset of partition 0 whose handler began
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), func(ctx context.Context, m *consumer.Message) error {
		if m.Partition == 1 {
			return waits(ctx, m)
		}
		inWork.Store(m.Offset)
		return quick(ctx, m)
	})
	embeddedtest.Eventually(t, "both have a record in work", func() bool {
		buffered := a.series("buffered_bytes")
		return buffered["partition=0 topic=orders"] > 0 && buffered["partition=1 topic=orders"] > 0
	})
	for range 3 {
		next <- struct{}{}
	}
	embeddedtest.Eventually(t, "the fourth is in work", func() bool { return inWork.Load() == 3 })
	a.Stop()
	embeddedtest.Eventually(t, "it leaves", func() bool { return a.series("member_state")["state=leaving"] == 1 })
	next <- struct{}{} // the record that it is in is its last one
	const partition = "partition=0 topic=orders"
	embeddedtest.Eventually(t, "what was read ahead is dropped", func() bool { return a.series("buffered_bytes")[partition] == 0 })
	if at, lag := a.series("position")[partition], a.series("lag_records")[partition]; at != 4 || lag != 6 {
		t.Errorf("four of ten records were processed: position %v, lag %v", at, lag)
	}
	close(slow)
	embeddedtest.Eventually(t, "it is gone", func() bool { return len(a.partitions()) == 0 })
}

// gated is a handler that waits for a sign for each record.
func gated(next <-chan struct{}) consumer.Handler {
	return func(ctx context.Context, _ *consumer.Message) error {
		select {
		case <-next:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// TestLagLeavesOpenTransactionsOut reads only committed records, of a log whose last ones are in a transaction that is not over.
func TestLagLeavesOpenTransactionsOut(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 1})
	transact(t, cluster.Addrs(), cluster.Config("writer"), "orders", sarama.SyncProducer.CommitTxn, 3) // 0 to 2, and the marker
	read := func(client string, isolation sarama.IsolationLevel) *member {
		cfg := config(cluster.Addrs(), client, "orders")
		cfg.Sarama = cluster.Config(client)
		cfg.Sarama.Consumer.IsolationLevel = isolation
		return start(t, client, cfg, nil)
	}
	const partition = "partition=0 topic=orders"
	transact(t, cluster.Addrs(), cluster.Config("writer"), "orders", func(p sarama.SyncProducer) error {
		committed, all := read("committed", sarama.ReadCommitted), read("all", sarama.ReadUncommitted)
		embeddedtest.Eventually(t, "all are read where uncommitted ones are", func() bool { return all.series("position")[partition] == 9 })
		embeddedtest.Eventually(t, "there is nothing left for who reads committed ones", func() bool {
			lag, known := committed.series("lag_records")[partition]
			return known && lag == 0 && committed.series("position")[partition] == 4
		})
		if err := p.CommitTxn(); err != nil {
			return err
		}
		embeddedtest.Eventually(t, "they are read when they are committed", func() bool {
			return committed.series("position")[partition] == 10 && committed.series("lag_records")[partition] == 0
		})
		return nil
	}, 5)
}

// TestUncommitted has an application that commits itself.
func TestUncommitted(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{10}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Commits = consumer.CommitManual
	a := start(t, "a", cfg, func(ctx context.Context, m *consumer.Message) error {
		if m.Offset == 3 {
			return m.Commit(ctx) // 4 is next
		}
		return nil
	})
	const partition = "partition=0 topic=orders"
	embeddedtest.Eventually(t, "six are processed and not committed", func() bool { return a.series("uncommitted_records")[partition] == 6 })
	offsets := map[strategy.TopicPartition]callbacks.Offset{{Topic: "orders"}: {Offset: 10}}
	if err := a.Commit(t.Context(), offsets); err != nil {
		t.Fatal(err)
	}
	if got := a.series("uncommitted_records"); got[partition] != 0 || len(got) != 1 {
		t.Errorf("all is committed, and it says %v", got)
	}
	a.Close()
	b := start(t, "b", cfg, nil)
	embeddedtest.Eventually(t, "who comes next knows what is committed", func() bool {
		got, known := b.series("uncommitted_records")[partition]
		return known && got == 0
	})
}

// transact writes records in a transaction, and ends it.
func transact(t *testing.T, addrs []string, conf *sarama.Config, topic string, end func(sarama.SyncProducer) error, records int) {
	t.Helper()
	conf.Producer.Return.Successes, conf.Producer.RequiredAcks = true, sarama.WaitForAll
	conf.Producer.Transaction.ID, conf.Producer.Idempotent, conf.Net.MaxOpenRequests = t.Name(), true, 1
	p, err := sarama.NewSyncProducer(addrs, conf)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.BeginTxn(); err != nil {
		t.Fatal(err)
	}
	var list []*sarama.ProducerMessage
	for range records {
		list = append(list, &sarama.ProducerMessage{Topic: topic, Value: sarama.StringEncoder("v")})
	}
	if err := p.SendMessages(list); err != nil {
		t.Fatal(err)
	}
	if err := end(p); err != nil {
		t.Fatal(err)
	}
}

// TestFailures has a handler that fails.
func TestFailures(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{1}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Failure = consumer.FailurePolicy{Retries: 1, Then: consumer.ThenSkip}
	a := start(t, "a", cfg, func(context.Context, *consumer.Message) error { return errors.New("no") })
	embeddedtest.Eventually(t, "it is tried again and passed over", func() bool {
		got := a.series("handler_failures_total")
		return got["next=retry"] == 1 && got["next=skip"] == 1
	})
}
