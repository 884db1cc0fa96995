package consumer_test

import (
	"context"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// TestRoundsSeeTheSame has numbers change all the time, and an assignor that moves something by each change. All rounds of a rebalance are
// planned by the same numbers, so that the second one is the last.
func TestRoundsSeeTheSame(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 6})
	s := newSeer("mood", strategy.SignalUptime)
	var calls atomic.Int64
	mood := consumer.Signal{Name: "mood", Partitions: func(context.Context, []strategy.Topic) (map[string][]float64, error) {
		n := calls.Add(1)
		list := make([]float64, 6)
		for p := range list {
			list[p] = float64((int64(p)*7+n*13)%17 + 1)
		}
		return map[string][]float64{"orders": list}, nil
	}}
	cfg := signalConfig(cluster, s, mood)
	cfg.Signals.Interval = time.Millisecond
	a := start(t, "a", cfg, nil)
	a.waitOwned(6)
	b := start(t, "b", cfg, nil)
	embeddedtest.Eventually(t, "all is assigned", func() bool { return strategy.Count(a.Owned()) == 3 && strategy.Count(b.Owned()) == 3 })
	var rounds []*strategy.Group
	s.mu.Lock()
	for _, g := range s.seen {
		if len(g.Members) == 2 {
			rounds = append(rounds, g)
		}
	}
	s.mu.Unlock()
	if len(rounds) != 2 {
		t.Fatalf("there are %d rounds", len(rounds))
	}
	if x, y := rounds[0], rounds[1]; x.Topics[0].Signals["mood"] == nil || !reflect.DeepEqual(x.Topics[0].Signals, y.Topics[0].Signals) {
		t.Errorf("the rounds see %v and %v", x.Topics[0].Signals, y.Topics[0].Signals)
	}
	for m := range rounds[0].Members {
		if x, y := rounds[0].Members[m], rounds[1].Members[m]; x.Uptime == 0 || x.Uptime != y.Uptime {
			t.Errorf("the rounds see that %s has been running for %v and %v", x.ID, x.Uptime, y.Uptime)
		}
	}
	seen := calls.Load()
	_ = a.Rejoin("to have a plan of another rebalance")
	embeddedtest.Eventually(t, "it is planned by other numbers", func() bool {
		return calls.Load() > seen && !reflect.DeepEqual(s.last().Topics[0].Signals, rounds[1].Topics[0].Signals)
	})
}

// TestNoTryBeforeAPlan has another member join while something is measured of the group as it was. That is given up, and what the plan wants is
// measured, without another try in between, for which the plan would have to wait.
func TestNoTryBeforeAPlan(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
	var slow atomic.Bool
	measuring := make(chan struct{})
	s := &watched{seer: newSeer("mood")}
	mood := consumer.Signal{Name: "mood", Members: func(ctx context.Context, members []strategy.Member) (map[string]float64, error) {
		if len(members) == 1 && s.tries.Load() > 2 && slow.CompareAndSwap(false, true) {
			close(measuring)
			<-ctx.Done()
		}
		answer := map[string]float64{}
		for _, m := range members {
			answer[m.ID] = 1
		}
		return answer, nil
	}}
	cfg := signalConfig(cluster, s, mood)
	cfg.Signals.HoldDown = time.Hour
	a := start(t, "a", cfg, nil)
	a.waitOwned(2)
	<-measuring
	tries := s.tries.Load()
	b := start(t, "b", cfg, nil)
	a.waitOwned(1)
	b.waitOwned(1)
	if n := s.tries.Load(); n > tries {
		t.Errorf("the group as it was before is tried %d times", n-tries)
	}
}

// A watched one counts how often it is asked about a group of one.
type watched struct {
	*seer
	tries atomic.Int64
}

func (w *watched) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	if len(g.Members) == 1 {
		w.tries.Add(1)
	}
	return w.seer.Assign(ctx, g)
}

// TestTriesOfAChainThatHangs has the first of several assignors hang always, so that another one decides. It is tried once, too.
func TestTriesOfAChainThatHangs(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
	s := &stuck{seer: newSeer("mood"), forever: make(chan struct{})}
	defer close(s.forever)
	var calls atomic.Int64
	chain := strategy.Fallback(s, strategy.Cooperative(sticky.Assignor{}))
	chain.Timeout = 20 * time.Millisecond
	cfg := signalConfig(cluster, chain, consumer.Signal{Name: "mood", Partitions: func(context.Context, []strategy.Topic) (map[string][]float64, error) {
		calls.Add(1)
		return map[string][]float64{"orders": {1, 2}}, nil
	}})
	cfg.Signals.HoldDown = time.Hour
	a := start(t, "a", cfg, nil)
	a.waitOwned(2)
	embeddedtest.Eventually(t, "measurements", func() bool { return calls.Load() > 10 })
	if n := s.asked.Load(); n != 2 {
		t.Errorf("it was asked %d times, for one plan", n)
	}
	a.closes()
}

type stuck struct {
	*seer
	forever chan struct{}
	asked   atomic.Int64
}

func (s *stuck) Assign(context.Context, *strategy.Group) (strategy.Assignment, error) {
	s.asked.Add(1)
	<-s.forever
	return strategy.Assignment{}, nil
}
