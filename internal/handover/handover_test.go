package handover_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/handover"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// member is what somebody says when it joins.
type member struct {
	id                         string
	owned, releasing, expected []int32
	foreign                    bool
}

func lists(p []int32) []strategy.TopicPartitions {
	if p == nil {
		return nil
	}
	return []strategy.TopicPartitions{{Topic: "t", Partitions: p}}
}

func join(t *testing.T, members []member) *protocol.Join {
	t.Helper()
	var list []protocol.JoinMember
	for _, m := range members {
		s := protocol.Subscription{Version: protocol.Newest, Topics: []string{"t"}, Owned: lists(m.owned), Generation: 4}
		if !m.foreign {
			u := protocol.UserData{Follows: true, Releasing: lists(m.releasing), Expecting: lists(m.expected)}
			var err error
			if s.UserData, err = u.AppendBinary(nil); err != nil {
				t.Fatal(err)
			}
		}
		data, err := s.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, protocol.JoinMember{ID: m.id, Metadata: data})
	}
	return protocol.DecodeJoin("cooperative-sticky", list)
}

func TestAnnounce(t *testing.T) {
	const scheduled, late = 400 * time.Millisecond, 3200 * time.Millisecond
	type hints = map[string][]int32 // what is coming to whom, of those who are told
	for _, c := range []struct {
		name         string
		members      []member
		after, grace time.Duration
		want         hints
	}{
		{"nothing moves", []member{{id: "a", owned: []int32{0, 1}}, {id: "b", owned: []int32{2, 3}}}, 0, 0, nil},
		{"a member is new", []member{{id: "a", owned: []int32{0, 1, 2, 3}}, {id: "b"}}, scheduled, 60 * time.Millisecond, hints{"a": nil, "b": {2, 3}}},
		{"it is being released already", []member{{id: "a", owned: []int32{0, 1, 2, 3}, releasing: []int32{2, 3}}, {id: "b", expected: []int32{2, 3}}},
			0, 60 * time.Millisecond, hints{"a": nil, "b": {2, 3}}},
		{"some of it is", []member{{id: "a", owned: []int32{0, 1, 2, 3}, releasing: []int32{3}}, {id: "b", expected: []int32{3}}},
			scheduled, 60 * time.Millisecond, hints{"a": nil, "b": {2, 3}}},
		{"the owner does not follow", []member{{id: "a", owned: []int32{0, 1, 2, 3}, foreign: true}, {id: "b"}}, 0, late, hints{"b": {2, 3}}},
		{"another does not", []member{{id: "a", owned: []int32{0, 1, 2}}, {id: "b"}, {id: "c", owned: []int32{3}, foreign: true}}, scheduled, late, hints{"a": nil, "b": {2}}},
		{"the new one does not", []member{{id: "a", owned: []int32{0, 1, 2, 3}}, {id: "b", foreign: true}}, scheduled, late, hints{"a": nil}},
		{"nobody knows whose it is", []member{{id: "a", owned: []int32{0, 1, 2}}, {id: "b", owned: []int32{2, 3}}}, scheduled, 60 * time.Millisecond, hints{"a": nil, "b": nil}},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := join(t, c.members)
			g := j.Group("g", 5, "a", []strategy.Topic{{Name: "t", Partitions: 4}})
			a, err := strategy.Cooperative(sticky.Assignor{}).Assign(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			got := hints(nil)
			for id, u := range handover.Announce(j, g, &a, handover.Timing{}) {
				if got == nil {
					got = hints{}
				}
				got[id] = nil
				for _, tp := range u.Coming {
					got[id] = append(got[id], tp.Partitions...)
				}
				if u.FollowUp.After != c.after || u.FollowUp.Grace != c.grace {
					t.Errorf("%s: after %v, grace %v", id, u.FollowUp.After, u.FollowUp.Grace)
				}
			}
			if c.name == "nobody knows whose it is" {
				for id := range got { // who gets it is the assignor's to say
					got[id] = nil
				}
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// What is coming may be more than user data have room for: then it is less, and the assignment is sent all the same.
func TestAnnounceMoreThanThereIsRoomFor(t *testing.T) {
	const partitions = 40_000
	var all []int32
	for p := range int32(partitions) {
		all = append(all, p)
	}
	j := join(t, []member{{id: "a", owned: all}, {id: "b"}})
	g := j.Group("g", 5, "a", []strategy.Topic{{Name: "t", Partitions: partitions}})
	a, err := strategy.Cooperative(sticky.Assignor{}).Assign(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	a.UserData = map[string][]byte{"b": make([]byte, 1000)}
	hints := handover.Announce(j, g, &a, handover.Timing{})
	if _, err := j.EncodeAssignments(5, &a, hints); err != nil {
		t.Error(err)
	}
	if n := len(hints["b"].Coming[0].Partitions); n < 15_000 || n >= partitions/2 {
		t.Errorf("%d partitions are announced", n)
	}
}
