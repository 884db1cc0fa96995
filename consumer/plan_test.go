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
}

func (w waiting) Unwrap() strategy.Assignor { return w.Assignor }

func (w waiting) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	release := make(chan struct{})
	w.asked <- release
	<-release
	return w.Assignor.Assign(ctx, g)
}

// TestPlanOfARoundThatIsOver has a member join while the leader makes a plan, which is ready when the next one is being made.
func TestPlanOfARoundThatIsOver(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{5}})
	cfg := config(cluster.Addrs(), "g", "orders")
	asked := make(chan chan struct{}, 10)
	cfg.Assignors = []strategy.Assignor{waiting{strategy.Cooperative(sticky.Assignor{}), asked}}
	a := start(t, "a", cfg, nil)
	first := <-asked
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	second := <-asked
	close(first)
	time.Sleep(100 * time.Millisecond) // for who sends it
	close(second)
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
