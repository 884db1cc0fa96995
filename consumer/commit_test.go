package consumer_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/strategy"
)

// TestCommitFails has the last commit of what was processed fail. That is told, and it is committed again though no record comes.
func TestCommitFails(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{5}})
	var tries atomic.Int32
	cluster.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit}, Err: kerr.OffsetMetadataTooLarge, Count: -1, When: func(r kmsg.Request) bool {
		return r.(*kmsg.OffsetCommitRequest).Topics[0].Partitions[0].Offset == 5 && tries.Add(1) == 1
	}})
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), nil)
	a.sees("the failure", func(e consumer.Event) bool {
		c, ok := e.(consumer.CommitFailed)
		if !ok {
			return false
		}
		var failed *callbacks.CommitError
		return errors.As(c.Err, &failed) && failed.Failed[strategy.TopicPartition{Topic: "orders"}] != nil
	})
	a.polls("the commit", func() bool { s := a.Stats().Partitions; return len(s) == 1 && s[0].Committed == 5 })
	if err := a.close(); err != nil {
		t.Error(err)
	}
}

// TestStartIsCommitted has a member begin at the end of a partition to which nothing comes: the next one does not begin at a later end.
func TestStartIsCommitted(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{5}})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Start.From = callbacks.FromLatest
	a := start(t, "a", cfg, nil)
	a.polls("the end", func() bool { s := a.Stats().Partitions; return len(s) == 1 && s[0].End == 5 })
	if err := a.close(); err != nil {
		t.Error(err)
	}
	if offset, _ := stored(t, cluster.Addrs(), "g", "orders", 0); offset != 5 {
		t.Errorf("committed is %d, want 5", offset)
	}
}
