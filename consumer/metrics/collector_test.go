package metrics_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/consumer/metrics"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
)

func TestRegister(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	if err := reg.Register(metrics.New(metrics.Config{})); err == nil || !strings.Contains(err.Error(), "Config.Group") {
		t.Errorf("a collector without a group: %v", err)
	}
	for _, cfg := range []metrics.Config{{Group: "g"}, {Group: "g", Client: "a"}, {Group: "g", Client: "b"}, {Group: "h", Client: "a"}, {Group: "\xff\xfe", Client: "\xff"}} {
		if err := reg.Register(metrics.New(cfg)); err != nil {
			t.Errorf("%+v: %v", cfg, err)
		}
		err := reg.Register(metrics.New(cfg))
		if _, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); !ok {
			t.Errorf("%+v again: %v", cfg, err)
		}
	}
	if _, err := reg.Gather(); err != nil {
		t.Error(err)
	}
}

func TestWatch(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 1})
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), nil)
	embeddedtest.Eventually(t, "it has its partition", func() bool { return a.series("assigned_partitions")["topic=orders"] == 1 })
	other := func(group string) *consumer.Consumer {
		c, err := consumer.New(config(cluster.Addrs(), group, "orders"))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if err := a.metrics.Watch(a.Consumer); err != nil {
		t.Errorf("the same again: %v", err)
	}
	if err := a.metrics.Watch(nil); err == nil {
		t.Error("no consumer was accepted")
	}
	if err := a.metrics.Watch(other("h")); err == nil || !strings.Contains(err.Error(), `"h"`) {
		t.Errorf("another group: %v", err)
	}
	if err := a.metrics.Watch(other("g")); err == nil || !strings.Contains(err.Error(), "Config.Client") {
		t.Errorf("another consumer while this one runs: %v", err)
	}
	a.Close()
	next := other("g")
	if err := a.metrics.Watch(next); err != nil {
		t.Errorf("another consumer when this one has ended: %v", err)
	}
	if got := a.series("member_state"); got["state=down"] != 1 {
		t.Errorf("the state of a consumer that has not run is %v", got)
	}
}

// TestWithoutWatch has a collector that knows of no consumer count all the same.
func TestWithoutWatch(t *testing.T) {
	m := metrics.New(metrics.Config{Group: "g"})
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(m)
	m.Observe(consumer.CoordinatorLost{})
	if got := series(t, reg, "coordinator_losses_total"); got[""] != 1 {
		t.Errorf("%v", got)
	}
	if got := series(t, reg, "member_state"); len(got) > 0 {
		t.Errorf("the state of no consumer is %v", got)
	}
}

// TestTwoInOneProcess has two members of a group in one registry.
func TestTwoInOneProcess(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 2})
	a := start(t, "a", config(cluster.Addrs(), "g", "orders"), nil)
	b := start(t, "b", config(cluster.Addrs(), "g", "orders"), nil)
	reg := prometheus.NewPedanticRegistry()
	for _, m := range []*member{a, b} {
		if err := reg.Register(m.metrics); err != nil {
			t.Fatal(err)
		}
	}
	embeddedtest.Eventually(t, "each has one", func() bool {
		families, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		ones := 0
		for _, f := range families {
			for _, s := range f.GetMetric() {
				if f.GetName() == "assignkit_consumer_assigned_partitions" && s.GetGauge().GetValue() == 1 {
					ones++
				}
			}
		}
		return ones == 2
	})
}

// TestReadAtAnyTime reads metrics from many goroutines while a consumer begins, works and ends.
func TestReadAtAnyTime(t *testing.T) {
	cluster := embeddedtest.Start(t, embedded.Options{}, embedded.Topic{Name: "orders", Partitions: 3, Records: []int{500}})
	cfg := config(cluster.Addrs(), "g", "orders")
	m := metrics.New(metrics.Config{Group: "g"})
	cfg.Observer = m
	c, err := consumer.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Watch(c); err != nil {
		t.Fatal(err)
	}
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(m)
	ended := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				if _, err := reg.Gather(); err != nil {
					t.Error(err)
					return
				}
				select {
				case <-ended:
					return
				default:
				}
			}
		})
	}
	handled := make(chan struct{}, 1500)
	ran := make(chan error, 1)
	go func() {
		ran <- c.Run(context.WithoutCancel(t.Context()), func(context.Context, *consumer.Message) error {
			handled <- struct{}{}
			return nil
		})
	}()
	for range 1500 {
		<-handled
	}
	c.Close()
	if err := <-ran; err != nil {
		t.Error(err)
	}
	close(ended)
	readers.Wait()
	if got := series(t, reg, "member_state"); got["state=ended"] != 1 {
		t.Errorf("the state of a consumer that has ended is %v", got)
	}
	if got := series(t, reg, "assigned_partitions"); len(got) != 1 || got["topic=orders"] != 0 {
		t.Errorf("a consumer that has ended has %v", got)
	}
	moved := series(t, reg, "moved_partitions_total")
	if moved["change=assigned"] != 3 || moved["change=revoked"] != 3 || moved["change=lost"] != 0 {
		t.Errorf("%v", moved)
	}
}
