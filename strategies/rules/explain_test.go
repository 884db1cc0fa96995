package rules

import (
	"strings"
	"testing"

	"github.com/assignkit/assignkit/strategy"
)

// TestExplain has a group for each step of the solver and each option that can be the reason.
func TestExplain(t *testing.T) {
	weights := func(list ...float64) []strategy.Topic {
		return []strategy.Topic{{Name: "t", Partitions: int32(len(list)), Weights: list}}
	}
	member := func(id string, owned ...int32) strategy.Member {
		m := strategy.Member{ID: id, Topics: []string{"t"}, Generation: 1, Labels: map[string]string{"zone": id}}
		if len(owned) > 0 {
			m.Owned = []strategy.TopicPartitions{{Topic: "t", Partitions: owned}}
		}
		return m
	}
	for _, test := range []struct {
		name    string
		config  Config
		topics  []strategy.Topic
		members []strategy.Member
		of      int32
		decided strategy.Objective
		says    string
	}{
		{"eligible", Config{Eligible: `member.labels.zone == "a"`}, weights(1, 2), []strategy.Member{member("a"), member("b")}, 0,
			strategy.ObjectiveEligibility, "no other member may have it (1 is not eligible)"},
		{"nobody is eligible", Config{Eligible: `partition.number > 0`}, weights(1, 2), []strategy.Member{member("a"), member("b")}, 0,
			strategy.ObjectiveEligibility, "Nobody gets t-0"},
		{"the limit", Config{Limit: "1"}, weights(1, 1), []strategy.Member{member("a"), member("b")}, 0,
			strategy.ObjectiveLimit, "no other member may have it (1 is at the limit)"},
		{"beyond the limit", Config{Limit: "1"}, weights(1, 1), []strategy.Member{member("a", 0)}, 1, strategy.ObjectiveLimit, "as the limit allows"},
		{"together", Config{Together: "1", Weight: "partition.weight"}, weights(1, 5), []strategy.Member{member("a", 0), member("b", 1)}, 0,
			strategy.ObjectiveTogether, "what moves along with it is there"},
		{"shed", Config{Weight: "partition.weight", Hysteresis: -1, Tolerance: -1}, weights(4, 4, 3, 3), []strategy.Member{member("a", 0, 1, 2, 3), member("b")}, 1,
			strategy.ObjectiveBalance, "as a had more than its share"},
		{"preference", Config{Prefer: `member.labels.zone == "b" ? 1 : 0`, Weight: "2.0"}, weights(1, 1), []strategy.Member{member("a"), member("b"), member("c")}, 0,
			strategy.ObjectivePreference, "b is preferred"},
		{"kept as any move is worse", Config{Weight: "partition.weight"}, weights(10, 10, 9, 8), []strategy.Member{member("a", 0, 1), member("b", 2, 3)}, 0,
			strategy.ObjectiveBalance, "a keeps t-0"},
		{"tolerance", Config{Weight: "partition.weight"}, weights(5, 1, 1, 1, 1, 1, 1), []strategy.Member{member("a", 0, 1), member("b", 2, 3, 4, 5, 6)}, 1,
			strategy.ObjectiveMovement, "a move would gain nothing"},
		{"max_moves", Config{Weight: "partition.weight", MaxMoves: -1}, weights(4, 4, 3, 3), []strategy.Member{member("a", 0, 1, 2, 3), member("b")}, 1,
			strategy.ObjectiveMaxMoves, "max_moves is 0; without that bound b would get it"},
		{"max_moves, others first", Config{Weight: "partition.weight", MaxMoves: -1}, weights(4, 4, 3, 3), []strategy.Member{member("a", 0, 1, 2, 3), member("b")}, 0,
			strategy.ObjectiveMaxMoves, "others would move and this one would stay, 2 more in all"},
		{"tolerance, strictly elsewhere", Config{Weight: "partition.weight"}, weights(100, 100, 100, 10, 95, 95, 90), []strategy.Member{member("a", 0, 1, 2, 3), member("b", 4, 5, 6)}, 3,
			strategy.ObjectiveTolerance, "with neither, b would get it"},
		{"capacity 0", Config{Capacity: `member.labels.zone == "a" ? 0 : 1`, Weight: "partition.weight"}, weights(4, 3), []strategy.Member{member("a", 0), member("b")}, 0,
			strategy.ObjectiveDraining, "which is draining"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.config.Name = "rules"
			a, err := New(test.config)
			if err != nil {
				t.Fatal(err)
			}
			g := &strategy.Group{Topics: test.topics, Members: test.members}
			answer, err := a.Assign(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			e, err := strategy.Explain(t.Context(), a, g, &answer, strategy.TopicPartition{Topic: "t", Partition: test.of})
			if err != nil {
				t.Fatal(err)
			}
			if e.Decided != test.decided || !strings.Contains(e.Why, test.says) {
				t.Errorf("by %s: %s", e.Decided, e.Why)
				for i := range e.Members {
					t.Logf("%+v", e.Members[i])
				}
			}
		})
	}
}

// TestExplainUnits has weights and capacities that are no whole numbers, which the solver counts in other units.
func TestExplainUnits(t *testing.T) {
	a, err := New(Config{Name: "rules", Weight: "partition.number + 0.25", Capacity: "1.5"})
	if err != nil {
		t.Fatal(err)
	}
	g := &strategy.Group{Topics: []strategy.Topic{{Name: "t", Partitions: 3}}, Members: []strategy.Member{{ID: "m", Topics: []string{"t"}}}}
	answer, err := a.Assign(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	e, err := strategy.Explain(t.Context(), a, g, &answer, strategy.TopicPartition{Topic: "t", Partition: 2})
	if err != nil || e.Weight != 2.25 || e.Members[0].Load != 3.75 || e.Members[0].Capacity != 1.5 || e.Members[0].Ratio != 2.5 {
		t.Errorf("%+v, %v", e, err)
	}
}
