package strategy_test

import (
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
