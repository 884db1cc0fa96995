package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assignkit/assignkit/consumer"
)

// Reasons are the values of the label reason.
var Reasons = causeValues

// At is a collector that shows what it is given, at the time that it is given.
type At struct {
	*Collector
	Stats consumer.Stats
	Now   time.Time
}

// Collect is the collector's, but for where the numbers come from.
func (a *At) Collect(out chan<- prometheus.Metric) {
	a.events.collect(out)
	a.show(out, &a.Stats, a.Now)
}
