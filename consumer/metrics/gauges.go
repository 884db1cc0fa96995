package metrics

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/strategy"
)

// gauges are what is read from the consumer whenever metrics are read. Nothing is kept from one time to the next, so nothing can drift.
type gauges struct {
	assigned, state                                                 *prometheus.Desc
	lag, position, uncommitted, lastProgress, lastFetched, buffered *prometheus.Desc
}

func newGauges(labels prometheus.Labels) gauges {
	desc := func(name, help string, by ...string) *prometheus.Desc {
		return prometheus.NewDesc(prefix+name, help, by, labels)
	}
	return gauges{
		assigned: desc("assigned_partitions", "Partitions of a subscribed topic that the member has.", "topic"),
		state:    desc("member_state", "1 for what the member does about its group, 0 for what it does not.", "state"),
		lag: desc("lag_records", "Offsets between the last record processed and the last one there is, as of the last answer of a broker.",
			"topic", "partition"),
		position:    desc("position", "Offset behind the last record processed.", "topic", "partition"),
		uncommitted: desc("uncommitted_records", "Offsets between the last one committed and the last record processed: what a crash would repeat.", "topic", "partition"),
		lastProgress: desc("last_progress_timestamp_seconds", "When the partition was last seen to have moved on, or to have nothing left to process.",
			"topic", "partition"),
		lastFetched: desc("last_fetch_timestamp_seconds", "When a broker last answered for the partition without an error.", "topic", "partition"),
		buffered:    desc("buffered_bytes", "Records of the partition that were read ahead or are in work.", "topic", "partition"),
	}
}

func (g *gauges) describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{g.assigned, g.state, g.lag, g.position, g.uncommitted, g.lastProgress, g.lastFetched, g.buffered} {
		out <- d
	}
}

func (g *gauges) collect(out chan<- prometheus.Metric, s *consumer.Stats, moved map[strategy.TopicPartition]progress) {
	gauge := func(d *prometheus.Desc, value float64, by ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, by...)
	}
	assigned := perTopic(s)
	for _, topic := range slices.Sorted(maps.Keys(assigned)) {
		gauge(g.assigned, float64(assigned[topic]), topic)
	}
	for state := membership.Down; state <= membership.Ended; state++ {
		value := 0.0
		if state.String() == s.State {
			value = 1
		}
		gauge(g.state, value, state.String())
	}
	for i := range s.Partitions {
		p := &s.Partitions[i]
		topic, partition := label(p.Partition.Topic), strconv.Itoa(int(p.Partition.Partition))
		if lag, known := p.Lag(); known {
			gauge(g.lag, float64(lag), topic, partition)
		}
		if p.Position >= 0 {
			gauge(g.position, float64(p.Position), topic, partition)
		}
		if p.Position >= 0 && p.Committed >= 0 {
			gauge(g.uncommitted, float64(max(0, p.Position-p.Committed)), topic, partition)
		}
		if m, known := moved[p.Partition]; known {
			gauge(g.lastProgress, timestamp(m.at), topic, partition)
		}
		if !p.Answered.IsZero() {
			gauge(g.lastFetched, timestamp(p.Answered), topic, partition)
		}
		gauge(g.buffered, float64(p.Buffered), topic, partition)
	}
}

// perTopic counts partitions. A topic of which the member has none is there with 0, so that one that nobody has can be noticed.
func perTopic(s *consumer.Stats) map[string]int {
	assigned := map[string]int{}
	for _, topic := range s.Topics {
		assigned[label(topic)] = 0
	}
	for _, tp := range s.Owned {
		assigned[label(tp.Topic)] += len(tp.Partitions)
	}
	return assigned
}

// label is a topic's name as a label, which has to be UTF-8. Every name that Kafka allows is.
func label(topic string) string { return strings.ToValidUTF8(topic, "\uFFFD") }

func timestamp(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
