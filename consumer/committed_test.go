package consumer_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/embedded"
)

// TestCommittedOffsetsAreWaitedFor has a coordinator that does not tell committed offsets for longer than Rebalance. Run does not end, and OnAssign
// has its time nevertheless.
func TestCommittedOffsetsAreWaitedFor(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{5}})
	fault := cluster.Fake().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.CoordinatorLoadInProgress, Count: -1})
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.RebalanceTimeout = 500 * time.Millisecond
	cfg.Callbacks = callbacks.Funcs{OnAssign: func(ctx context.Context, _ *callbacks.Assignment) error { return ctx.Err() }}
	a := start(t, "a", cfg, nil)
	a.polls("that it is not ready", func() bool { err := a.Ready(); return err != nil && strings.Contains(err.Error(), "committed offsets") })
	time.Sleep(cfg.RebalanceTimeout)
	fault.Remove()
	a.waitRecords(10)
	a.becomesReady()
	if err := a.close(); err != nil {
		t.Error(err)
	}
}
