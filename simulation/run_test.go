package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/assignkit/assignkit/strategy"
)

// small is a scenario of three members and one that joins.
func small() *Scenario {
	return &Scenario{
		Group: strategy.Group{
			Topics:  []strategy.Topic{{Name: "t", Partitions: 6}},
			Members: NewMembers(nil, 3),
		},
		Events: []Event{Join{Count: 1}, Leave{Members: []string{"member-1"}}},
	}
}

// TestFaults: whatever an assignor does wrong is a RunError that says at which step.
func TestFaults(t *testing.T) {
	fourth := func(g *strategy.Group) bool { return len(g.Members) == 4 }
	for _, c := range []struct {
		name   string
		broken broken
		want   string
	}{
		{"error", broken{assign: func(g *strategy.Group) (strategy.Assignment, error) {
			return strategy.Assignment{}, errors.New("no idea")
		}}, "spec: step 0 (start): no idea"},
		{"panic", broken{assign: func(g *strategy.Group) (strategy.Assignment, error) {
			if fourth(g) {
				panic("too many\nmembers")
			}
			return deal(g, false)
		}}, "spec: step 1 (join member-4): panic: too many\nmembers"},
		{"nothing", broken{assign: func(g *strategy.Group) (strategy.Assignment, error) {
			return strategy.Assignment{}, nil
		}}, `spec: step 0 (start): invalid assignment (9 violations); complete: t-0: nobody gets it, and no reason is given; ` +
			`complete: t-1: nobody gets it, and no reason is given; complete: t-2: nobody gets it, and no reason is given; ` +
			`complete: t-3: nobody gets it, and no reason is given; complete: t-4: nobody gets it, and no reason is given; and 4 more`},
		{"takes what is owned", broken{coop: true, assign: func(g *strategy.Group) (strategy.Assignment, error) {
			return deal(g, false)
		}}, `spec: step 1 (join member-4): invalid assignment (3 violations); owned: t-3, member "member-4": is still owned by "member-1"; ` +
			`owned: t-4, member "member-1": is still owned by "member-2"; owned: t-5, member "member-2": is still owned by "member-3"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Run(context.Background(), small(), "spec", c.broken)
			var e *RunError
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if got := err.Error(); !strings.HasPrefix(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestUnsettled asks an assignor that always withholds half of what member-1 owns.
func TestUnsettled(t *testing.T) {
	s := small()
	a := broken{coop: true, assign: func(g *strategy.Group) (strategy.Assignment, error) {
		a := strategy.Assignment{Members: map[string][]strategy.TopicPartitions{}}
		for i := range g.Members {
			a.Members[g.Members[i].ID] = nil
		}
		half, other := []int32{0, 1, 2}, []int32{3, 4, 5}
		if g.Generation%2 == 0 {
			half, other = other, half
		}
		a.Members["member-1"] = []strategy.TopicPartitions{{Topic: "t", Partitions: half}}
		for _, p := range other {
			u := strategy.Unassigned{Topic: "t", Partition: p, Reason: strategy.ReasonWithheld}
			if g.Generation > 2 { // nobody owns it by then, so it can only wait for the other half
				u.With = &strategy.TopicPartition{Topic: "t", Partition: p}
			}
			a.Unassigned = append(a.Unassigned, u)
		}
		return a, nil
	}}
	s.Events = s.Events[:0]
	s.Group.Members[0].Owned = []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{0, 1, 2, 3, 4, 5}}}
	s.Group.Members[0].Generation = 1
	_, err := Run(context.Background(), s, "spec", a)
	var e *UnsettledError
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "spec: step 0 (start): not settled after 5 rounds: t-3, t-4, t-5 still withheld") && !strings.Contains(err.Error(), "t-0, t-1, t-2 still withheld") {
		t.Errorf("got %v", err)
	}
}

func TestPanicKeepsTheStack(t *testing.T) {
	cause := errors.New("cause")
	_, err := Run(context.Background(), small(), "spec", broken{assign: func(*strategy.Group) (strategy.Assignment, error) { panic(cause) }})
	var e *strategy.PanicError
	if !errors.As(err, &e) || !strings.Contains(string(e.Stack), "run_test.go") || !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if _, err := Run(context.Background(), small(), "spec", nil); !errors.As(err, &e) {
		t.Errorf("no assignor: got %v", err)
	}
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	steps := 0
	_, err := Run(ctx, small(), "spec", broken{assign: func(g *strategy.Group) (strategy.Assignment, error) {
		if steps++; steps == 2 {
			cancel()
		}
		return deal(g, true)
	}})
	var e *RunError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &e) || e.Step < 1 || e.Step > 2 || steps != 2 {
		t.Errorf("got %v after %d steps", err, steps)
	}
}

// TestHang has an assignor that never returns: who waits for the result must not hang with it.
func TestHang(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	released := make(chan struct{})
	defer close(released)
	_, err := Run(ctx, small(), "spec", broken{assign: func(*strategy.Group) (strategy.Assignment, error) {
		cancel()
		<-released
		return strategy.Assignment{}, nil
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestEventErrors: scenarios that are built in code are checked as files are.
func TestEventErrors(t *testing.T) {
	for _, c := range []struct {
		change func(s *Scenario)
		want   string
	}{
		{func(s *Scenario) { s.Group.Topics = nil }, "start: there are no topics"},
		{func(s *Scenario) { s.Group.Topics[0].Partitions = -1 }, `start: topic "t" has -1 partitions; 0 to 33554432 can be`},
		{func(s *Scenario) { s.Group.Topics[0].Weights = []float64{1} }, `start: topic "t" has weights for 1 of 6 partitions`},
		{func(s *Scenario) { s.Group.Topics[0].Racks = make([][]string, 7) }, `start: topic "t" has racks for 7 of 6 partitions`},
		{func(s *Scenario) { s.Group.Topics[0].LeaderRacks = make([]string, 7) }, `start: topic "t" has leaders' racks for 7 of 6 partitions`},
		{func(s *Scenario) { s.Group.Topics[0].Signals = map[string][]float64{"lag": nil} }, `start: topic "t" has signal "lag" for 0 of 6 partitions`},
		{func(s *Scenario) {
			s.Group.Topics[0].Signals = map[string][]float64{"lag": {0, math.NaN(), 0, 0, 0, 0}}
		}, `start: topic "t": partition 1 has signal "lag" of NaN, which is not within ±1e+100`},
		{func(s *Scenario) { s.Group.Members[1].Uptime = -1 }, `start: member "member-2": uptime -1ns is negative`},
		{func(s *Scenario) { s.Group.Members[1].Signals = map[string]float64{"cpu": math.Inf(1)} }, `start: member "member-2": signal "cpu" is +Inf, which is not within ±1e+100`},
		{func(s *Scenario) { s.Events[1] = Measure{} }, "event 2 (measure ): names no topics"},
		{func(s *Scenario) {
			s.Events[1] = Measure{map[string]Measured{"t": {Weights: Numbers{Some: map[int32]float64{-1: 1}}}}}
		}, `event 2 (measure weights of t): topic "t": weights of partition -1, of which there are 6`},
		{func(s *Scenario) { s.Group.Topics[0].Name = "" }, "start: a topic has no name"},
		{func(s *Scenario) { s.Group.Members[1].ID = "" }, "start: a member has no id"},
		{func(s *Scenario) { s.Group.Members[1].ID = "member-1" }, `start: member "member-1" is in the group already`},
		{func(s *Scenario) { s.Group.Members[1].Capacity = -1 }, `start: member "member-2": capacity -1 is not within 0..1048575`},
		{func(s *Scenario) { s.Group.Members[1].Generation = 1<<31 - 1 }, "start: generation 2147483647 is beyond 1073741824"},
		{func(s *Scenario) { s.Events[0] = nil }, "event 1 (nil): there is no event"},
		{func(s *Scenario) { s.Events[0] = Join{Count: -1} }, "event 1 (join -1): -1 members cannot join; 0 to 100000 can"},
		{func(s *Scenario) { s.Events[0] = Leave{} }, "event 1 (leave ): names no members"},
		{func(s *Scenario) { s.Events[1] = Deploy{Members: []string{"*"}, Surge: -1} }, "event 2 (deploy *): surge -1 and max_unavailable 0: neither can be negative"},
		{func(s *Scenario) { s.Events[1] = Grow{} }, "event 2 (grow ): names no topics"},
		{func(s *Scenario) { s.Events[1] = Create{[]strategy.Topic{{Name: "u", Partitions: 1 << 30}}} }, `event 2 (create u with 1073741824): topic "u" has 1073741824 partitions; 0 to 33554432 can be`},
		{func(s *Scenario) { s.Events[1] = Delete{[]string{"u"}} }, `event 2 (delete u): no topic "u"; did you mean "t"?`},
		{func(s *Scenario) { s.Events[1] = Set{Members: []string{"*"}} }, "event 2 (set *: ): sets nothing; there are capacity, labels, rack, signals, topics, uptime"},
	} {
		s := small()
		c.change(s)
		_, err := Run(context.Background(), s, "spec", keep{})
		var e *EventError
		if !errors.As(err, &e) || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestRunLeavesTheScenarioAlone runs one scenario several times at once; the race detector watches.
func TestRunLeavesTheScenarioAlone(t *testing.T) {
	text := "topics: {t: {partitions: 7, racks: [[a], [b]], weights: [1, 2], signals: {lag: [4]}}}\nmembers: [{id: m-2, labels: {a: b}}, m-1, {id: m-3, instance: i, topics: [u, t]}]\n" +
		"events: [{create: {u: 2}}, {grow: {t: 9}}, {set: {member: m-2, capacity: 3, labels: {c: d}, signals: {cpu: 1}}}, {measure: {t: {weights: {0: 9}, signals: {lag: {1: 2}}}}}, {deploy: '*'}, {join: 2}, {delete: u}]\n"
	read := func() *Scenario {
		s, err := Read("x", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := read()
	var wait sync.WaitGroup
	results := make([]*Result, 4)
	for i := range results {
		wait.Go(func() {
			var err error
			if results[i], err = Run(context.Background(), s, "spec", strategy.Cooperative(keep{})); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if !reflect.DeepEqual(s, read()) {
		t.Error("the scenario has changed")
	}
	for _, r := range results[1:] {
		if !reflect.DeepEqual(r, results[0]) {
			t.Error("results differ")
		}
	}
}

func TestMoveJSON(t *testing.T) {
	got, err := json.Marshal([]Move{{Topic: "t", Partition: 3, From: "a", To: "b"}, {Topic: "t", From: "a", Kind: MoveForced}})
	want := `[{"topic":"t","partition":3,"from":"a","to":"b","kind":"voluntary"},{"topic":"t","partition":0,"from":"a","to":null,"kind":"forced"}]`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestNewMembers(t *testing.T) {
	for _, c := range []struct{ have, want string }{
		{"", "member-1 member-2"},
		{"billing-1 billing-2", "billing-3 billing-4"},
		{"billing-1 billing-9", "billing-10 billing-11"},
		{"billing-1~2 billing-2~7", "billing-3 billing-4"},
		{"pod-07 pod-08", "pod-09 pod-10"},
		{"a b", "member-1 member-2"},
		{"a-1 b-1 b-2", "b-3 b-4"},
		{"b-1 a-1", "a-2 a-3"},
		{"member-2 x", "member-3 member-4"},
		{"-1 -2", "member-1 member-2"},
		{"x-1234567890 x-12345678901234567890", "member-1 member-2"},
		{"x-9~2 x-10", "x-11 x-12"},
	} {
		var have []strategy.Member
		for id := range strings.FieldsSeq(c.have) {
			have = append(have, strategy.Member{ID: id})
		}
		if got := strings.Join(ids(NewMembers(have, 2)), " "); got != c.want {
			t.Errorf("after %q: got %q, want %q", c.have, got, c.want)
		}
	}
}
