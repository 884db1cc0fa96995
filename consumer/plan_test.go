package consumer_test

import (
	"context"
	"testing"
	"time"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A waiting assignor is one whose plans wait until the test has them made.
type waiting struct {
	strategy.Assignor
	asked chan chan struct{} // has a plan made by closing what it gets from here
	free  chan struct{}      // once closed, plans wait no more
}

func (w waiting) Unwrap() strategy.Assignor { return w.Assignor }

func (w waiting) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	release := make(chan struct{})
	w.asked <- release
	select {
	case <-release:
	case <-w.free:
	}
	return w.Assignor.Assign(ctx, g)
}

// TestPlanOfARoundThatIsOver has a member join while the leader makes a plan, which is ready when the next one is being made.
func TestPlanOfARoundThatIsOver(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{5}})
	cfg := config(cluster.Addrs(), "g", "orders")
	asked, free := make(chan chan struct{}, 10), make(chan struct{})
	cfg.Assignors = []strategy.Assignor{waiting{strategy.Cooperative(sticky.Assignor{}), asked, free}}
	a := start(t, "a", cfg, nil)
	first := <-asked
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	second := <-asked
	close(first)
	time.Sleep(100 * time.Millisecond) // for who sends it
	close(second)
	close(free) // on a busy machine there is a third round
	for _, m := range []*member{a, b} {
		m.sees("a partition of its own", func(e consumer.Event) bool {
			r, ok := e.(consumer.RebalanceEnded)
			if ok && len(r.Assigned) != 1 {
				t.Errorf("%s was assigned %v", m.name, r.Assigned)
			}
			return ok
		})
		m.waitOwned(1)
	}
	onceEach(t, 10, a, b)
}

// TestTimeOfAnAssignor has a leader's assignor see how long it may take, alone and with another behind it.
func TestTimeOfAnAssignor(t *testing.T) {
	for _, c := range []struct {
		why               string
		assign, rebalance time.Duration // configured
		behind            []strategy.Assignor
		most              time.Duration
	}{
		{"alone", time.Hour, 0, nil, time.Hour},
		{"with one behind", time.Hour, 0, []strategy.Assignor{sticky.Assignor{}}, time.Hour / 2},
		{"by default", 0, 0, []strategy.Assignor{sticky.Assignor{}}, 5 * time.Second},
		{"where members have less time", 0, 6 * time.Second, []strategy.Assignor{sticky.Assignor{}}, time.Second},
	} {
		t.Run(c.why, func(t *testing.T) {
			cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
			cfg := config(cluster.Addrs(), "g", "orders")
			cfg.AssignTimeout, cfg.RebalanceTimeout = c.assign, c.rebalance
			left := make(chan time.Duration, 10)
			cfg.Assignors = []strategy.Assignor{strategy.Fallback(hurried{strategy.Cooperative(sticky.Assignor{}), left}, c.behind...)}
			if c.behind == nil {
				cfg.Assignors = []strategy.Assignor{hurried{strategy.Cooperative(sticky.Assignor{}), left}}
			}
			a := start(t, "a", cfg, nil)
			a.waitOwned(2)
			if got := <-left; got > c.most || got <= 0 {
				t.Errorf("it has %v, and may have %v", got, c.most)
			}
		})
	}
}

// A hurried assignor says how long it has for a plan.
type hurried struct {
	strategy.Assignor
	left chan<- time.Duration
}

func (h hurried) Unwrap() strategy.Assignor { return h.Assignor }

func (h hurried) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	deadline, _ := ctx.Deadline()
	h.left <- time.Until(deadline)
	return h.Assignor.Assign(ctx, g)
}
