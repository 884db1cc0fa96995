package metrics_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"pgregory.net/rapid"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/consumer/metrics"
	"github.com/assignkit/assignkit/strategy"
)

func list(topic string, partitions ...int32) []strategy.TopicPartitions {
	return []strategy.TopicPartitions{{Topic: topic, Partitions: partitions}}
}

// failed is a commit's error for so many partitions.
func failed(n int) *callbacks.CommitError {
	e := &callbacks.CommitError{Failed: map[strategy.TopicPartition]error{}}
	for p := range n {
		e.Failed[strategy.TopicPartition{Topic: "orders", Partition: int32(p)}] = errors.New("no")
	}
	return e
}

// TestEvents has events of each kind, and what they add up to.
func TestEvents(t *testing.T) {
	for _, test := range []struct {
		name   string
		events []consumer.Event
		want   map[string]float64 // series of one metric that are not 0
	}{
		{"rebalances_total", []consumer.Event{
			consumer.RebalanceBegan{Cause: "topics"}, // is counted when it is over
			consumer.RebalanceEnded{Cause: "first_join"}, consumer.RebalanceEnded{Cause: "topics"},
			consumer.RebalanceEnded{Cause: "topics"}, consumer.RebalanceEnded{Cause: "lunch"}, consumer.RebalanceEnded{},
		}, map[string]float64{"reason=first_join": 1, "reason=topics": 2, "reason=other": 2}},
		{"rebalance_duration_seconds", []consumer.Event{consumer.RebalanceEnded{Took: time.Second}, consumer.RebalanceEnded{Took: time.Minute}},
			map[string]float64{"": 2}},
		{"moved_partitions_total", []consumer.Event{
			consumer.CallbackReturned{Callback: "assign", Partitions: append(list("orders", 0, 1), list("payments", 0)...)},
			consumer.CallbackReturned{Callback: "revoke", Partitions: list("orders", 1)},
			consumer.CallbackReturned{Callback: "lost", Partitions: list("orders", 0)},
			consumer.CallbackReturned{Callback: "siesta", Partitions: list("orders", 0)},
		}, map[string]float64{"change=assigned": 3, "change=revoked": 1, "change=lost": 1}},
		{"callback_duration_seconds", []consumer.Event{
			consumer.CallbackReturned{Callback: "assign"}, consumer.CallbackReturned{Callback: "revoke"}, consumer.CallbackReturned{Callback: "revoke"},
		}, map[string]float64{"callback=assign": 1, "callback=revoke": 2}},
		{"callback_failures_total", []consumer.Event{
			consumer.CallbackReturned{Callback: "assign"}, consumer.CallbackReturned{Callback: "revoke", Err: errors.New("no")},
		}, map[string]float64{"callback=revoke": 1}},
		{"callback_blocked_total", []consumer.Event{consumer.CallbackBlocked{Callback: "revoke"}, consumer.CallbackBlocked{Callback: "siesta"}},
			map[string]float64{"callback=revoke": 1, "callback=other": 1}},
		{"commit_failures_total", []consumer.Event{consumer.CommitFailed{Err: failed(3)}, consumer.CommitFailed{}}, map[string]float64{"": 3}},
		{"handler_failures_total", []consumer.Event{
			consumer.HandlerFailed{Next: "retry"}, consumer.HandlerFailed{Next: "retry"}, consumer.HandlerFailed{Next: "dead letter"},
			consumer.HandlerFailed{Next: "skip"}, consumer.HandlerFailed{Next: "stop"}, consumer.HandlerFailed{Next: "pray"},
		}, map[string]float64{"next=retry": 2, "next=dead_letter": 1, "next=skip": 1, "next=stop": 1, "next=other": 1}},
		{"handler_stuck_total", []consumer.Event{consumer.HandlerStuck{}, consumer.HandlerStuck{Lost: true}, consumer.HandlerReturned{}},
			map[string]float64{"outcome=kept": 1, "outcome=lost": 1}},
		{"drain_timeouts_total", []consumer.Event{consumer.HandlerStuck{Lost: true}, consumer.HandlerCancelled{}}, map[string]float64{"": 1}},
		{"read_failures_total", []consumer.Event{consumer.ReadTrouble{Err: errors.New("no")}, consumer.ReadTrouble{}}, map[string]float64{"": 1}},
		{"offset_out_of_range_total", []consumer.Event{consumer.OffsetOutOfRange{}}, map[string]float64{"": 1}},
		{"fetch_restarts_total", []consumer.Event{consumer.FetchRestarted{}}, map[string]float64{"": 1}},
		{"broker_failures_total", []consumer.Event{consumer.BrokerTrouble{Err: errors.New("no")}, consumer.BrokerTrouble{}}, map[string]float64{"": 1}},
		{"leader_moves_total", []consumer.Event{consumer.LeaderMoved{}}, map[string]float64{"": 1}},
		{"topics_recreated_total", []consumer.Event{consumer.TopicRecreated{}}, map[string]float64{"": 1}},
		{"assignor_failures_total", []consumer.Event{consumer.AssignorFailed{}}, map[string]float64{"": 1}},
		{"signal_failures_total", []consumer.Event{consumer.SignalTrouble{Err: errors.New("no")}, consumer.SignalTrouble{}}, map[string]float64{"": 1}},
		{"signals_missing_total", []consumer.Event{consumer.SignalMissing{}}, map[string]float64{"": 1}},
		{"coordinator_losses_total", []consumer.Event{consumer.CoordinatorLost{}, consumer.CoordinatorFound{}}, map[string]float64{"": 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := metrics.New(metrics.Config{Group: "g"})
			reg := prometheus.NewPedanticRegistry()
			reg.MustRegister(m)
			for _, e := range test.events {
				m.Observe(e)
			}
			got := series(t, reg, test.name)
			if len(got) == 0 {
				t.Fatal("there is no such metric")
			}
			maps.DeleteFunc(got, func(_ string, v float64) bool { return v == 0 })
			if !maps.Equal(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// TestText has the text of a metric as Prometheus reads it.
func TestText(t *testing.T) {
	m := metrics.New(metrics.Config{Group: "billing", Client: "a"})
	m.Observe(consumer.RebalanceEnded{Cause: "unknown_member", Took: 20 * time.Millisecond})
	want := `# HELP assignkit_consumer_rebalance_duration_seconds Time from the first sign of a rebalance until its callbacks had returned.
# TYPE assignkit_consumer_rebalance_duration_seconds histogram
assignkit_consumer_rebalance_duration_seconds_bucket{client="a",group="billing",le="0.001"} 0
assignkit_consumer_rebalance_duration_seconds_bucket{client="a",group="billing",le="0.01"} 0
assignkit_consumer_rebalance_duration_seconds_bucket{client="a",group="billing",le="0.03"} 1
assignkit_consumer_rebalance_duration_seconds_bucket{client="a",group="billing",le="0.1"} 1
assignkit_consumer_rebalance_duration_seconds_bucket{client="a",group="billing",le="0.3"} 1
assignkit_consumer_rebalance_duration_seconds_bucket{client="a",group="billing",le="1"} 1
assignkit_consumer_rebalance_duration_seconds_bucket{client="a",group="billing",le="3"} 1
assignkit_consumer_rebalance_duration_seconds_bucket{client="a",group="billing",le="10"} 1
assignkit_consumer_rebalance_duration_seconds_bucket{client="a",group="billing",le="30"} 1
assignkit_consumer_rebalance_duration_seconds_bucket{client="a",group="billing",le="60"} 1
assignkit_consumer_rebalance_duration_seconds_bucket{client="a",group="billing",le="300"} 1
assignkit_consumer_rebalance_duration_seconds_bucket{client="a",group="billing",le="+Inf"} 1
assignkit_consumer_rebalance_duration_seconds_sum{client="a",group="billing"} 0.02
assignkit_consumer_rebalance_duration_seconds_count{client="a",group="billing"} 1
`
	if err := testutil.CollectAndCompare(m, strings.NewReader(want), "assignkit_consumer_rebalance_duration_seconds"); err != nil {
		t.Error(err)
	}
}

// drawEvent draws any event, those among them that no consumer reports.
func drawEvent(t *rapid.T) consumer.Event {
	var err error
	if rapid.Bool().Draw(t, "failed") {
		err = errors.New(rapid.String().Draw(t, "error"))
	}
	name := rapid.OneOf(rapid.SampledFrom([]string{"assign", "revoke", "lost", "retry", "dead letter", "topics changed", ""}), rapid.String()).Draw(t, "text")
	took := time.Duration(rapid.Int64().Draw(t, "took"))
	parts := rapid.SliceOf(rapid.Custom(func(t *rapid.T) strategy.TopicPartitions {
		return strategy.TopicPartitions{Topic: rapid.String().Draw(t, "topic"), Partitions: rapid.SliceOf(rapid.Int32()).Draw(t, "partitions")}
	})).Draw(t, "list")
	return rapid.SampledFrom([]consumer.Event{
		nil, consumer.RebalanceBegan{Cause: name}, consumer.RebalanceEnded{Cause: name, Took: took, Removed: parts}, &consumer.RebalanceEnded{},
		consumer.CallbackReturned{Callback: name, Partitions: parts, Took: took, Err: err}, consumer.CallbackBlocked{Callback: name, Partitions: parts},
		consumer.CommitFailed{}, consumer.CommitFailed{Err: &callbacks.CommitError{}}, consumer.CommitFailed{Err: failed(2)},
		consumer.HandlerFailed{Next: name}, consumer.HandlerStuck{}, consumer.HandlerStuck{Lost: true}, consumer.HandlerReturned{},
		consumer.HandlerCancelled{After: took}, consumer.OffsetOutOfRange{Wanted: -1}, consumer.ReadTrouble{Err: err}, consumer.BrokerTrouble{Addr: name, Err: err},
		consumer.LeaderMoved{}, consumer.FetchRestarted{For: took}, consumer.TopicRecreated{Topic: name}, consumer.TopicMissing{Topic: name}, consumer.TopicFound{Topic: name},
		consumer.AssignorFailed{}, consumer.CoordinatorLost{Err: err}, consumer.CoordinatorFound{Away: took},
	}).Draw(t, "event")
}

// TestHistories observes anything in any order: nothing panics, nothing that is counted goes back, and no text makes a series.
func TestHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := metrics.New(metrics.Config{Group: rapid.String().Draw(t, "group") + "g", Client: rapid.String().Draw(t, "client")})
		reg := prometheus.NewPedanticRegistry()
		if err := reg.Register(m); err != nil {
			t.Fatal(err)
		}
		before := counts(t, reg)
		for range rapid.IntRange(1, 20).Draw(t, "events") {
			m.Observe(drawEvent(t))
			after := counts(t, reg)
			if got, want := slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)); !slices.Equal(got, want) {
				t.Fatalf("series %q, and before %q", got, want)
			}
			for name, v := range after {
				if v < before[name] {
					t.Fatalf("%s goes back from %v to %v", name, before[name], v)
				}
			}
			before = after
		}
	})
}

// counts returns everything that is counted, sums and buckets too.
func counts(t *rapid.T, from prometheus.Gatherer) map[string]float64 {
	families, err := from.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range families {
		for _, s := range f.GetMetric() {
			name := f.GetName() + " " + labels(s.GetLabel())
			if h := s.GetHistogram(); h != nil {
				values[name+" sum"], values[name+" count"] = h.GetSampleSum(), float64(h.GetSampleCount())
				for _, b := range h.GetBucket() {
					values[fmt.Sprint(name, " ", b.GetUpperBound())] = float64(b.GetCumulativeCount())
				}
				continue
			}
			values[name] = s.GetCounter().GetValue()
		}
	}
	return values
}

// Elsewhere: a gauge was raised and lowered with partitions that came and went. One went that had not come, and the process ended in a
// panic. Here partitions that come and go are counted apart, and what the member has is read from it.
func TestWild31PartitionsThatGoWithoutHavingCome(t *testing.T) {
	m := &metrics.At{Collector: metrics.New(metrics.Config{Group: "g"}), Stats: consumer.Stats{Topics: []string{"orders"}}}
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(m)
	for _, callback := range []string{"lost", "revoke", "assign", "revoke", "lost", "lost"} {
		m.Observe(consumer.CallbackReturned{Callback: callback, Partitions: list("orders", 0, 1), Took: -time.Second})
	}
	if got, want := series(t, reg, "moved_partitions_total"), map[string]float64{"change=assigned": 2, "change=revoked": 4, "change=lost": 6}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := series(t, reg, "assigned_partitions"); got["topic=orders"] != 0 {
		t.Errorf("the member has %v", got)
	}
}
