//go:build unix

package plugin

import (
	"context"
	"flag"
	"math/rand/v2"
	"reflect"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

var (
	killRebalances = flag.Int("kills.rebalances", 1000, "how many rebalances TestKills makes while it kills the plugin")
	killSeed       = flag.Uint64("kills.seed", 1, "when TestKills kills the plugin")
)

// TestKills has a plugin killed at random moments: between calls, in the middle of them and while it starts.
func TestKills(t *testing.T) {
	linuxOnly(t)
	s := newStage(t)
	a := s.plugin(t, Config{StartTimeout: patience, CallTimeout: patience}, "sticky")
	fallbacks := 0
	assignor := &strategy.FallbackAssignor{
		First: a, Then: []strategy.Assignor{second{}}, Timeout: patience, Logger: a.supervisor.log,
		OnFailure: func(strategy.Failure) { fallbacks++ },
	}
	random := rand.New(rand.NewPCG(*killSeed, 0))
	var killing sync.WaitGroup
	kills := 0
	for i := range *killRebalances {
		if random.IntN(8) == 0 {
			kills++
			after := time.Duration(random.Int64N(int64(2 * time.Millisecond)))
			killing.Go(func() {
				time.Sleep(after)
				for _, pid := range children() {
					n, _ := strconv.Atoi(pid)
					_ = syscall.Kill(n, syscall.SIGKILL)
				}
			})
		}
		g := randomGroup(random, int32(i))
		before := fallbacks
		got, err := assignor.Assign(context.Background(), g)
		if err != nil {
			t.Fatalf("rebalance %d failed: %v", i, err)
		}
		if err := strategy.Validate(g, &got, strategy.ProtocolOf(a)); err != nil {
			t.Fatalf("the plan of rebalance %d is invalid: %v", i, err)
		}
		if fallbacks == before {
			if want, _ := (sticky.Assignor{}).Assign(context.Background(), g); !reflect.DeepEqual(got, want) {
				t.Fatalf("rebalance %d: the plugin answered %v, and sticky %v", i, got, want)
			}
		}
	}
	killing.Wait()
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	stats := a.Stats()
	t.Logf("%d rebalances, %d kills, %d answered by the plugin, %d by the fallback; %d starts, %d failures",
		*killRebalances, kills, *killRebalances-fallbacks, fallbacks, stats.Starts, stats.Failures)
	if fallbacks > *killRebalances/2 {
		t.Errorf("the plugin answered only %d of %d", *killRebalances-fallbacks, *killRebalances)
	}
	s.gone(t)
}

func randomGroup(random *rand.Rand, generation int32) *strategy.Group {
	g := &strategy.Group{Name: "g", Generation: generation, Leader: "m0", Topics: []strategy.Topic{{Name: "t", Partitions: 1 + random.Int32N(200)}}}
	for i := range 1 + random.IntN(20) {
		g.Members = append(g.Members, strategy.Member{ID: "m" + strconv.Itoa(i), Topics: []string{"t"}, Generation: strategy.NoGeneration})
	}
	return g
}
