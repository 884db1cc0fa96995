package simulation

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/strategy"
)

// changed is a group to which everything happens at once.
func changed() *Scenario {
	static := strategy.Member{ID: "s", InstanceID: "s", Topics: []string{"t"}, Generation: strategy.NoGeneration}
	set := static
	set.InstanceID, set.Rack, set.Topics = "", "r", []string{"u", "t"} // an instance id stays what it is
	return &Scenario{
		Group: strategy.Group{Topics: []strategy.Topic{{Name: "t", Partitions: 4}, {Name: "v", Partitions: 1}}, Members: append(NewMembers(nil, 2), static)},
		Events: []Event{Change{
			Label: "all at once", Leave: []string{"member-1", "member-2"}, Set: []strategy.Member{set}, Join: []strategy.Member{{ID: "member-1"}},
			Topics: []strategy.Topic{{Name: "u", Partitions: 2}, {Name: "t", Partitions: 2}},
		}, Change{}},
	}
}

func TestChange(t *testing.T) {
	r, err := Run(context.Background(), changed(), "spec", broken{assign: func(g *strategy.Group) (strategy.Assignment, error) { return deal(g, false) }})
	if err != nil {
		t.Fatal(err)
	}
	s := &r.Steps[1]
	if want := "all at once: leave member-1, member-2; set s; join member-1; topic u with 2; shrink t to 2; no topic v"; s.Event != want {
		t.Errorf("the event is %s, and not %s", s.Event, want)
	}
	if len(s.Group.Members) != 2 || s.Group.Members[0].InstanceID != "s" || s.Group.Members[0].Rack != "r" || len(s.Group.Members[0].Owned) == 0 || len(s.Group.Members[1].Owned) != 0 {
		t.Errorf("the members are %+v", s.Group.Members)
	}
	if s.Group.Topics[0].Name != "t" || s.Group.Topics[0].Partitions != 2 || len(s.Group.Members[1].Topics) != 2 {
		t.Errorf("the group is %+v", s.Group)
	}
	if r.Steps[2].Event != "nothing changes" || r.Steps[2].Rounds != 1 || len(r.Steps[2].Moved) != 0 {
		t.Errorf("%+v", r.Steps[2])
	}
}

func TestChangeThatCannotBe(t *testing.T) {
	for want, c := range map[string]Change{
		`no member "x"`:                      {Leave: []string{"x"}},
		`no member "y"`:                      {Set: []strategy.Member{{ID: "y"}}},
		`member "member-1" is named twice`:   {Leave: []string{"member-1"}, Set: []strategy.Member{{ID: "member-1"}}},
		`member "member-2" is in the group`:  {Leave: []string{"member-1"}, Join: []strategy.Member{{ID: "member-2"}}},
		`topic "t" is there already`:         {Topics: []strategy.Topic{{Name: "t"}, {Name: "t"}}},
		`topic "t" has -1 partitions`:        {Topics: []strategy.Topic{{Name: "t", Partitions: -1}}},
		`capacity -1 is not within`:          {Set: []strategy.Member{{ID: "member-1", Capacity: -1}}},
		`has racks for 1 of 2 partitions`:    {Topics: []strategy.Topic{{Name: "t", Partitions: 2, Racks: [][]string{nil}}}},
		`event 1 (topics change): topic "t"`: {Topics: []strategy.Topic{{Name: "t", Partitions: strategy.MaxPartitions + 1}}},
	} {
		s := small()
		s.Events = []Event{c}
		var e *EventError
		if err := s.Check(); !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestPlayBack has answers count as they were given, also where a strategy could not have given them.
func TestPlayBack(t *testing.T) {
	owns := func(first, second, third []int32) strategy.Assignment {
		of := func(list []int32) []strategy.TopicPartitions {
			if len(list) == 0 {
				return nil
			}
			return []strategy.TopicPartitions{{Topic: "t", Partitions: list}}
		}
		return strategy.Assignment{Members: map[string][]strategy.TopicPartitions{"member-1": of(first), "member-2": of(second), "member-3": of(third)}}
	}
	s := small()
	s.Events = []Event{Change{Label: "later", Set: []strategy.Member{{ID: "member-1", Rack: "r"}}}}
	withheld := owns([]int32{0}, []int32{2, 3}, []int32{4, 5})
	withheld.Unassigned = []strategy.Unassigned{{Topic: "t", Partition: 1, Reason: strategy.ReasonWithheld}}
	answers := [][]strategy.Assignment{
		{owns([]int32{0, 1}, []int32{2, 3}, []int32{4, 5})},
		{withheld, owns(nil, []int32{0, 1, 2, 3}, []int32{4})}, // 0 goes from one to another at once, 5 is forgotten
	}
	r, err := PlayBack(context.Background(), s, "recorded", answers)
	if err != nil {
		t.Fatal(err)
	}
	if step := &r.Steps[1]; step.Rounds != 2 || step.WithheldFirst != 1 || len(step.Moved) != 3 || step.Metrics.Unassigned != 1 || step.Metrics.Voluntary != 3 {
		t.Errorf("%+v", step)
	}
	var e *RunError
	if _, err := PlayBack(context.Background(), s, "recorded", answers[:1]); !errors.As(err, &e) || e.Step != 1 || !strings.Contains(err.Error(), "no answer is recorded") {
		t.Errorf("an answer too few: %v", err)
	}
	answers[1][1].Members["stranger"] = nil
	if _, err := PlayBack(context.Background(), s, "recorded", answers); !errors.As(err, &e) || !strings.Contains(err.Error(), `round 2: invalid assignment (1 violation); member: member "stranger": is not in the group`) {
		t.Errorf("a stranger: %v", err)
	}
}
