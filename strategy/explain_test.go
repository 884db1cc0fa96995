package strategy

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// reads makes a member that subscribes to topics and owns some partitions of the first.
func reads(id string, topics string, owned ...int32) Member {
	m := Member{ID: id, Topics: strings.Fields(topics), Generation: 1}
	if len(owned) > 0 {
		m.Owned = []TopicPartitions{{m.Topics[0], owned}}
	}
	return m
}

// gives makes an answer out of partitions of topic t, and puts what is not among them where unassigned says.
func gives(lists map[string][]int32, unassigned ...Unassigned) *Assignment {
	a := &Assignment{Members: map[string][]TopicPartitions{}, Unassigned: unassigned}
	for id, list := range lists {
		a.Members[id] = []TopicPartitions{{"t", list}}
	}
	return a
}

// TestDerive has a case for each fate and each objective that follows from a group and an answer.
func TestDerive(t *testing.T) {
	six := []Topic{{Name: "t", Partitions: 6}}
	drains := func(m Member) Member { m.Draining = true; return m }
	inRack := func(m Member, rack string) Member { m.Rack = rack; return m }
	racked := []Topic{{Name: "t", Partitions: 2, Racks: [][]string{{"x"}, {"y"}}}}
	for _, test := range []struct {
		name    string
		topics  []Topic
		members []Member
		answer  *Assignment
		of      int32
		terms   Terms
		fate    Fate
		decided Objective
		says    string
	}{
		{"kept as any move is worse", six, []Member{reads("a", "t", 0, 1, 2), reads("b", "t", 3, 4, 5)},
			gives(map[string][]int32{"a": {0, 1, 2}, "b": {3, 4, 5}}), 0, Terms{}, FateKept, ObjectiveBalance, "b, would have 4 partitions with it, to 2 partitions of a without"},
		{"kept as a move gains nothing", six, []Member{reads("a", "t", 0, 1, 2), reads("b", "t", 3, 4), reads("c", "u")},
			gives(map[string][]int32{"a": {0, 1, 2}, "b": {3, 4}}), 0, Terms{}, FateKept, ObjectiveMovement, "with b loads would be as even as they are"},
		{"kept though another would be better", six, []Member{reads("a", "t", 0, 1, 2, 3), reads("b", "t", 4)},
			gives(map[string][]int32{"a": {0, 1, 2, 3}, "b": {4}}), 0, Terms{}, FateKept, ObjectiveUnknown, "though loads would be more even with b"},
		{"kept as nobody else may have it", six, []Member{reads("a", "t", 0), reads("b", "u"), drains(reads("c", "t"))},
			gives(map[string][]int32{"a": {0}}), 0, Terms{}, FateKept, ObjectiveDraining, "no other member may have it (1 does not subscribe to t, 1 is draining)"},
		{"kept as nobody else subscribes", six, []Member{reads("a", "t", 0), reads("b", "u")},
			gives(map[string][]int32{"a": {0}}), 0, Terms{}, FateKept, ObjectiveSubscription, "(1 does not subscribe to t)"},
		{"moved for balance", six, []Member{reads("a", "t", 0, 1, 2, 3, 4, 5), reads("b", "t")},
			gives(map[string][]int32{"a": {0, 1, 2}, "b": {3, 4, 5}}), 3, Terms{}, FateMoved, ObjectiveBalance, "t-3 moves from a to b, so that loads are more even: with it a would have 4 partitions, and has 3"},
		{"moved for nothing", six, []Member{reads("a", "t", 0, 1, 2), reads("b", "t")},
			gives(map[string][]int32{"a": {0}, "b": {1, 2}}), 1, Terms{}, FateMoved, ObjectiveUnknown, "loads would be as even if it had stayed"},
		{"moved from one that drains", six, []Member{drains(reads("a", "t", 0)), reads("b", "t")},
			gives(map[string][]int32{"b": {0}}), 0, Terms{}, FateMoved, ObjectiveDraining, "moves from a, which is draining, to b"},
		{"moved from one that may not have it", six, []Member{reads("a", "t", 0), reads("b", "t"), reads("c", "t")},
			gives(map[string][]int32{"b": {0}}), 0, Terms{Barred: []Objective{ObjectiveEligibility, "", ""}}, FateMoved, ObjectiveEligibility, "which is not eligible by the rules"},
		{"forced", six, []Member{{ID: "a", Topics: []string{"u"}, Owned: []TopicPartitions{{"t", []int32{0}}}, Generation: 1}, reads("b", "t"), reads("c", "t")},
			gives(map[string][]int32{"b": {0}, "c": {1}}), 0, Terms{}, FateForced, ObjectiveBalance, "b gets t-0, as a does not subscribe to t any more"},
		{"placed with the least loaded", six, []Member{reads("a", "t", 0, 1), reads("b", "t")},
			gives(map[string][]int32{"a": {0, 1}, "b": {2}}), 2, Terms{}, FatePlaced, ObjectiveBalance, "b gets t-2, which nobody owned"},
		{"placed by order", six, []Member{reads("a", "t"), reads("b", "t")},
			gives(map[string][]int32{"a": {0}}), 0, Terms{}, FatePlaced, ObjectiveOrder, "the order of partitions and members decides"},
		{"placed in its rack", racked, []Member{inRack(reads("a", "t"), "x"), inRack(reads("b", "t"), "y")},
			gives(map[string][]int32{"a": {0}}), 0, Terms{Ties: []Objective{ObjectiveRacks}}, FatePlaced, ObjectiveRacks, "a is in a rack of the partition"},
		{"placed where few of its topic are", []Topic{{Name: "t", Partitions: 3}, {Name: "u", Partitions: 1}}, []Member{reads("a", "t u"), reads("b", "t u")},
			&Assignment{Members: map[string][]TopicPartitions{"a": {{"t", []int32{0}}, {"u", []int32{0}}}, "b": {{"t", []int32{1}}}}}, 0,
			Terms{Ties: []Objective{ObjectiveRacks, ObjectiveSpread}}, FatePlaced, ObjectiveSpread, "a has fewer partitions of t"},
		{"placed by preference", six, []Member{reads("a", "t"), reads("b", "t")},
			gives(map[string][]int32{"b": {0}}), 0, Terms{Prefer: []float64{1, 2}, Ties: []Objective{ObjectivePreference}}, FatePlaced, ObjectivePreference, "b is preferred"},
		{"disputed", six, []Member{reads("a", "t", 0), reads("b", "t", 0), reads("c", "t")},
			gives(map[string][]int32{"c": {0}}), 0, Terms{}, FatePlaced, ObjectiveOrder, "which two members claimed"},
		{"nobody may have it", six, []Member{reads("a", "t")},
			gives(nil, Unassigned{Topic: "t", Reason: ReasonIneligible}), 0, Terms{}, FateUnassigned, ObjectiveEligibility, "no member may have it"},
		{"limit", six, []Member{reads("a", "t")},
			gives(nil, Unassigned{Topic: "t", Reason: ReasonLimit}), 0, Terms{}, FateUnassigned, ObjectiveLimit, "as the limit allows"},
		{"only draining", six, []Member{drains(reads("a", "t"))},
			gives(nil, Unassigned{Topic: "t", Reason: ReasonDraining}), 0, Terms{}, FateUnassigned, ObjectiveDraining, "only draining members"},
		{"nobody reads it", six, []Member{reads("a", "u")}, gives(nil), 0, Terms{}, FateUnassigned, ObjectiveSubscription, "no member subscribes to t"},
		{"withheld for nobody", six, []Member{reads("a", "t", 0), reads("b", "t")},
			gives(nil, Unassigned{Topic: "t", Reason: ReasonWithheld}), 0, Terms{}, FateWithheld, ObjectiveUnknown, "a still owns it"},
		{"withheld, disputed", six, []Member{reads("a", "t", 0), reads("b", "t", 0)},
			gives(nil, Unassigned{Topic: "t", Reason: ReasonWithheld}), 0, Terms{}, FateWithheld, ObjectiveDispute, "two members claim it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := &Group{Topics: test.topics, Members: test.members}
			e, err := Derive(g, test.answer, TopicPartition{"t", test.of}, test.terms)
			if err != nil {
				t.Fatal(err)
			}
			if e.Fate != test.fate || e.Decided != test.decided || !strings.Contains(e.Why, test.says) {
				t.Errorf("%s, by %s: %s", e.Fate, e.Decided, e.Why)
			}
			if holder := e.Holder(); holder != nil && holder.Says != e.Why {
				t.Errorf("the owner's row says %q", holder.Says)
			}
		})
	}
}

// TestDeriveLoads has weights, capacities and a unit of two partitions, one of which is elsewhere.
func TestDeriveLoads(t *testing.T) {
	g := &Group{Topics: []Topic{{Name: "t", Partitions: 3, Weights: []float64{4, 2, 1}}}, Members: []Member{reads("a", "t", 0, 1), reads("b", "t", 2)}}
	g.Members[1].Capacity = 2
	e, err := Derive(g, gives(map[string][]int32{"a": {0, 1}, "b": {2}}), TopicPartition{"t", 0}, Terms{Together: []int32{0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	a, b := e.Find("a"), e.Find("b")
	if e.Loads != "weight" || e.Weight != 5 || len(e.Together) != 1 || e.Together[0] != (TopicPartition{"t", 2}) {
		t.Errorf("a unit of %v, weight %v in %s", e.Together, e.Weight, e.Loads)
	}
	if a.Load != 6 || a.LoadThen != 2 || b.Load != 1 || b.Ratio != 0.5 || b.LoadThen != 5 || b.RatioThen != 2.5 || b.Effect != EffectBetter {
		t.Errorf("%+v\n%+v", *a, *b)
	}
	if want := "With t-0, b would have weight 5 at capacity 2 instead of 1, and a weight 2 at capacity 1 instead of 6: loads would be more even than they are."; b.Says != want {
		t.Error(b.Says)
	}
}

func TestExplainErrors(t *testing.T) {
	g := &Group{Topics: []Topic{{Name: "t", Partitions: 1}}}
	var wrong *GroupError
	for _, of := range []TopicPartition{{"u", 0}, {"t", 1}, {"t", -1}} {
		if _, err := Explain(t.Context(), answers{}, g, &Assignment{}, of); !errors.As(err, &wrong) {
			t.Errorf("%v: %v", of, err)
		}
		if _, err := Derive(g, nil, of, Terms{}); !errors.As(err, &wrong) {
			t.Errorf("%v: %v", of, err)
		}
	}
	var panicked *PanicError
	if _, err := Explain(t.Context(), panicking{}, g, &Assignment{}, TopicPartition{"t", 0}); !errors.As(err, &panicked) {
		t.Error(err)
	}
}

type panicking struct{ answers }

func (panicking) Explain(context.Context, *Group, *Assignment, TopicPartition) (Explanation, error) {
	panic("no reason")
}

// TestExplainCooperative has one partition withheld, and one that was promised before.
func TestExplainCooperative(t *testing.T) {
	g := &Group{Topics: []Topic{{Name: "t", Partitions: 2}}, Members: []Member{reads("a", "t", 0, 1), reads("b", "t")}}
	c := Cooperative(answering(func(*Group) (Assignment, error) { return *gives(map[string][]int32{"a": {0}, "b": {1}}), nil }))
	explain := func() Explanation {
		answer, err := c.Assign(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Explain(t.Context(), c, g, &answer, TopicPartition{"t", 1})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := explain()
	if e.Fate != FateWithheld || e.For != "b" || e.Before != "a" || e.Owner != "" || !e.Derived || e.Decided != ObjectiveBalance ||
		!strings.Contains(e.Why, "a still owns it and gives it up first; b gets it in the next round") {
		t.Errorf("%+v", e)
	}
	g.Members[0].Owned[0].Partitions, g.Members[1].Expecting = []int32{0}, []TopicPartitions{{"t", []int32{1}}}
	if e := explain(); e.Fate != FatePlaced || e.Before != "" || e.Owner != "b" || e.Decided != ObjectivePromise {
		t.Errorf("%+v", e)
	}
}

// TestExplainFallback tells whose answer it is.
func TestExplainFallback(t *testing.T) {
	g := &Group{Topics: []Topic{{Name: "t", Partitions: 1}}, Members: []Member{reads("a", "t")}}
	fails := answering(func(*Group) (Assignment, error) { return Assignment{}, errors.New("no idea") })
	for name, then := range map[string][]Assignor{"second": {answeringAs{"second"}}, lastResortName: nil} {
		f := Fallback(fails, then...)
		f.Logger = slog.New(slog.DiscardHandler)
		answer, err := f.Assign(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Explain(t.Context(), f, g, &answer, TopicPartition{"t", 0})
		if err != nil || e.Assignor != name || len(e.Notes) == 0 || !strings.Contains(e.Notes[0], "no idea") || e.Owner != "a" {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
}

// answering is an assignor of one function.
type answering func(*Group) (Assignment, error)

func (answering) Name() string { return "answering" }
func (f answering) Assign(_ context.Context, g *Group) (Assignment, error) {
	return f(g)
}

type answeringAs struct{ name string }

func (a answeringAs) Name() string { return a.name }
func (answeringAs) Assign(context.Context, *Group) (Assignment, error) {
	return *gives(map[string][]int32{"a": {0}}), nil
}
