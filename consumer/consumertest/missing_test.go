package consumertest_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/consumer/consumertest"
	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategy"
)

// A recorder is a test that notes how it fails.
type recorder struct {
	testing.TB
	failed []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.failed = append(r.failed, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) {
	r.failed = append(r.failed, fmt.Sprint(args...))
	runtime.Goexit()
}

// failing returns what f has to say of a test that it fails.
func failing(t *testing.T, f func(testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return strings.Join(r.failed, "\n")
}

// TestSaysWhatIsMissing has every call fail that can, and say why.
func TestSaysWhatIsMissing(t *testing.T) {
	brief := consumertest.Config{Topics: map[string]int32{"orders": 4}, Group: "billing", Patience: 100 * time.Millisecond}
	for name, test := range map[string]struct {
		says string
		call func(t testing.TB, c *consumertest.Cluster)
	}{
		"no member to rebalance": {"a rebalance: waited", func(t testing.TB, c *consumertest.Cluster) { c.Rebalance(t) }},
		"no member to expire":    {"the application is not in the group", func(t testing.TB, c *consumertest.Cluster) { c.Expire(t) }},
		"no member at all":       {"the group has no members", func(t testing.TB, c *consumertest.Cluster) { c.KillCoordinator(t) }},
		"too few members":        {"it has 0 members", func(t testing.TB, c *consumertest.Cluster) { c.Settle(t, 2) }},
		"never":                  {"the impossible: waited", func(t testing.TB, c *consumertest.Cluster) { c.Wait(t, "the impossible", func() bool { return false }) }},
		"no such topic":          {"nosuch", func(t testing.TB, c *consumertest.Cluster) { c.Produce(t, consumertest.Record{Topic: "nosuch"}) }},
		"no such partition": {"orders-9", func(t testing.TB, c *consumertest.Cluster) {
			c.Produce(t, consumertest.Record{Topic: "orders", Partition: 9})
		}},
		"growing what is not": {"topic nosuch grows to 3 partitions", func(t testing.TB, c *consumertest.Cluster) { c.Grow(t, "nosuch", 3) }},
		"shrinking":           {"topic orders grows to 1 partitions", func(t testing.TB, c *consumertest.Cluster) { c.Grow(t, "orders", 1) }},
		"slow nothing":        {"which requests?", func(t testing.TB, c *consumertest.Cluster) { c.Slow(t, time.Second) }},
		"a bad topic": {"Config.Topics: creating topic orders", func(t testing.TB, _ *consumertest.Cluster) {
			consumertest.NewCluster(t, consumertest.Config{Topics: map[string]int32{"orders": 0}})
		}},
		"no group": {"which group is tested?", func(t testing.TB, _ *consumertest.Cluster) {
			consumertest.NewCluster(t, consumertest.Config{}).Rebalance(t)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c := consumertest.NewCluster(t, brief)
			if got := failing(t, func(t testing.TB) { test.call(t, c) }); !strings.Contains(got, test.says) {
				t.Errorf("it says %q, and should say %q", got, test.says)
			}
		})
	}
}

// TestMemberThatCannotJoin has no assignor in common with the application.
func TestMemberThatCannotJoin(t *testing.T) {
	c := consumertest.NewCluster(t, consumertest.Config{Topics: map[string]int32{"orders": 4}, Assignors: []strategy.Assignor{rangeassign.Assignor{}}})
	run(t, c.Prepare(billing()))
	c.Settle(t, 1)
	got := failing(t, func(t testing.TB) { c.Join(t) })
	if !strings.Contains(got, "a member that was added with Join has ended: consumer: the group's other members offer none") {
		t.Errorf("it says %q", got)
	}
}

// TestCallbackThatHangs has the application's callback keep the group from settling.
func TestCallbackThatHangs(t *testing.T) {
	c := consumertest.NewCluster(t, consumertest.Config{Topics: map[string]int32{"orders": 4}, Patience: 300 * time.Millisecond})
	release := make(chan struct{})
	cfg := c.Prepare(billing())
	cfg.Callbacks = callbacks.Funcs{OnAssign: func(context.Context, *assignment) error { <-release; return nil }}
	member, err := consumer.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = member.Run(context.Background(), func(context.Context, *consumer.Message) error { return nil })
	}()
	got := failing(t, func(t testing.TB) { c.Settle(t, 1) })
	if !strings.Contains(got, "has not said that its callbacks have returned") || !strings.Contains(got, "has orders-0 orders-1 orders-2 orders-3") {
		t.Errorf("it says %q", got)
	}
	close(release)
	member.Stop()
	<-done
}
