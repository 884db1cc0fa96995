package consumer_test

import (
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/strategy"
)

// stored returns what a group has committed, with the epoch.
func stored(t *testing.T, addrs []string, group, topic string, partition int32) (offset int64, epoch int32) {
	t.Helper()
	conf := sarama.NewConfig()
	conf.Version = sarama.MaxVersion
	admin, err := sarama.NewClusterAdmin(addrs, conf)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	resp, err := admin.ListConsumerGroupOffsets(group, map[string][]int32{topic: {partition}})
	if err != nil {
		t.Fatal(err)
	}
	b := resp.GetBlock(topic, partition)
	return b.Offset, b.LeaderEpoch
}

// TestCommitsCarryEpochs has leaders change between records.
func TestCommitsCarryEpochs(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{Brokers: 2}, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{5}})
	leader := int32(0)
	produceElsewhere := func(n int) { // each move is an epoch of its own
		t.Helper()
		leader = 1 - leader
		embeddedtest.Move(t, cluster, "orders", 0, leader)
		embeddedtest.Produce(t, cluster, "orders", 0, n)
	}
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Commits = consumer.CommitManual
	a := start(t, "a", cfg, nil)
	a.waitRecords(5)
	commit := func(offset int64) (int64, int32) {
		t.Helper()
		if err := a.Commit(t.Context(), map[strategy.TopicPartition]callbacks.Offset{{Topic: "orders"}: {Offset: offset}}); err != nil {
			t.Fatal(err)
		}
		return stored(t, cluster.Addrs(), "g", "orders", 0)
	}
	_, first := commit(2)
	produceElsewhere(3)
	produceElsewhere(3)
	a.waitRecords(11)
	offset, still := commit(5)
	if first < 0 || offset != 5 || still != first {
		t.Errorf("the first records have epoch %d, and when others have come %d", first, still)
	}
	if offset, last := commit(11); offset != 11 || last <= first {
		t.Errorf("offset %d has epoch %d, the first one %d", offset, last, first)
	}
	if offset, unread := commit(20); offset != 20 || unread != -1 {
		t.Errorf("offset %d, which was not read, has epoch %d", offset, unread)
	}
	a.closes()
}

// TestEpochIsKept has a member commit what it has found, as it found it.
func TestEpochIsKept(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{Brokers: 2}, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{5}})
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), nil)
	a.waitRecords(5)
	a.closes()
	offset, epoch := stored(t, cluster.Addrs(), "g", "orders", 0)
	if offset != 5 || epoch < 0 {
		t.Fatalf("committed is %d with epoch %d", offset, epoch)
	}
	committed := make(chan int32, 10)
	cluster.Fake().ControlKey(int16(kmsg.OffsetCommit), func(r kmsg.Request) (kmsg.Response, error, bool) {
		cluster.Fake().KeepControl()
		committed <- r.(*kmsg.OffsetCommitRequest).Topics[0].Partitions[0].LeaderEpoch
		return nil, nil, false
	})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Commits = consumer.CommitManual
	b := start(t, "b", cfg, nil)
	b.waitOwned(1)
	if err := b.Commit(t.Context(), map[strategy.TopicPartition]callbacks.Offset{{Topic: "orders"}: {Offset: 5}}); err != nil {
		t.Fatal(err)
	}
	if got := <-committed; got != epoch {
		t.Errorf("what was found with epoch %d is committed with %d", epoch, got)
	}
}

// TestSyncNamesTheAssignor has a coordinator see that the members mean the assignor that it has chosen.
func TestSyncNamesTheAssignor(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1})
	synced := make(chan *kmsg.SyncGroupRequest, 10)
	cluster.Fake().ControlKey(int16(kmsg.SyncGroup), func(r kmsg.Request) (kmsg.Response, error, bool) {
		cluster.Fake().KeepControl()
		synced <- r.(*kmsg.SyncGroupRequest)
		return nil, nil, false
	})
	start(t, "a", config(cluster.Addrs(), "g", "orders"), nil)
	select {
	case r := <-synced:
		if r.Version != 5 || r.Protocol == nil || *r.Protocol != "cooperative-sticky" || r.ProtocolType == nil || *r.ProtocolType != "consumer" {
			t.Errorf("version %d: %v of %v", r.Version, r.Protocol, r.ProtocolType)
		}
	case <-time.After(embeddedtest.Patience):
		t.Fatal("nobody syncs")
	}
}
