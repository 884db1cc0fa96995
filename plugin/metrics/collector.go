package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assignkit/assignkit/plugin"
)

// prefix begins the names of all metrics.
const prefix = "assignkit_plugin_"

// A Collector is the metrics of a catalog's plugins. It is a [prometheus.Collector], made by [New] and safe for concurrent use.
type Collector struct {
	catalog *plugin.Catalog

	info, running, starts, answers, failures, lastFailure, backoff, assign *prometheus.Desc
}

// New returns a collector, which is registered like any other. One process has one catalog; with several, register each collector with
// [prometheus.WrapRegistererWith] and a label that tells them apart.
func New(catalog *plugin.Catalog) *Collector {
	desc := func(name, help string, by ...string) *prometheus.Desc {
		return prometheus.NewDesc(prefix+name, help, append([]string{"plugin"}, by...), nil)
	}
	return &Collector{
		catalog:     catalog,
		info:        desc("info", "1, with the version of the process that was started last.", "version"),
		running:     desc("running", "1 if there is a process of the plugin, 0 if not: it is started when it is asked something."),
		starts:      desc("starts_total", "Processes of the plugin that got ready."),
		answers:     desc("answers_total", "Calls that the plugin has answered, if with an error."),
		failures:    desc("failures_total", "Times that the plugin crashed, did not answer in time, answered nonsense or could not be started, by cause.", "cause"),
		lastFailure: desc("last_failure_timestamp_seconds", "When it last did."),
		backoff:     desc("backoff_seconds", "Time for which the plugin is still left alone after failures, 0 if it may be started."),
		assign:      desc("assign_duration_seconds", "Time that calls of Assign took, with or without an answer, starts of the plugin included."),
	}
}

// Describe is for the registry.
func (m *Collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.info, m.running, m.starts, m.answers, m.failures, m.lastFailure, m.backoff, m.assign} {
		out <- d
	}
}

// Collect is for the registry. It asks no plugin, and waits for nothing.
func (m *Collector) Collect(out chan<- prometheus.Metric) {
	now := time.Now()
	for _, s := range m.catalog.Stats() {
		m.show(out, &s, now)
	}
}

// show collects what is known of one plugin at a time.
func (m *Collector) show(out chan<- prometheus.Metric, s *plugin.Stats, now time.Time) {
	gauge := func(d *prometheus.Desc, value float64, by ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, append([]string{s.Plugin}, by...)...)
	}
	counter := func(d *prometheus.Desc, value int64, by ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), append([]string{s.Plugin}, by...)...)
	}
	if s.Version != "" {
		gauge(m.info, 1, s.Version)
	}
	running := 0.0
	if s.Running {
		running = 1
	}
	gauge(m.running, running)
	counter(m.starts, s.Starts)
	counter(m.answers, s.Answers)
	for _, f := range []struct {
		cause string
		n     int64
	}{
		{"refused", s.Causes.Refused}, {"start", s.Causes.Start}, {"crash", s.Causes.Crash}, {"unresponsive", s.Causes.Unresponsive},
		{"answer", s.Causes.Answer}, {"other", s.Causes.Other},
	} {
		counter(m.failures, f.n, f.cause) // each from the start, so that the first one is seen as an increase
	}
	if !s.LastFailureTime.IsZero() {
		gauge(m.lastFailure, float64(s.LastFailureTime.UnixMilli())/1000)
	}
	gauge(m.backoff, max(0, s.Retry.Sub(now)).Seconds())
	out <- prometheus.MustNewConstSummary(m.assign, uint64(s.Assigns), s.AssignTime.Seconds(), nil, s.Plugin)
}

var _ prometheus.Collector = (*Collector)(nil)
