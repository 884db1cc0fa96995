package consumer_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategy"
)

func deleteTopic(t *testing.T, cluster *embedded.Cluster, topic string) {
	t.Helper()
	if err := embeddedtest.Admin(t, cluster).DeleteTopic(topic); err != nil {
		t.Fatal(err)
	}
}

// TestTopicGrows has partitions added that get records before their member begins to read them, where others start at the end.
func TestTopicGrows(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{5}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Start.From = callbacks.FromLatest
	cfg.Callbacks = callbacks.Funcs{OnAssign: func(ctx context.Context, a *callbacks.Assignment) error {
		for p := range callbacks.Each(a.Added) {
			if p.Partition > 0 {
				if err := cluster.Produce(ctx, p.Topic, p.Partition, 2); err != nil {
					return err
				}
			}
		}
		return nil
	}}
	a := start(t, "a", cfg, nil)
	a.waitOwned(1)
	admin, err := sarama.NewClusterAdmin(cluster.Addrs(), cluster.Config("admin"))
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if err := admin.CreatePartitions("orders", 3, nil, false); err != nil {
		t.Fatal(err)
	}
	a.waitOwned(3)
	a.waitRecords(4)
}

// TestBrokerThatIsBehind has a broker say once that a topic is not there.
func TestBrokerThatIsBehind(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{1}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.TopicInterval = 20 * time.Millisecond
	a := start(t, "a", cfg, nil)
	a.waitRecords(1) // so that nobody but the look at topics asks
	fake := cluster.Fake()
	behind := fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Topic: "orders", Err: kerr.UnknownTopicOrPartition})
	a.polls("the wrong answer", func() bool { return behind.Hits() == 1 })
	looks := fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Observe: true, Count: -1})
	a.polls("more looks", func() bool { return looks.Hits() > 3 })
	if log := a.noted(); len(log) != 1 {
		t.Errorf("callbacks %q", log)
	}
	if err := a.close(); err != nil {
		t.Error(err)
	}
	if slices.Contains(a.events, consumer.Event(consumer.TopicMissing{Topic: "orders"})) {
		t.Error("the topic is told to be missing")
	}
}

// TestDeletedTopicIsLostByAll has one member that looks for itself, and one that is told by the rebalance which the first begins.
func TestDeletedTopicIsLostByAll(t *testing.T) {
	for name, assignors := range map[string][]strategy.Assignor{"cooperative": nil, "eager": {roundrobin.Assignor{}}} {
		t.Run(name, func(t *testing.T) {
			cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2}, embedded.Topic{Name: "gone", Partitions: 2, Records: []int{5}})
			cfg := config(cluster.Addrs(), "g", "orders", "gone")
			cfg.Assignors, cfg.Start.From = assignors, callbacks.FromLatest
			a := start(t, "a", cfg, nil)
			a.waitOwned(4)
			cfg.TopicInterval = time.Hour
			b := start(t, "b", cfg, nil)
			a.waitOwned(2)
			b.waitOwned(2)
			lost := func(m *member) string {
				m.mu.Lock()
				defer m.mu.Unlock()
				for p, n := range m.owned {
					if n > 0 && (p == "gone-0" || p == "gone-1") {
						return "lost(deleted) " + p
					}
				}
				t.Fatalf("%s has nothing of the topic: %q", m.name, m.log)
				return ""
			}
			lostByA, lostByB := lost(a), lost(b)
			deleteTopic(t, cluster, "gone")
			a.wait("the loss", func() bool { return slices.Contains(a.log, lostByA) })
			b.wait("the loss", func() bool { return slices.Contains(b.log, lostByB) })
			a.waitOwned(1)
			b.waitOwned(1)

			// Made anew, it is read from its beginning, though the members start at the end elsewhere.
			if err := cluster.Create(t.Context(), embedded.Topic{Name: "gone", Partitions: 2, Records: []int{7}}); err != nil {
				t.Fatal(err)
			}
			onceEach(t, 14, a, b)
			for _, m := range []*member{a, b} {
				m.closes()
			}
		})
	}
}

// TestRecreatedTopic is made anew between two looks, so that nobody sees that there was none. What was read and committed of the new one before
// it was known to be one is repeated: it may have been from the middle on.
func TestRecreatedTopic(t *testing.T) {
	for name, from := range map[string]callbacks.From{"read from the end": callbacks.FromLatest, "read from the beginning": callbacks.FromEarliest} {
		t.Run(name, func(t *testing.T) {
			cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{5}})
			cfg := config(cluster.Addrs(), "g", "orders")
			cfg.Start.From, cfg.CommitInterval = from, time.Millisecond
			a := start(t, "a", cfg, nil)
			a.waitOwned(2)
			if from == callbacks.FromEarliest {
				a.waitRecords(10)
			}
			deleteTopic(t, cluster, "orders")
			if err := cluster.Create(t.Context(), embedded.Topic{Name: "orders", Partitions: 2, Records: []int{7}}); err != nil {
				t.Fatal(err)
			}
			const loss = "lost(deleted) orders-0 orders-1"
			a.wait("the loss", func() bool { return slices.Contains(a.log, loss) })
			a.waitOwned(2)
			for p := range 2 { // all of them behind the loss
				for offset := range int64(7) {
					record := fmt.Sprintf("orders-%d@%d", p, offset)
					a.wait(record, func() bool { return slices.Contains(a.records[a.marks[loss]:], record) })
				}
			}
			a.sees("the news", func(e consumer.Event) bool {
				_, found := e.(consumer.TopicFound)
				return found || e == consumer.TopicRecreated{Topic: "orders", Partitions: 2}
			})
			a.becomesReady()
			a.closes()
		})
	}
}
