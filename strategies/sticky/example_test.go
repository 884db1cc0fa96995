package sticky_test

import (
	"context"
	"fmt"

	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A third member joins two that own half of the topic each: it gets its share, and nothing moves between the two.
func Example() {
	orders := []string{"orders"}
	group := &strategy.Group{
		Topics: []strategy.Topic{{Name: "orders", Partitions: 10}},
		Members: []strategy.Member{
			{ID: "billing-1", Topics: orders, Generation: 4, Owned: []strategy.TopicPartitions{{Topic: "orders", Partitions: []int32{1, 3, 5, 7, 9}}}},
			{ID: "billing-2", Topics: orders, Generation: 4, Owned: []strategy.TopicPartitions{{Topic: "orders", Partitions: []int32{0, 2, 4, 6, 8}}}},
			{ID: "billing-3", Topics: orders},
		},
	}
	answer, err := sticky.Assignor{}.Assign(context.Background(), group)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range group.Members {
		fmt.Println(m.ID, answer.Members[m.ID])
	}
	metrics, err := strategy.Measure(group, &answer)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("skew", metrics.Skew, "moved", metrics.Voluntary, "of", metrics.VoluntaryMinimum, "at least")
	// Output:
	// billing-1 [{orders [1 3 5 7]}]
	// billing-2 [{orders [0 2 4]}]
	// billing-3 [{orders [6 8 9]}]
	// skew 1 moved 3 of 3 at least
}
