package strategy_test

import (
	"cmp"
	"reflect"
	"testing"

	"github.com/assignkit/assignkit/strategy"
)

func TestByTopic(t *testing.T) {
	at := func(topic string, partition int32) strategy.TopicPartition {
		return strategy.TopicPartition{Topic: topic, Partition: partition}
	}
	got := strategy.ByTopic([]strategy.TopicPartition{at("a", 0), at("a", 2), at("b", 1)})
	if want := []strategy.TopicPartitions{{Topic: "a", Partitions: []int32{0, 2}}, {Topic: "b", Partitions: []int32{1}}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	if got := strategy.ByTopic(nil); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}

func TestCompareTopicPartitions(t *testing.T) {
	sorted := []strategy.TopicPartition{{Topic: "a", Partition: 2}, {Topic: "b", Partition: 0}, {Topic: "b", Partition: 10}, {Topic: "ba", Partition: 1}}
	for i, p := range sorted {
		for j, q := range sorted {
			if got, want := p.Compare(q), cmp.Compare(i, j); got != want {
				t.Errorf("%v and %v compare as %d, want %d", p, q, got, want)
			}
		}
	}
}

func TestWithholds(t *testing.T) {
	for reason, want := range map[strategy.Reason]bool{strategy.ReasonWithheld: true, strategy.ReasonLimit: false, strategy.ReasonDraining: false} {
		a := strategy.Assignment{Unassigned: []strategy.Unassigned{{Topic: "t", Reason: reason}}}
		if a.Withholds() != want {
			t.Errorf("%s: %t", reason, a.Withholds())
		}
	}
}
