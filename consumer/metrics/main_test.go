package metrics_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/consumer/metrics"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// A member is a consumer with its metrics in a registry of its own, as in a process of its own.
type member struct {
	*consumer.Consumer
	t       *testing.T
	metrics *metrics.Collector
	reg     *prometheus.Registry
}

// config is one for tests: what is slow for good reason elsewhere is quick.
func config(brokers []string, group string, topics ...string) consumer.Config {
	return consumer.Config{
		Brokers: brokers, Group: group, Topics: topics,
		HeartbeatInterval: 50 * time.Millisecond, CommitInterval: 50 * time.Millisecond, TopicInterval: 100 * time.Millisecond,
		Logger: slog.New(slog.DiscardHandler),
	}
}

// start runs a member until the test ends. A nil handler accepts everything.
func start(t *testing.T, client string, cfg consumer.Config, h consumer.Handler) *member {
	t.Helper()
	m := &member{t: t, metrics: metrics.New(metrics.Config{Group: cfg.Group, Client: client}), reg: prometheus.NewPedanticRegistry()}
	cfg.Observer = m.metrics
	var err error
	if m.Consumer, err = consumer.New(cfg); err != nil {
		t.Fatal(err)
	}
	if err := m.metrics.Watch(m.Consumer); err != nil {
		t.Fatal(err)
	}
	if err := m.reg.Register(m.metrics); err != nil {
		t.Fatal(err)
	}
	if h == nil {
		h = func(context.Context, *consumer.Message) error { return nil }
	}
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	go func() { ended <- m.Run(ctx, h) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("%s: Run returned %v", client, err)
		}
	})
	return m
}

// series returns the values of a metric, by its labels other than group and client.
func (m *member) series(name string) map[string]float64 { return series(m.t, m.reg, name) }

func series(t *testing.T, from prometheus.Gatherer, name string) map[string]float64 {
	t.Helper()
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range families {
		if f.GetName() != "assignkit_consumer_"+name {
			continue
		}
		for _, s := range f.GetMetric() {
			value := s.GetGauge().GetValue() + s.GetCounter().GetValue() + float64(s.GetHistogram().GetSampleCount()) // one of which it is
			values[labels(s.GetLabel())] = value
		}
	}
	return values
}

// named is a label.
type named interface {
	GetName() string
	GetValue() string
}

// labels is a series' labels, but for those that all series have.
func labels[L named](list []L) string {
	var by []string
	for _, l := range list {
		if l.GetName() != "group" && l.GetName() != "client" {
			by = append(by, l.GetName()+"="+l.GetValue())
		}
	}
	return strings.Join(by, " ")
}

// partitions returns which series of partitions there are, of all metrics.
func (m *member) partitions() []string {
	m.t.Helper()
	families, err := m.reg.Gather()
	if err != nil {
		m.t.Fatal(err)
	}
	var list []string
	for _, f := range families {
		for _, s := range f.GetMetric() {
			by := map[string]string{}
			for _, l := range s.GetLabel() {
				by[l.GetName()] = l.GetValue()
			}
			if p, ok := by["partition"]; ok {
				list = append(list, by["topic"]+"-"+p)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// owned returns the partitions that the consumer has, as partitions does.
func (m *member) owned() (list []string) {
	for _, tp := range m.Owned() {
		for _, p := range tp.Partitions {
			list = append(list, fmt.Sprintf("%s-%d", tp.Topic, p))
		}
	}
	return list
}
