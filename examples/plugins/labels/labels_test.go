package main

import (
	"context"
	"slices"
	"testing"

	"github.com/assignkit/assignkit/strategy"
	"github.com/assignkit/assignkit/strategy/strategytest"
)

// TestRules holds the assignor to what every assignor has to do, as it is served.
func TestRules(t *testing.T) {
	strategytest.Run(t, func() strategy.Assignor { return strategy.Cooperative(labels{}) })
}

// TestPins has topics of two tiers and one of none. gold-1 and gold-2 have the tier gold, and nobody has silver.
func TestPins(t *testing.T) {
	list := func(topic string, partitions ...int32) strategy.TopicPartitions {
		return strategy.TopicPartitions{Topic: topic, Partitions: partitions}
	}
	topics := []strategy.Topic{{Name: "gold.orders", Partitions: 4}, {Name: "orders", Partitions: 4}, {Name: "silver.orders", Partitions: 2}}
	all := []string{"gold.orders", "orders", "silver.orders"}
	gold := map[string]string{"tier": "gold"}
	for _, c := range []struct {
		why     string
		members []strategy.Member
		want    map[string][]strategy.TopicPartitions
	}{
		{
			"gold to gold, the rest so that all have as many",
			[]strategy.Member{{ID: "gold-1", Topics: all, Labels: gold}, {ID: "gold-2", Topics: all, Labels: gold}, {ID: "other", Topics: all}},
			map[string][]strategy.TopicPartitions{
				"gold-1": {list("gold.orders", 0, 1), list("orders", 1), list("silver.orders", 0)},
				"gold-2": {list("gold.orders", 2, 3), list("orders", 2)},
				"other":  {list("orders", 0, 3), list("silver.orders", 1)},
			},
		},
		{
			"gold comes back to gold from who has it",
			[]strategy.Member{
				{ID: "gold-1", Topics: all, Labels: gold},
				{ID: "other", Topics: all, Generation: 1, Owned: []strategy.TopicPartitions{list("gold.orders", 0, 1, 2, 3), list("orders", 0, 1, 2, 3), list("silver.orders", 0, 1)}},
			},
			map[string][]strategy.TopicPartitions{
				"gold-1": {list("gold.orders", 0, 1, 2, 3), list("orders", 3)},
				"other":  {list("orders", 0, 1, 2), list("silver.orders", 0, 1)},
			},
		},
		{
			"gold to all before the last of gold goes",
			[]strategy.Member{{ID: "a", Topics: all[:1]}, {ID: "gold-1", Topics: all[:1], Labels: gold, Draining: true}},
			map[string][]strategy.TopicPartitions{"a": {list("gold.orders", 0, 1, 2, 3)}, "gold-1": nil},
		},
		{
			"gold to all, as nobody of gold subscribes to it",
			[]strategy.Member{{ID: "a", Topics: all}, {ID: "gold-1", Topics: []string{"orders"}, Labels: gold}},
			map[string][]strategy.TopicPartitions{
				"a":      {list("gold.orders", 0, 1, 2, 3), list("silver.orders", 0, 1)},
				"gold-1": {list("orders", 0, 1, 2, 3)},
			},
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			g := &strategy.Group{Name: "g", Generation: 2, Topics: topics, Members: c.members}
			got, err := labels{}.Assign(context.Background(), g)
			if err != nil {
				t.Fatal(err)
			}
			if err := strategy.Validate(g, &got, strategy.ProtocolEager); err != nil {
				t.Error(err)
			}
			for id, want := range c.want {
				if !slices.EqualFunc(got.Members[id], want, strategy.TopicPartitions.Equal) {
					t.Errorf("%s gets %v, and should %v", id, got.Members[id], want)
				}
			}
		})
	}
}
