package metrics

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/strategy"
)

// Values of labels. Whatever is none of them is counted as other.
var (
	callbackValues = []string{"assign", "revoke", lost, other}
	changeValues   = []string{"assigned", "revoked", lost}
	nextValues     = []string{"retry", "dead_letter", "skip", "stop", other}
	stuckValues    = []string{kept, lost}
	causeValues    = causes()
)

const (
	other = "other"
	kept  = "kept"
	lost  = "lost"
)

// seconds are the bounds of histograms: from a callback that has nothing to do to a group that has come to a standstill.
var seconds = []float64{0.001, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 300}

// events is what is counted. Prometheus' own counters do that: they only grow, and are safe for concurrent use.
type events struct {
	rebalances       *prometheus.CounterVec
	rebalanceSeconds prometheus.Histogram
	moved            *prometheus.CounterVec
	callbackSeconds  *prometheus.HistogramVec
	callbackFailures *prometheus.CounterVec
	callbackBlocked  *prometheus.CounterVec
	commitFailures   prometheus.Counter
	handlerFailures  *prometheus.CounterVec
	handlerStuck     *prometheus.CounterVec
	drainTimeouts    prometheus.Counter

	readFailures, fetchRestarts, brokerFailures, leaderMoves prometheus.Counter
	outOfRange, topicsRecreated                              prometheus.Counter
	assignorFailures, coordinatorLosses                      prometheus.Counter
	signalFailures, signalsMissing                           prometheus.Counter
}

func newEvents(labels prometheus.Labels) events {
	one := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: prefix + name, Help: help, ConstLabels: labels})
	}
	// Series are there from the start, so that the first event is seen as an increase.
	many := func(name, help, label string, values []string) *prometheus.CounterVec {
		vec := prometheus.NewCounterVec(prometheus.CounterOpts{Name: prefix + name, Help: help, ConstLabels: labels}, []string{label})
		for _, v := range values {
			vec.WithLabelValues(v)
		}
		return vec
	}
	timed := func(name, help string) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Name: prefix + name, Help: help, ConstLabels: labels, Buckets: seconds}
	}
	e := events{
		rebalances:       many("rebalances_total", "Rebalances that are over for this member, by why it joined.", "reason", causeValues),
		rebalanceSeconds: prometheus.NewHistogram(timed("rebalance_duration_seconds", "Time from the first sign of a rebalance until its callbacks had returned.")),
		moved:            many("moved_partitions_total", "Partitions that the application was told of, as assigned, revoked or lost.", "change", changeValues),
		callbackSeconds:  prometheus.NewHistogramVec(timed("callback_duration_seconds", "Time that callbacks took."), []string{"callback"}),
		callbackFailures: many("callback_failures_total", "Callbacks that returned an error, panicked or were given up.", "callback", callbackValues),
		callbackBlocked: many("callback_blocked_total",
			"Times that a callback was reported to keep the group waiting, for half of the rebalance timeout or longer.", "callback", callbackValues),
		commitFailures:    one("commit_failures_total", "Partitions whose offset was not committed, and will not be tried again; automatic commits only."),
		handlerFailures:   many("handler_failures_total", "Failures of handlers, by what was done next.", "next", nextValues),
		handlerStuck:      many("handler_stuck_total", "Handlers that were reported as not returning, by whether their partition was kept, or lost for it.", "outcome", stuckValues),
		drainTimeouts:     one("drain_timeouts_total", "Handlers that were cancelled because they did not return in time when their partition was revoked."),
		readFailures:      one("read_failures_total", "Times that a partition could no longer be read."),
		fetchRestarts:     one("fetch_restarts_total", "Times that reading a partition was begun anew, as it had come to a standstill."),
		brokerFailures:    one("broker_failures_total", "Times that a broker could no longer be read from."),
		leaderMoves:       one("leader_moves_total", "Times that another broker came to lead a partition."),
		outOfRange:        one("offset_out_of_range_total", "Times that the offset to read was not in the log."),
		topicsRecreated:   one("topics_recreated_total", "Times that a topic was found deleted and made anew."),
		assignorFailures:  one("assignor_failures_total", "Answers of assignors that were not used, while this member led the group."),
		signalFailures:    one("signal_failures_total", "Times that a signal could no longer be measured, wholly or in part."),
		signalsMissing:    one("signals_missing_total", "Signals that plans were made without, wholly or in part, while this member led the group."),
		coordinatorLosses: one("coordinator_losses_total", "Times that the coordinator of the group could no longer be reached, or had moved."),
	}
	for _, v := range callbackValues {
		e.callbackSeconds.WithLabelValues(v)
	}
	return e
}

func (e *events) all() []prometheus.Collector {
	return []prometheus.Collector{
		e.rebalances, e.rebalanceSeconds, e.moved, e.callbackSeconds, e.callbackFailures, e.callbackBlocked, e.commitFailures, e.handlerFailures,
		e.handlerStuck, e.drainTimeouts, e.readFailures, e.fetchRestarts, e.brokerFailures, e.leaderMoves, e.outOfRange, e.topicsRecreated,
		e.assignorFailures, e.coordinatorLosses, e.signalFailures, e.signalsMissing,
	}
}

func (e *events) describe(out chan<- *prometheus.Desc) {
	for _, c := range e.all() {
		c.Describe(out)
	}
}

func (e *events) collect(out chan<- prometheus.Metric) {
	for _, c := range e.all() {
		c.Collect(out)
	}
}

// count takes an event. Events that it does not know, or that are not whole, count for nothing.
func (e *events) count(event consumer.Event) {
	switch v := event.(type) {
	case consumer.RebalanceEnded:
		e.rebalances.WithLabelValues(oneOf(v.Cause, causeValues)).Inc()
		e.rebalanceSeconds.Observe(positive(v.Took))
	case consumer.CallbackReturned:
		e.returned(&v)
	case consumer.CallbackBlocked:
		e.callbackBlocked.WithLabelValues(oneOf(v.Callback, callbackValues)).Inc()
	case consumer.CommitFailed:
		if v.Err != nil {
			e.commitFailures.Add(float64(len(v.Err.Failed)))
		}
	case consumer.HandlerFailed:
		e.handlerFailures.WithLabelValues(oneOf(strings.ReplaceAll(v.Next, " ", "_"), nextValues)).Inc()
	case consumer.HandlerStuck:
		was := kept
		if v.Lost {
			was = lost
		}
		e.handlerStuck.WithLabelValues(was).Inc()
	case consumer.HandlerCancelled:
		e.drainTimeouts.Inc()
	case consumer.AssignorFailed:
		e.assignorFailures.Inc()
	case consumer.SignalTrouble:
		if v.Err != nil {
			e.signalFailures.Inc()
		}
	case consumer.SignalMissing:
		e.signalsMissing.Inc()
	case consumer.CoordinatorLost:
		e.coordinatorLosses.Inc()
	default:
		e.countReading(event)
	}
}

// countReading is count of what is about brokers and logs.
func (e *events) countReading(event consumer.Event) {
	switch v := event.(type) {
	case consumer.ReadTrouble:
		if v.Err != nil {
			e.readFailures.Inc()
		}
	case consumer.BrokerTrouble:
		if v.Err != nil {
			e.brokerFailures.Inc()
		}
	case consumer.FetchRestarted:
		e.fetchRestarts.Inc()
	case consumer.LeaderMoved:
		e.leaderMoves.Inc()
	case consumer.OffsetOutOfRange:
		e.outOfRange.Inc()
	case consumer.TopicRecreated:
		e.topicsRecreated.Inc()
	}
}

// returned counts a callback, and the partitions that it was about: these are what the application has seen come and go, also when the member
// leaves, which no rebalance tells.
func (e *events) returned(c *consumer.CallbackReturned) {
	callback := oneOf(c.Callback, callbackValues)
	e.callbackSeconds.WithLabelValues(callback).Observe(positive(c.Took))
	if c.Err != nil {
		e.callbackFailures.WithLabelValues(callback).Inc()
	}
	change := map[string]string{"assign": "assigned", "revoke": "revoked", lost: lost}[callback]
	if change != "" {
		e.moved.WithLabelValues(change).Add(float64(strategy.Count(c.Partitions)))
	}
}

// count returns the number of partitions in a list.
// positive is a duration in seconds. A clock that went back makes none of less than 0, which would make a sum shrink.
func positive(d time.Duration) float64 { return max(0, d).Seconds() }

func causes() (values []string) {
	for _, c := range membership.Causes {
		values = append(values, string(c))
	}
	return values
}

func oneOf(value string, values []string) string {
	for _, v := range values {
		if v == value {
			return v
		}
	}
	return other
}
