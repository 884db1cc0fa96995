package metrics

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/strategy"
)

// prefix begins the names of all metrics.
const prefix = "assignkit_consumer_"

// errNoGroup is what registering a collector without a group fails with.
var errNoGroup = errors.New("metrics: no group name; set Config.Group to that of the consumer")

// Config says whose metrics they are.
type Config struct {
	Group string // the consumer's; needed
	// Client tells consumers of one group apart that are registered in one process. It is better something that stays: every other value
	// makes new series. May be empty if there is only one, as Prometheus itself knows processes apart.
	Client string
}

// A Collector is the metrics of one consumer, or of several that run one after another. It is a [prometheus.Collector] and a
// [consumer.Observer], made by [New] and safe for concurrent use.
type Collector struct {
	cfg    Config
	events events
	gauges gauges

	mu       sync.Mutex
	consumer *consumer.Consumer // nil before Watch
	progress map[strategy.TopicPartition]progress
}

// New returns a collector. It is given to the consumer as its Observer, told of it with [Collector.Watch], and registered like any other.
//
// Register returns a [prometheus.AlreadyRegisteredError] if there is a collector of the same group and client, and another error if the
// configuration has no group.
func New(cfg Config) *Collector {
	cfg.Group = strings.ToValidUTF8(cfg.Group, "\uFFFD")
	cfg.Client = strings.ToValidUTF8(cfg.Client, "\uFFFD")
	labels := prometheus.Labels{"group": cfg.Group, "client": cfg.Client}
	return &Collector{cfg: cfg, events: newEvents(labels), gauges: newGauges(labels)}
}

// Watch says which consumer the metrics of partitions are about. It takes the place of one that was watched before, which must have
// ended. An error says that the consumer is not of the collector's group, or that the one before runs.
func (m *Collector) Watch(c *consumer.Consumer) error {
	if c == nil {
		return errors.New("metrics: no consumer to watch")
	}
	if group := strings.ToValidUTF8(c.Stats().Group, "\uFFFD"); group != m.cfg.Group {
		return fmt.Errorf("metrics: the consumer is of group %q, and Config.Group is %q", group, m.cfg.Group)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if before := m.consumer; before != nil && before != c && runs(before) {
		return fmt.Errorf("metrics: another consumer of group %q is watched and runs; give each a Collector, with a Config.Client of its own", m.cfg.Group)
	}
	if m.consumer != c {
		m.consumer, m.progress = c, nil
	}
	return nil
}

func runs(c *consumer.Consumer) bool {
	state := c.Stats().State
	return state != membership.Down.String() && state != membership.Ended.String()
}

// Describe is for the registry.
func (m *Collector) Describe(out chan<- *prometheus.Desc) {
	if m.cfg.Group == "" {
		out <- prometheus.NewInvalidDesc(errNoGroup)
		return
	}
	m.events.describe(out)
	m.gauges.describe(out)
}

// Collect is for the registry. It asks no broker, and waits for nothing.
func (m *Collector) Collect(out chan<- prometheus.Metric) {
	m.events.collect(out)
	m.mu.Lock()
	c := m.consumer
	m.mu.Unlock()
	if c != nil {
		stats := c.Stats()
		m.show(out, &stats, time.Now())
	}
}

// show collects what is known of the consumer at a time.
func (m *Collector) show(out chan<- prometheus.Metric, s *consumer.Stats, now time.Time) {
	m.mu.Lock()
	m.progress = follow(m.progress, s, now)
	moved := m.progress // which is not changed any more
	m.mu.Unlock()
	m.gauges.collect(out, s, moved)
}

// Observe counts what happens. It is for the consumer.
func (m *Collector) Observe(e consumer.Event) { m.events.count(e) }

var (
	_ prometheus.Collector = (*Collector)(nil)
	_ consumer.Observer    = (*Collector)(nil)
)
