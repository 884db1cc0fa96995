package strategy

import (
	"context"
	"errors"
	"reflect"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// answers is an assignor that always gives one answer.
type answers struct{ Assignment }

func (answers) Name() string                                         { return "fixed" }
func (a answers) Assign(context.Context, *Group) (Assignment, error) { return a.Assignment, nil }

// byNumber is an assignor whose partitions of one number move together.
type byNumber struct{ answers }

func (byNumber) Unit(_ *Group, _ *Topic, p int32) string { return strconv.Itoa(int(p)) }

func TestCooperativeWithholds(t *testing.T) {
	reads := []string{"t"}
	for _, c := range []struct {
		name    string
		members []Member
		plan    map[string][]TopicPartitions
		want    map[string][]TopicPartitions
	}{
		{"what another owns",
			[]Member{claim("a", 4, reads, 0, 1), claim("b", 4, reads)},
			map[string][]TopicPartitions{"a": {list("t", 0)}, "b": {list("t", 1, 2)}},
			map[string][]TopicPartitions{"a": {list("t", 0)}, "b": {list("t", 2)}}},
		{"a stale claim masks a transfer", // franz-go PR 1348
			[]Member{claim("a", 1, reads, 0), claim("b", 2, reads, 0, 1, 2)},
			map[string][]TopicPartitions{"a": {list("t", 0)}, "b": {list("t", 1, 2)}},
			map[string][]TopicPartitions{"a": nil, "b": {list("t", 1, 2)}}},
		{"two claims of one generation", // KAFKA-12984
			[]Member{claim("a", 3, reads, 0, 1), claim("b", 3, reads, 1, 2)},
			map[string][]TopicPartitions{"a": {list("t", 0, 1)}, "b": {list("t", 2)}},
			map[string][]TopicPartitions{"a": {list("t", 0)}, "b": {list("t", 2)}}},
		{"a former subscriber still holds it",
			[]Member{claim("a", 3, nil, 0), claim("b", 3, reads, 1, 2)},
			map[string][]TopicPartitions{"a": nil, "b": {list("t", 0, 1, 2)}},
			map[string][]TopicPartitions{"a": nil, "b": {list("t", 1, 2)}}},
		{"nothing to wait for",
			[]Member{claim("a", 3, reads, 0), claim("b", 3, reads, 1)},
			map[string][]TopicPartitions{"a": {list("t", 0)}, "b": {list("t", 1, 2)}},
			map[string][]TopicPartitions{"a": {list("t", 0)}, "b": {list("t", 1, 2)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &Group{Topics: []Topic{{Name: "t", Partitions: 3}}, Members: c.members}
			a := Cooperative(answers{Assignment{Members: c.plan}})
			got, err := a.Assign(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Members, c.want) {
				t.Errorf("got %v, want %v", got.Members, c.want)
			}
			if err := Validate(g, &got, ProtocolCooperative); err != nil {
				t.Error(err)
			}
		})
	}
}

// A new owner of a unit gets all of it or nothing: a part cannot be joined with anything.
func TestCooperativeWithholdsUnits(t *testing.T) {
	g := &Group{
		Topics: []Topic{{Name: "t", Partitions: 3}, {Name: "u", Partitions: 2}},
		Members: []Member{
			{ID: "a", Topics: []string{"t", "u"}, Generation: 1, Owned: []TopicPartitions{list("t", 0, 1), list("u", 0)}}, // gave up u-1 before
			{ID: "b", Topics: []string{"t", "u"}},
		},
	}
	plan := map[string][]TopicPartitions{"a": {list("t", 0), list("u", 0)}, "b": {list("t", 1, 2), list("u", 1)}} // nobody has t-2
	got, err := Cooperative(byNumber{answers{Assignment{Members: plan}}}).Assign(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	want := Assignment{
		Members: map[string][]TopicPartitions{"a": {list("t", 0), list("u", 0)}, "b": {list("t", 2)}},
		Unassigned: []Unassigned{
			{Topic: "t", Partition: 1, Reason: ReasonWithheld, For: "b"},
			{Topic: "u", Partition: 1, Reason: ReasonWithheld, For: "b", With: &TopicPartition{Topic: "t", Partition: 1}},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if err := Validate(g, &got, ProtocolCooperative); err != nil {
		t.Error(err)
	}
	if one, _ := Cooperative(answers{Assignment{Members: plan}}).Assign(t.Context(), g); len(one.Members["b"]) != 2 {
		t.Errorf("without units, b gets u-1 at once: %v", one.Members)
	}
}

// Whatever the plan, nothing is handed out while it is owned, and the next round hands the rest out.
func TestCooperativeSettles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGroup(t).Canonical()
		plan, err := lastResort(&Group{Topics: g.Topics, Members: withoutClaims(g.Members)}, ProtocolEager)
		if err != nil {
			t.Fatal(err)
		}
		a := Cooperative(answers{plan})
		first, err := a.Assign(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		if err := Validate(g, &first, ProtocolCooperative); err != nil {
			t.Fatal(err)
		}
		next := *g
		next.Members = withoutClaims(g.Members)
		for i := range next.Members {
			next.Members[i].Owned, next.Members[i].Generation = first.Members[next.Members[i].ID], 10
		}
		second, err := a.Assign(context.Background(), &next)
		if err != nil {
			t.Fatal(err)
		}
		if len(second.Unassigned) > 0 {
			t.Fatalf("the second round withholds %v", second.Unassigned)
		}
		if err := Validate(&next, &second, ProtocolCooperative); err != nil {
			t.Fatal(err)
		}
	})
}

func withoutClaims(members []Member) []Member {
	out := append([]Member(nil), members...)
	for i := range out {
		out[i].Owned, out[i].Generation = nil, NoGeneration
	}
	return out
}

// What is withheld is listed in order, and what is wrong with an answer stays in it.
func TestCooperativeLeavesTheRest(t *testing.T) {
	reads := []string{"t", "u"}
	g := &Group{
		Topics:  []Topic{{Name: "t", Partitions: 4}, {Name: "u", Partitions: 2}},
		Members: []Member{claim("a", 4, reads, 0, 1, 2), claim("b", 4, reads), claim("c", 4, reads)},
	}
	g.Members[0].Owned = append(g.Members[0].Owned, list("u", 0)) // which t-4 must not be taken for
	plan := Assignment{
		Members: map[string][]TopicPartitions{
			"a": nil, "b": {list("s", 0), list("t", -1, 2, 4, 0, 9), list("u"), list("v", 1)}, "c": {list("t", 1), list("u", 1, 2)},
		},
		Unassigned: []Unassigned{{Topic: "u", Reason: ReasonLimit}, {Topic: "t", Partition: 3, Reason: ReasonLimit}},
	}
	want := Assignment{
		Members: map[string][]TopicPartitions{"a": nil, "b": {list("s", 0), list("t", -1, 4, 9), list("u"), list("v", 1)}, "c": {list("u", 1, 2)}},
		Unassigned: []Unassigned{
			{Topic: "t", Reason: ReasonWithheld, For: "b"}, {Topic: "t", Partition: 1, Reason: ReasonWithheld, For: "c"}, {Topic: "t", Partition: 2, Reason: ReasonWithheld, For: "b"},
			{Topic: "t", Partition: 3, Reason: ReasonLimit}, {Topic: "u", Reason: ReasonLimit},
		},
	}
	got, err := Cooperative(answers{plan}).Assign(t.Context(), g)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, got %+v, want %+v", err, got, want)
	}
}

// A member may be given its own list back. That says nothing if what it claims has become somebody else's.
func TestCooperativeWithholdsStaleClaims(t *testing.T) {
	reads := []string{"t"}
	g := &Group{Topics: []Topic{{Name: "t", Partitions: 2}}, Members: []Member{claim("a", 4, reads, 0, 1), claim("b", 1, reads, 0)}}
	plan := map[string][]TopicPartitions{"a": nil, "b": g.Members[1].Owned}
	got, err := Cooperative(answers{Assignment{Members: plan}}).Assign(t.Context(), g)
	if err != nil || got.Count("b") != 0 || len(got.Unassigned) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	g.Members[1].Generation = 5 // now b keeps it, and a, too, what it has
	plan = map[string][]TopicPartitions{"a": {list("t", 1)}, "b": g.Members[1].Owned}
	if got, err = Cooperative(answers{Assignment{Members: plan}}).Assign(t.Context(), g); err != nil || got.Count("a") != 1 || got.Count("b") != 1 || got.Unassigned != nil {
		t.Errorf("%+v, %v", got, err)
	}
	g.Members[0], g.Members[1] = claim("a", 5, reads, 0), claim("b", 5, reads, 1)
	plan = map[string][]TopicPartitions{"a": {list("t", 0, 1)}, "b": g.Members[1].Owned}
	if got, err = Cooperative(answers{Assignment{Members: plan}}).Assign(t.Context(), g); err != nil || got.Count("a") != 1 || len(got.Unassigned) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestCooperativeErrors(t *testing.T) {
	var group *GroupError
	if _, err := Cooperative(answers{}).Assign(t.Context(), &Group{Members: []Member{{}}}); !errors.As(err, &group) {
		t.Errorf("a group that cannot be assigned gives %v", err)
	}
	broken := does{"broken", func(context.Context, *Group) (Assignment, error) { return Assignment{Stopped: "x"}, errBroken }}
	if a, err := Cooperative(broken).Assign(t.Context(), twoMembers()); !errors.Is(err, errBroken) || a.Stopped != "" {
		t.Errorf("an assignor that fails gives %+v, %v", a, err)
	}
}

func TestCooperativeName(t *testing.T) {
	a := Cooperative(answers{})
	if a.Name() != "cooperative-fixed" || ProtocolOf(a) != ProtocolCooperative || ProtocolOf(answers{}) != ProtocolEager {
		t.Error(a.Name(), ProtocolOf(a))
	}
	if ProtocolEager.String() != "eager" || ProtocolCooperative.String() != "cooperative" {
		t.Errorf("protocols are called %v and %v", ProtocolEager, ProtocolCooperative)
	}
	if Cooperative(a).Name() != a.Name() {
		t.Error("wrapped twice")
	}
}
