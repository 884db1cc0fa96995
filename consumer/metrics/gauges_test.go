package metrics_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/consumer/metrics"
	"github.com/assignkit/assignkit/strategy"
)

// at is a partition of orders that is at a position, with so much to come.
func at(partition int32, position, end int64) consumer.PartitionStats {
	return consumer.PartitionStats{Partition: strategy.TopicPartition{Topic: "orders", Partition: partition}, Position: position, Committed: -1, End: end}
}

// shown returns a collector that shows what a test says, and its registry.
func shown(s consumer.Stats) (*metrics.At, *prometheus.Registry) {
	m := &metrics.At{Collector: metrics.New(metrics.Config{Group: "g"}), Stats: s, Now: time.Unix(1000, 0)}
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(m)
	return m, reg
}

func TestLag(t *testing.T) {
	for _, test := range []struct {
		name string
		is   consumer.PartitionStats
		want map[string]float64
	}{
		{"before the first answer it is not known", at(0, 5, -1), map[string]float64{}},
		{"without a place to begin it is not known", at(0, -1, 10), map[string]float64{}},
		{"behind", at(0, 5, 10), map[string]float64{"partition=0 topic=orders": 5}},
		{"at the end", at(0, 10, 10), map[string]float64{"partition=0 topic=orders": 0}},
		{"an empty log", at(0, 0, 0), map[string]float64{"partition=0 topic=orders": 0}},
		{"behind a log that was made anew", at(0, 100, 10), map[string]float64{"partition=0 topic=orders": 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, reg := shown(consumer.Stats{Partitions: []consumer.PartitionStats{test.is}})
			if got := series(t, reg, "lag_records"); !maps.Equal(got, test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}

// TestGaugesText has the text of all gauges, with a partition of which everything is known and one that has just begun.
func TestGaugesText(t *testing.T) {
	full := at(1, 7, 10)
	full.Committed, full.Answered, full.Buffered, full.Err = 5, time.Unix(999, 500e6), 4096, errors.New("it is in trouble")
	m, _ := shown(consumer.Stats{
		Topics: []string{"orders", "payments"}, State: "stable", Owned: list("orders", 0, 1),
		Partitions: []consumer.PartitionStats{at(0, -1, -1), full},
	})
	want := `# HELP assignkit_consumer_assigned_partitions Partitions of a subscribed topic that the member has.
# TYPE assignkit_consumer_assigned_partitions gauge
assignkit_consumer_assigned_partitions{client="",group="g",topic="orders"} 2
assignkit_consumer_assigned_partitions{client="",group="g",topic="payments"} 0
# HELP assignkit_consumer_buffered_bytes Records of the partition that were read ahead or are in work.
# TYPE assignkit_consumer_buffered_bytes gauge
assignkit_consumer_buffered_bytes{client="",group="g",partition="0",topic="orders"} 0
assignkit_consumer_buffered_bytes{client="",group="g",partition="1",topic="orders"} 4096
# HELP assignkit_consumer_lag_records Offsets between the last record processed and the last one there is, as of the last answer of a broker.
# TYPE assignkit_consumer_lag_records gauge
assignkit_consumer_lag_records{client="",group="g",partition="1",topic="orders"} 3
# HELP assignkit_consumer_last_fetch_timestamp_seconds When a broker last answered for the partition without an error.
# TYPE assignkit_consumer_last_fetch_timestamp_seconds gauge
assignkit_consumer_last_fetch_timestamp_seconds{client="",group="g",partition="1",topic="orders"} 999.5
# HELP assignkit_consumer_last_progress_timestamp_seconds When the partition was last seen to have moved on, or to have nothing left to process.
# TYPE assignkit_consumer_last_progress_timestamp_seconds gauge
assignkit_consumer_last_progress_timestamp_seconds{client="",group="g",partition="0",topic="orders"} 1000
assignkit_consumer_last_progress_timestamp_seconds{client="",group="g",partition="1",topic="orders"} 1000
# HELP assignkit_consumer_member_state 1 for what the member does about its group, 0 for what it does not.
# TYPE assignkit_consumer_member_state gauge
assignkit_consumer_member_state{client="",group="g",state="assigning"} 0
assignkit_consumer_member_state{client="",group="g",state="discovering"} 0
assignkit_consumer_member_state{client="",group="g",state="down"} 0
assignkit_consumer_member_state{client="",group="g",state="ended"} 0
assignkit_consumer_member_state{client="",group="g",state="joining"} 0
assignkit_consumer_member_state{client="",group="g",state="leaving"} 0
assignkit_consumer_member_state{client="",group="g",state="rediscovering"} 0
assignkit_consumer_member_state{client="",group="g",state="revoking"} 0
assignkit_consumer_member_state{client="",group="g",state="stable"} 1
assignkit_consumer_member_state{client="",group="g",state="syncing"} 0
# HELP assignkit_consumer_position Offset behind the last record processed.
# TYPE assignkit_consumer_position gauge
assignkit_consumer_position{client="",group="g",partition="1",topic="orders"} 7
# HELP assignkit_consumer_uncommitted_records Offsets between the last one committed and the last record processed: what a crash would repeat.
# TYPE assignkit_consumer_uncommitted_records gauge
assignkit_consumer_uncommitted_records{client="",group="g",partition="1",topic="orders"} 2
`
	var names []string
	for _, line := range strings.Split(want, "\n") {
		if fields := strings.Fields(line); len(fields) > 2 && fields[1] == "TYPE" {
			names = append(names, fields[2])
		}
	}
	if err := testutil.CollectAndCompare(m, strings.NewReader(want), names...); err != nil {
		t.Error(err)
	}
}

// TestProgress reads metrics again and again while time goes by.
func TestProgress(t *testing.T) {
	m, reg := shown(consumer.Stats{})
	for _, step := range []struct {
		now  int64
		is   []consumer.PartitionStats
		want float64 // 0: no series
		why  string
	}{
		{1000, []consumer.PartitionStats{at(0, -1, -1)}, 1000, "seen first"},
		{1010, []consumer.PartitionStats{at(0, -1, -1)}, 1000, "no place to begin yet"},
		{1020, []consumer.PartitionStats{at(0, 0, -1)}, 1020, "a place to begin"},
		{1030, []consumer.PartitionStats{at(0, 0, -1)}, 1020, "no broker has answered"},
		{1040, []consumer.PartitionStats{at(0, 0, 9)}, 1020, "one has, and nothing was processed"},
		{1050, []consumer.PartitionStats{at(0, 5, 9)}, 1050, "it moves"},
		{1060, []consumer.PartitionStats{at(0, 5, 9)}, 1050, "it does not move"},
		{1070, []consumer.PartitionStats{at(0, 9, 9)}, 1070, "at the end"},
		{1080, []consumer.PartitionStats{at(0, 9, 9)}, 1080, "still at the end"},
		{1090, []consumer.PartitionStats{at(0, 9, 12)}, 1080, "there is something to do again"},
		{1100, []consumer.PartitionStats{at(0, 2, 12)}, 1100, "it was set back, and moves"},
		{1110, nil, 0, "gone"},
		{1120, []consumer.PartitionStats{at(0, 2, 12)}, 1120, "it came back where it had been"},
	} {
		m.Now, m.Stats.Partitions = time.Unix(step.now, 0), step.is
		got := series(t, reg, "last_progress_timestamp_seconds")
		if v, there := got["partition=0 topic=orders"]; v != step.want || there != (step.want != 0) {
			t.Errorf("at %d, %s: %v, want %v", step.now, step.why, got, step.want)
		}
	}
}

// TestLint has Prometheus' own rules for names.
func TestLint(t *testing.T) {
	m, reg := shown(consumer.Stats{Topics: []string{"orders"}, Owned: list("orders", 0), Partitions: []consumer.PartitionStats{at(0, 1, 2)}})
	m.Stats.Partitions[0].Answered, m.Stats.Partitions[0].Committed = time.Unix(1, 0), 0
	problems, err := testutil.GatherAndLint(reg)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	described := make(chan *prometheus.Desc, 100)
	m.Describe(described)
	if len(families) != len(described) {
		var names []string
		for _, f := range families {
			names = append(names, f.GetName())
		}
		t.Errorf("%d metrics are described and %d of them seen, %q", len(described), len(families), slices.Sorted(slices.Values(names)))
	}
}
