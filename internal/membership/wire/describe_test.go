package wire

import (
	"testing"

	"github.com/assignkit/assignkit/strategy"
)

// What no script shows of messages.
func TestDescribe(t *testing.T) {
	p := strategy.TopicPartition{Topic: "t", Partition: 3}
	for want, message := range map[string]any{
		"OffsetFetch partitions=1":           Fetch{Partitions: []strategy.TopicPartition{p}},
		"OffsetFetch: NONE t-3@7":            FetchReply{Offsets: []Offset{{TopicPartition: p, Offset: 7}}},
		"SyncGroup: error code 99":           SyncReply{Code: 99},
		"wire.Offset":                        Offset{},
		"LeaveGroup member=- reason=\"bye\"": Leave{Reason: "bye"},
	} {
		if got := Describe(message); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
