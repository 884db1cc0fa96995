package strategy

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// twoMembers reads t (3 partitions) and u (1): a both, b only t; b owns t-1.
func twoMembers() *Group {
	return &Group{
		Topics: []Topic{{Name: "t", Partitions: 3}, {Name: "u", Partitions: 1}},
		Members: []Member{
			{ID: "a", Topics: []string{"t", "u"}, Generation: 1},
			{ID: "b", Topics: []string{"t"}, Generation: 1, Owned: []TopicPartitions{{Topic: "t", Partitions: []int32{1}}}},
		},
	}
}

func list(topic string, partitions ...int32) TopicPartitions {
	return TopicPartitions{Topic: topic, Partitions: partitions}
}

func TestValidate(t *testing.T) {
	type members = map[string][]TopicPartitions
	right := members{"a": {list("t", 0), list("u", 0)}, "b": {list("t", 1, 2)}}
	for _, c := range []struct {
		name       string
		members    members
		unassigned []Unassigned
		protocol   Protocol
		want       string // all violations, in order; "" is valid
	}{
		{name: "right", members: right},
		{name: "right, cooperative", members: right, protocol: ProtocolCooperative},
		{name: "missing member", members: members{"b": {list("t", 0, 1, 2)}}, unassigned: []Unassigned{{Topic: "u", Reason: ReasonIneligible}},
			want: `member: member "a": has no entry`},
		{name: "unknown members", members: members{"a": right["a"], "b": right["b"], "z": nil, "y": nil},
			want: `member: member "y": is not in the group; member: member "z": is not in the group`},
		{name: "unknown topic", members: members{"a": {list("t", 0), list("u", 0), list("v", 0)}, "b": right["b"]},
			want: `topic: v, member "a": is not a topic of the group`},
		{name: "unknown partitions", members: members{"a": {list("t", 0, 3), list("u", -1, 0)}, "b": right["b"]},
			want: `partition: t, member "a": has no partition 3, only 3; partition: u, member "a": has no partition -1, only 1`},
		{name: "not subscribed", members: members{"a": {list("t", 0)}, "b": {list("t", 1, 2), list("u", 0)}},
			want: `subscription: u, member "b": the member does not subscribe to it`},
		{name: "twice", members: members{"a": {list("t", 0, 0, 1), list("u", 0)}, "b": right["b"]},
			want: `once: t-0, member "a": is with "a" already; once: t-1, member "b": is with "a" already`},
		{name: "forgotten", members: members{"a": {list("t", 0)}, "b": {list("t", 2)}},
			want: `complete: t-1: nobody gets it, and no reason is given; complete: u-0: nobody gets it, and no reason is given`},
		{name: "disorder", members: members{"a": {list("u", 0), list("t", 0)}, "b": {list("t", 2, 1)}},
			want: `order: t, member "a": stands after u; order: t-1, member "b": stands after 2`},
		{name: "topic without partitions", members: members{"a": {list("t", 0), list("u", 0)}, "b": {list("t", 1, 2), list("u")}},
			want: `order: u, member "b": is listed without partitions; subscription: u, member "b": the member does not subscribe to it`},
		{name: "owned elsewhere, eager", members: members{"a": {list("t", 0, 1), list("u", 0)}, "b": {list("t", 2)}}},
		{name: "owned elsewhere, cooperative", members: members{"a": {list("t", 0, 1), list("u", 0)}, "b": {list("t", 2)}}, protocol: ProtocolCooperative,
			want: `owned: t-1, member "a": is still owned by "b"`},
		{name: "withheld", members: members{"a": {list("t", 0), list("u", 0)}, "b": {list("t", 2)}}, protocol: ProtocolCooperative,
			unassigned: []Unassigned{{Topic: "t", Partition: 1, Reason: ReasonWithheld}}},
		{name: "withheld in an eager round", members: members{"a": {list("t", 0), list("u", 0)}, "b": {list("t", 2)}},
			unassigned: []Unassigned{{Topic: "t", Partition: 1, Reason: ReasonWithheld}},
			want:       `reason: t-1: withheld: an eager group has no further round`},
		{name: "withheld from nobody", members: members{"a": {list("t", 0)}, "b": {list("t", 1, 2)}}, protocol: ProtocolCooperative,
			unassigned: []Unassigned{{Topic: "u", Reason: ReasonWithheld}},
			want:       `reason: u-0: withheld: nobody owns it`},
		{name: "withheld with another", members: members{"a": {list("t", 0)}, "b": {list("t", 2)}}, protocol: ProtocolCooperative,
			unassigned: []Unassigned{{Topic: "t", Partition: 1, Reason: ReasonWithheld}, {Topic: "u", Reason: ReasonWithheld, With: &TopicPartition{Topic: "t", Partition: 1}}}},
		{name: "withheld with one that is not", members: members{"a": {list("t", 0)}, "b": {list("t", 1, 2)}}, protocol: ProtocolCooperative,
			unassigned: []Unassigned{{Topic: "u", Reason: ReasonWithheld, With: &TopicPartition{Topic: "t", Partition: 1}}},
			want:       `reason: u-0: withheld: t-1, which it is to move with, is not withheld from anybody`},
		{name: "withheld with one that is not there", members: members{"a": {list("t", 0)}, "b": {list("t", 1, 2)}}, protocol: ProtocolCooperative,
			unassigned: []Unassigned{{Topic: "u", Reason: ReasonWithheld, With: &TopicPartition{Topic: "v", Partition: 1}}},
			want:       `reason: u-0: withheld: v-1, which it is to move with, does not exist`},
		{name: "withheld for who may not have it", members: members{"a": {list("t", 0)}, "b": {list("t", 2)}}, protocol: ProtocolCooperative,
			unassigned: []Unassigned{{Topic: "t", Partition: 1, Reason: ReasonWithheld, For: "z"}, {Topic: "u", Reason: ReasonWithheld, For: "b", With: &TopicPartition{Topic: "t", Partition: 1}}},
			want:       `reason: t-1: withheld: it is to go to "z", who may not have it; reason: u-0: withheld: it is to go to "b", who may not have it`},
		{name: "withheld with ones out of range", members: members{"a": {list("t", 0)}, "b": {list("t", 2)}}, protocol: ProtocolCooperative,
			unassigned: []Unassigned{{Topic: "t", Partition: 1, Reason: ReasonWithheld, With: &TopicPartition{Topic: "t", Partition: 3}}, {Topic: "u", Reason: ReasonWithheld, With: &TopicPartition{Topic: "t", Partition: -1}}},
			want:       `reason: t-1: withheld: t-3, which it is to move with, does not exist; reason: u-0: withheld: t--1, which it is to move with, does not exist`},
		{name: "withheld with the first one, which is not", members: members{"a": {list("t", 0)}, "b": {list("t", 1, 2)}}, protocol: ProtocolCooperative,
			unassigned: []Unassigned{{Topic: "u", Reason: ReasonWithheld, With: &TopicPartition{Topic: "t"}}},
			want:       `reason: u-0: withheld: t-0, which it is to move with, is not withheld from anybody`},
		{name: "unknown topic first", members: members{"a": {list("s", 0), list("t", 0), list("u", 0, 1)}, "b": right["b"]},
			want: `partition: u, member "a": has no partition 1, only 1; topic: s, member "a": is not a topic of the group`},
		{name: "a topic twice", members: members{"a": {list("t", 0), list("t", 1), list("u", 0)}, "b": {list("t", 2)}},
			want: `order: t, member "a": stands after t`},
		{name: "left out of range", members: right, unassigned: []Unassigned{{Topic: "t", Partition: 3, Reason: ReasonLimit}, {Topic: "t", Partition: -1, Reason: ReasonLimit}, {Topic: "t", Reason: ReasonLimit}},
			want: `partition: t: has no partition -1, only 3, in Unassigned; partition: t: has no partition 3, only 3, in Unassigned; reason: t-0, member "a": is assigned, and in Unassigned as well`},
		{name: "assigned and not", members: right, unassigned: []Unassigned{{Topic: "t", Partition: 2, Reason: ReasonIneligible}},
			want: `reason: t-2, member "b": is assigned, and in Unassigned as well`},
		{name: "left out twice", members: members{"a": right["a"], "b": {list("t", 1)}},
			unassigned: []Unassigned{{Topic: "t", Partition: 2, Reason: ReasonIneligible}, {Topic: "t", Partition: 2, Reason: ReasonLimit}},
			want:       `once: t-2: is in Unassigned twice`},
		{name: "left out of nowhere", members: right, unassigned: []Unassigned{{Topic: "v", Reason: ReasonLimit}, {Topic: "t", Partition: 9, Reason: ReasonLimit}},
			want: `partition: t: has no partition 9, only 3, in Unassigned; topic: v: is not a topic of the group, in Unassigned`},
		{name: "limit", members: members{"a": {list("t", 0), list("u", 0)}, "b": {list("t", 1)}}, unassigned: []Unassigned{{Topic: "t", Partition: 2, Reason: ReasonLimit}}},
		{name: "limit, and a member with nothing", members: members{"a": {list("t", 0), list("u", 0)}, "b": nil},
			unassigned: []Unassigned{{Topic: "t", Partition: 1, Reason: ReasonLimit}, {Topic: "t", Partition: 2, Reason: ReasonLimit}},
			want:       `reason: t-1: limit: a member that could read it has nothing at all; reason: t-2: limit: a member that could read it has nothing at all`},
		{name: "limit, and a member that waits", members: members{"a": nil, "b": {list("t", 0)}}, protocol: ProtocolCooperative,
			unassigned: []Unassigned{{Topic: "t", Partition: 1, Reason: ReasonWithheld}, {Topic: "t", Partition: 2, Reason: ReasonLimit}, {Topic: "u", Reason: ReasonIneligible}}},
		{name: "draining, and a member that is not", members: members{"a": {list("t", 0)}, "b": {list("t", 1, 2)}}, unassigned: []Unassigned{{Topic: "u", Reason: ReasonDraining}},
			want: `reason: u-0: draining: it is not so that only draining members could read it`},
		{name: "no reason", members: members{"a": {list("t", 0)}, "b": {list("t", 1, 2)}}, unassigned: []Unassigned{{Topic: "u", Reason: "because"}},
			want: `reason: u-0: because: is no reason; there are [draining ineligible limit withheld]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Validate(twoMembers(), &Assignment{Members: c.members, Unassigned: c.unassigned}, c.protocol)
			var got []string
			if err != nil {
				var invalid *InvalidError
				if !errors.As(err, &invalid) {
					t.Fatal(err)
				}
				for _, v := range invalid.Violations {
					got = append(got, v.String())
					if !invalid.Breaks(v.Rule) {
						t.Errorf("Breaks(%s) is false", v.Rule)
					}
				}
			}
			if err != nil && len(got) > 1 && !strings.HasSuffix(err.Error(), strings.Join(got, "; ")) {
				t.Errorf("told as %q", err)
			}
			if joined := strings.Join(got, "; "); joined != c.want {
				t.Errorf("got  %s\nwant %s", joined, c.want)
			}
		})
	}
}

func TestValidateDisputed(t *testing.T) {
	g := twoMembers()
	g.Members[0].Owned = []TopicPartitions{list("t", 1)}
	a := Assignment{Members: map[string][]TopicPartitions{"a": {list("t", 0), list("u", 0)}, "b": {list("t", 1, 2)}}}
	err := Validate(g, &a, ProtocolCooperative)
	if err == nil || !strings.Contains(err.Error(), `owned: t-1, member "b": is claimed by two members of one generation`) {
		t.Errorf("a disputed partition may go to nobody: %v", err)
	}
}

func TestValidateAllDraining(t *testing.T) {
	g := twoMembers()
	g.Members[0].Draining, g.Members[1].Draining = true, true
	a := Assignment{Members: map[string][]TopicPartitions{"a": {list("t", 0)}, "b": {list("t", 1, 2)}}, Unassigned: []Unassigned{{Topic: "u", Reason: ReasonDraining}}}
	if err := Validate(g, &a, ProtocolEager); err != nil {
		t.Error(err)
	}
}

// An answer that is wrong in a million places is described in bounded memory.
func TestValidateManyViolations(t *testing.T) {
	g := &Group{Topics: []Topic{{Name: "t", Partitions: 1_000_000}}, Members: []Member{{ID: "a", Topics: []string{"t"}}}}
	err := Validate(g, &Assignment{Members: map[string][]TopicPartitions{"a": nil}}, ProtocolEager)
	var invalid *InvalidError
	if !errors.As(err, &invalid) || len(invalid.Violations) != maxViolations || invalid.More != 990_000 {
		t.Fatalf("%v", err)
	}
	if want := "invalid assignment (1000000 violations)"; !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "; and 999995 more") {
		t.Errorf("%s", err)
	}
}

func TestReasonsAreSorted(t *testing.T) {
	if !slices.IsSorted(Reasons()) {
		t.Error(Reasons())
	}
}
