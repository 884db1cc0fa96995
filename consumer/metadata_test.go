package consumer

import (
	"reflect"
	"testing"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/strategy"
)

// TestDescribe has a topic with a partition that nobody leads, and another that is told out of order.
func TestDescribe(t *testing.T) {
	m := &sarama.TopicMetadata{Name: "orders", Partitions: []*sarama.PartitionMetadata{
		{ID: 2, Leader: 3, Replicas: []int32{3, 1}},
		{ID: 0, Leader: 1, Replicas: []int32{1, 2}},
		{ID: 1, Leader: -1, Replicas: []int32{2}},
	}}
	racks := map[int32]string{1: "north", 2: "south"}
	want := strategy.Topic{
		Name: "orders", Partitions: 3, Racks: [][]string{{"north", "south"}, {"south"}, {"north"}}, LeaderRacks: []string{"north", "", ""},
	}
	if got := describe(m, racks); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if got := describe(m, nil); got.LeaderRacks != nil || got.Racks != nil {
		t.Errorf("racks from nowhere: %+v", got)
	}
	if got := leaders(m); !reflect.DeepEqual(got, []int32{1, -1, 3}) {
		t.Errorf("leaders %v", got)
	}
}
