package consumer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
)

// stalling is a configuration under which nothing but a restart of reading helps against a broker that does not answer.
func stalling(cluster *embedded.Cluster) (consumer.Config, *embeddedtest.Network) {
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Sarama = sarama.NewConfig()
	cfg.Sarama.Consumer.MaxWaitTime = 50 * time.Millisecond
	cfg.StalledAfter = 500 * time.Millisecond
	return cfg, embeddedtest.Through(cfg.Sarama)
}

// TestStalledReadingIsBegunAnew has a broker that swallows its answers, on connections that stay open.
func TestStalledReadingIsBegunAnew(t *testing.T) {
	for _, handler := range []string{"ours", "Sarama's"} {
		t.Run(handler, func(t *testing.T) {
			cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2, Records: []int{5}})
			cfg, net := stalling(cluster)
			var a *member
			if handler == "ours" {
				a = start(t, "a", cfg, nil)
			} else {
				s := saramaHandlerNew(t, "a", cfg)
				s.start()
				a = s.member
			}
			a.waitRecords(10)
			net.Mute(false)
			for p := range int32(2) {
				embeddedtest.Produce(t, cluster, "orders", p, 5)
			}
			a.waitRecords(20)
			inOrder(t, a.handled())
			a.sees("the restart", func(e consumer.Event) bool {
				r, ok := e.(consumer.FetchRestarted)
				return ok && r.Partition.Topic == "orders" && r.Next == 5 && r.For >= cfg.StalledAfter
			})
			a.becomesReady()
			a.closes()
			if n := len(a.handled()); n != 20 {
				t.Errorf("%d records were handled; want 20", n)
			}
		})
	}
}

func TestReadyStalled(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{5}})
	cfg, net := stalling(cluster)
	a := start(t, "a", cfg, nil)
	a.waitRecords(5)
	if err := a.Ready(); err != nil {
		t.Error(err)
	}
	net.Mute(true)
	a.sees("the restart", func(e consumer.Event) bool { _, ok := e.(consumer.FetchRestarted); return ok })
	if err := a.Ready(); err == nil || !strings.Contains(err.Error(), "orders-0 is not read") {
		t.Errorf("ready: %v", err)
	}
	a.closes()
}

// TestFullIsNotStalled has a handler that takes long: nobody reads then, and nothing is wrong.
func TestFullIsNotStalled(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 1, Records: []int{50}})
	cfg, _ := stalling(cluster)
	cfg.StalledAfter, cfg.PartitionBuffer = 100*time.Millisecond, 1
	release := make(chan struct{})
	a := start(t, "a", cfg, blocking(release))
	a.polls("its buffer to be full", func() bool {
		list := a.Stats().Partitions
		return len(list) == 1 && list[0].Buffered >= cfg.PartitionBuffer
	})
	restarts := func() (n int) {
		a.mu.Lock()
		defer a.mu.Unlock()
		for _, e := range a.events {
			if _, ok := e.(consumer.FetchRestarted); ok {
				n++
			}
		}
		return n
	}
	before := restarts() // on a busy machine the first record may take long
	time.Sleep(5 * cfg.StalledAfter)
	if err := a.Ready(); err != nil {
		t.Error(err)
	}
	if now := restarts(); now > before {
		t.Errorf("it was begun anew %d times", now-before)
	}
	close(release)
	a.waitRecords(50)
}
