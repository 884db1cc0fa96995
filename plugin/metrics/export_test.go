package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assignkit/assignkit/plugin"
)

// Shown shows plugins as they are said to do at a time.
type Shown struct {
	Stats []plugin.Stats
	Now   time.Time
}

// Describe is that of a Collector.
func (s Shown) Describe(out chan<- *prometheus.Desc) { New(nil).Describe(out) }

// Collect is that of a Collector.
func (s Shown) Collect(out chan<- prometheus.Metric) {
	m := New(nil)
	for i := range s.Stats {
		m.show(out, &s.Stats[i], s.Now)
	}
}
