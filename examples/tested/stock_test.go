package main

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/IBM/sarama"
	"go.uber.org/goleak"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/consumer/consumertest"
	"github.com/assignkit/assignkit/strategy"
)

func TestMain(m *testing.M) {
	// Sarama's metrics share one goroutine for all clients of a process, for ever.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/rcrowley/go-metrics.(*meterArbiter).tick"))
}

// TestCallbacks takes the callbacks through all that can happen to them, without a cluster. As it is told how records are handled and what
// is kept, it also checks that every movement is counted once, whatever happens.
func TestCallbacks(t *testing.T) {
	consumertest.TestCallbacks(t, func(*consumertest.Host) consumertest.Subject {
		k := newStock(newStore())
		return consumertest.Subject{
			Callbacks: k.levels,
			State: func(p strategy.TopicPartition) (string, bool) {
				l, ok := k.levels.Get(p)
				if !ok {
					return "", false
				}
				return fmt.Sprint(l.of), true
			},
			Handle: func(p strategy.TopicPartition, offset int64) error {
				return k.handle(t.Context(), consumer.MessageOf(&sarama.ConsumerMessage{
					Topic: p.Topic, Partition: p.Partition, Offset: offset, Key: []byte("bolts"), Value: []byte("1"),
				}))
			},
		}
	})
}

// newCluster starts a cluster for the application.
func newCluster(t *testing.T) *consumertest.Cluster {
	return consumertest.NewCluster(t, consumertest.Config{Topics: map[string]int32{"movements": 4}, Brokers: 3})
}

// start runs the application as a process does, until stop is called.
func start(t *testing.T, c *consumertest.Cluster, s *store) (stop func()) {
	t.Helper()
	k := newStock(s)
	member, err := consumer.New(c.Prepare(k.config()))
	if err != nil {
		t.Fatal(err)
	}
	result := make(chan error, 1)
	go func() { result <- member.Run(context.Background(), k.handle) }()
	return func() {
		member.Stop()
		if err := <-result; err != nil {
			t.Error(err)
		}
	}
}

// deliver makes a movement of one bolt in each partition.
func deliver(t *testing.T, c *consumertest.Cluster) {
	t.Helper()
	for p := range int32(4) {
		c.Produce(t, consumertest.Record{Topic: "movements", Partition: p, Key: "bolts", Value: "1"})
	}
}

// handled waits until so many movements of each partition were handled, by whoever has it.
func handled(t *testing.T, c *consumertest.Cluster, n int64) {
	t.Helper()
	c.Wait(t, fmt.Sprint(n, " movements of each partition are handled"), func() bool {
		committed := c.Committed(t, "stock")
		for p := range int32(4) {
			if committed[strategy.TopicPartition{Topic: "movements", Partition: p}].Offset != n {
				return false
			}
		}
		return true
	})
}

// TestDeploy has a second process come and the first one go, with movements all the while.
func TestDeploy(t *testing.T) {
	c, s := newCluster(t), newStore()
	stopFirst := start(t, c, s)
	c.Settle(t, 1)
	deliver(t, c)
	stopSecond := start(t, c, s)
	deliver(t, c)
	c.Settle(t, 2)
	deliver(t, c)
	stopFirst()
	deliver(t, c)
	c.Settle(t, 1)
	handled(t, c, 4)
	stopSecond()
	if n := s.level("bolts"); n != 16 {
		t.Errorf("%d bolts, want 16", n)
	}
}

// TestExpired has the process lose its session: what it has not saved, it or another one counts again.
func TestExpired(t *testing.T) {
	c, s := newCluster(t), newStore()
	stop := start(t, c, s)
	c.Settle(t, 1)
	deliver(t, c)
	handled(t, c, 1)
	c.Expire(t)
	deliver(t, c)
	handled(t, c, 2)
	stop()
	if n := s.level("bolts"); n != 8 {
		t.Errorf("%d bolts, want 8", n)
	}
}

// TestCoordinatorDies has nothing happen to the application.
func TestCoordinatorDies(t *testing.T) {
	c, s := newCluster(t), newStore()
	stop := start(t, c, s)
	c.Settle(t, 1)
	deliver(t, c)
	c.KillCoordinator(t)
	deliver(t, c)
	handled(t, c, 2)
	stop()
	if n := s.level("bolts"); n != 8 {
		t.Errorf("%d bolts, want 8", n)
	}
}

// TestShow runs the example.
func TestShow(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), "", &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != "bolts: 75 nuts: 72\n" {
		t.Errorf("it printed %q", out.String())
	}
}
