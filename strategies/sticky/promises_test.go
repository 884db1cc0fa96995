package sticky_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// What a cooperative round withholds for a member, the next one gives to that member, or withholds for it, in whatever state its owner's
// release is: also where the assignor would have chosen differently among equals.
func TestPromisesAreKept(t *testing.T) {
	a := strategy.Cooperative(sticky.Assignor{})
	rapid.Check(t, func(t *rapid.T) {
		g := &strategy.Group{Generation: 5, Topics: []strategy.Topic{{Name: "t", Partitions: rapid.Int32Range(1, 24).Draw(t, "partitions")}}}
		members := rapid.IntRange(1, 6).Draw(t, "members")
		owned := make([][]int32, members)
		for p := range g.Topics[0].Partitions {
			if m := rapid.IntRange(-1, members-1).Draw(t, "owner"); m >= 0 {
				owned[m] = append(owned[m], p)
			}
		}
		for i := range members {
			m := strategy.Member{ID: fmt.Sprintf("m%d", i), Topics: []string{"t"}, Generation: 4, Draining: rapid.IntRange(0, 4).Draw(t, "draining") == 0}
			if len(owned[i]) > 0 {
				m.Owned = []strategy.TopicPartitions{{Topic: "t", Partitions: owned[i]}}
			}
			g.Members = append(g.Members, m)
		}
		first, err := a.Assign(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		next := &strategy.Group{Generation: 6, Topics: g.Topics, Members: slices.Clone(g.Members)}
		promised := map[int32]string{}
		for i := range next.Members {
			m := &next.Members[i]
			before := m.Owned
			m.Owned, m.Generation = first.Members[m.ID], 5
			for _, u := range first.Unassigned {
				if u.For == m.ID {
					promised[u.Partition] = m.ID
					m.Expecting = with(m.Expecting, u.Partition)
				}
				if holds(before, u.Partition) && rapid.Bool().Draw(t, "releasing") {
					m.Owned, m.Releasing = with(m.Owned, u.Partition), with(m.Releasing, u.Partition)
				}
			}
		}
		second, err := a.Assign(t.Context(), next)
		if err != nil {
			t.Fatal(err)
		}
		if err := strategy.Validate(next, &second, strategy.ProtocolCooperative); err != nil {
			t.Fatal(err)
		}
		for p, id := range promised {
			for _, u := range second.Unassigned {
				if u.Partition == p && u.For != id {
					t.Fatalf("t-%d was promised to %s, and is now withheld for %q", p, id, u.For)
				}
			}
			for other, list := range second.Members {
				if other != id && holds(list, p) {
					t.Fatalf("t-%d was promised to %s, and given to %s", p, id, other)
				}
			}
		}
	})
}

func holds(list []strategy.TopicPartitions, p int32) bool {
	return len(list) > 0 && slices.Contains(list[0].Partitions, p)
}

func with(list []strategy.TopicPartitions, p int32) []strategy.TopicPartitions {
	partitions := []int32{p}
	if len(list) > 0 {
		partitions = append(partitions, list[0].Partitions...)
	}
	slices.Sort(partitions)
	return []strategy.TopicPartitions{{Topic: "t", Partitions: slices.Compact(partitions)}}
}
