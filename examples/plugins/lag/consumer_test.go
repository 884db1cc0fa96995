//go:build python

package lag

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/pythontest"
	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// TestConsumers has members of a group join and leave, whose leader asks the plugin, and no other assignor.
func TestConsumers(t *testing.T) {
	const partitions = 6
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: partitions})
	a := pythontest.Open(t, "lag")
	failures := make(chan strategy.Failure, 100)
	var members []*consumer.Consumer
	var results []chan error
	for _, n := range []int{1, 2, 3, 2} {
		for len(members) < n {
			c, result := join(t, cluster.Addrs(), a, failures)
			members, results = append(members, c), append(results, result)
		}
		for len(members) > n { // the first leads
			members[0].Stop()
			if err := <-results[0]; err != nil {
				t.Fatal(err)
			}
			members, results = members[1:], results[1:]
		}
		embeddedtest.Eventually(t, "partitions that are spread evenly", func() bool {
			total := 0
			for _, c := range members {
				have := strategy.Count(c.Owned())
				if total += have; have != partitions/n {
					return false
				}
			}
			return total == partitions
		})
	}
	select {
	case f := <-failures:
		t.Errorf("the plugin failed: %v", f)
	default:
	}
	if s := a.Stats(); s.Answers < 4 || s.Failures > 0 {
		t.Errorf("the plugin: %+v", s)
	}
}

// join starts a member. What its Run returns is sent to result.
func join(t *testing.T, brokers []string, a *plugin.Assignor, failures chan<- strategy.Failure) (c *consumer.Consumer, result chan error) {
	t.Helper()
	f := strategy.Fallback(pythontest.Kept{Assignor: a}, sticky.Assignor{})
	f.Timeout = time.Minute
	f.OnFailure = func(f strategy.Failure) { failures <- f }
	c, err := consumer.New(consumer.Config{
		Brokers: brokers, Group: "by-lag", Topics: []string{"orders"}, Assignors: []strategy.Assignor{f}, AssignTimeout: time.Minute,
		HeartbeatInterval: 100 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	result, ended := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(ended)
		result <- c.Run(ctx, func(context.Context, *consumer.Message) error { return nil })
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return c, result
}
