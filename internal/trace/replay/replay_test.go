package replay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/groupjson"
	"github.com/assignkit/assignkit/internal/trace"
	"github.com/assignkit/assignkit/internal/trace/replay"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A group is one whose leader records.
type group struct {
	t        *testing.T
	name     string
	assignor strategy.Assignor
	topics   []strategy.Topic
	members  []strategy.Member

	generation int32
	lines      []*trace.Rebalance
}

func newGroup(t *testing.T, name string, assignor strategy.Assignor, orders int32) *group {
	return &group{t: t, name: name, assignor: assignor, topics: []strategy.Topic{{Name: "orders", Partitions: orders}}}
}

func (g *group) join(ids ...string) {
	for _, id := range ids {
		id, instance, _ := strings.Cut(id, "=")
		g.members = append(g.members, strategy.Member{ID: id, InstanceID: instance, Topics: []string{"orders"}, Generation: strategy.NoGeneration})
	}
}

func (g *group) member(id string) *strategy.Member {
	return &g.members[slices.IndexFunc(g.members, func(m strategy.Member) bool { return m.ID == id })]
}

func (g *group) leave(id string) {
	g.members = slices.DeleteFunc(g.members, func(m strategy.Member) bool { return m.ID == id })
}

// rebalance has one generation, which the first member leads.
func (g *group) rebalance() {
	g.generation++
	asked := (&strategy.Group{Name: g.name, Generation: g.generation, Leader: g.members[0].ID, Topics: g.topics, Members: g.members}).Clone()
	a, err := g.assignor.Assign(context.Background(), asked)
	if err != nil {
		g.t.Fatal(err)
	}
	r := &trace.Rebalance{
		Time: time.Date(2026, 1, 2, 3, 0, int(g.generation), 0, time.UTC), Group: g.name, Generation: g.generation,
		Assignor: g.assignor.Name(), Member: asked.Leader, Leader: true, Assigned: a.Members[asked.Leader],
	}
	r.SetPlan(asked, &a, time.Millisecond)
	g.lines = append(g.lines, r)
	for i := range g.members {
		m := &g.members[i]
		m.Owned, m.Generation = a.Members[m.ID], g.generation
	}
}

func text(t *testing.T, lines ...*trace.Rebalance) []byte {
	t.Helper()
	var b bytes.Buffer
	w := trace.NewWriter(&b)
	for _, r := range lines {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func past(t *testing.T, lines ...*trace.Rebalance) *replay.Past {
	t.Helper()
	p, err := replay.Read("t", bytes.NewReader(text(t, lines...)), "")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// story is what happens to a group in the tests, in a line for each generation.
func story(t *testing.T, assignor strategy.Assignor) *group {
	g := newGroup(t, "billing", assignor, 6)
	g.join("a", "s-1=s")
	g.rebalance() // 1: the start
	g.join("b")
	g.rebalance() // 2: b joins
	g.topics[0].Signals, g.topics[0].LeaderRacks = map[string][]float64{strategy.SignalLag: {9, 8, 7, 6, 5, 4}}, []string{"r", "", "", "", "", ""}
	g.member("b").Uptime, g.member("b").Signals = time.Minute, map[string]float64{"cpu": 1}
	g.rebalance() // 3: and gets its partitions, if the group is cooperative; what is measured is no change
	g.topics[0].Signals, g.topics[0].LeaderRacks = nil, nil
	g.members[1].ID = "s-2"
	g.topics[0].Partitions = 9
	g.rebalance() // 4: s comes back with another id, and orders grow
	g.leave("b")
	g.join("c")
	m := g.member("s-2")
	m.Draining, m.Labels = true, map[string]string{"zone": "1"}
	g.rebalance() // 5: b leaves, c joins and s drains
	g.rebalance() // 6
	g.leave("s-2")
	g.topics = append(g.topics, strategy.Topic{Name: "pay", Partitions: 2})
	g.member("a").Topics = []string{"pay", "orders"}
	g.rebalance() // 7: s leaves, and a reads another topic
	g.rebalance() // 8
	return g
}

func TestScenario(t *testing.T) {
	p := past(t, story(t, strategy.Cooperative(&sticky.Assignor{})).lines...)
	var got []string
	for i, e := range p.Scenario.Events {
		got = append(got, fmt.Sprintf("%s (%d)", e, len(p.Answers[i+1])))
	}
	want := []string{
		"generation 2: join b (2)",
		"generation 4: topics change (1)",
		"generation 5: leave b; drain s-1; join c (2)",
		"generation 7: leave s-1; set a; topics change (2)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the events are\n%s\nand not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if p.Generations != 8 || p.First != 1 || p.Last != 8 || p.Missing != 0 || !slices.Equal(p.Assignors, []string{"cooperative-sticky"}) || p.Cut != nil {
		t.Errorf("%+v", p)
	}
}

// owners is a step's assignment as text, in which nothing is written in one way.
func owners(s *simulation.Step) string { return string(groupjson.AppendAssignment(nil, &s.Assignment)) }

// TestSimulated has the strategy that was recorded, asked again, do what it did: the scenario is what happened.
func TestSimulated(t *testing.T) {
	for _, assignor := range []strategy.Assignor{&sticky.Assignor{}, strategy.Cooperative(&sticky.Assignor{})} {
		p := past(t, story(t, assignor).lines...)
		recorded, err := simulation.PlayBack(context.Background(), &p.Scenario, "recorded", p.Answers)
		if err != nil {
			t.Fatal(err)
		}
		simulated, err := simulation.Run(context.Background(), &p.Scenario, "simulated", assignor)
		if err != nil {
			t.Fatal(err)
		}
		moved := 0
		for i := range recorded.Steps {
			was, is := &recorded.Steps[i], &simulated.Steps[i]
			moved += len(was.Moved)
			if owners(was) != owners(is) || !reflect.DeepEqual(was.Moved, is.Moved) || !reflect.DeepEqual(was.Metrics, is.Metrics) {
				t.Errorf("%s, step %s: recorded is\n%+v, and simulated\n%+v", assignor.Name(), was.Event, was, is)
			}
		}
		if moved == 0 {
			t.Errorf("%s: nothing moves", assignor.Name())
		}
		last := &recorded.Steps[len(recorded.Steps)-1]
		for i := range p.Now.Members {
			if m := &p.Now.Members[i]; fmt.Sprint(m.Owned) != fmt.Sprint(last.Assignment.Members[m.ID]) || m.Generation != 8 {
				t.Errorf("%s: in the end %+v", assignor.Name(), m)
			}
		}
	}
}

// TestOrder has lines of several members in a file: late ones, twice the same, and those that do not lead.
func TestOrder(t *testing.T) {
	lines := story(t, strategy.Cooperative(&sticky.Assignor{})).lines
	want := past(t, lines...)
	follower := &trace.Rebalance{Time: lines[1].Time, Group: "billing", Generation: 2, Member: "b"}
	got := past(t, lines[1], follower, lines[0], lines[2], lines[2], lines[5], lines[3], follower, lines[4], lines[6], lines[7])
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, and not\n%+v", got, want)
	}
}

// TestGaps leaves generations out that members led that do not record.
func TestGaps(t *testing.T) {
	lines := story(t, strategy.Cooperative(&sticky.Assignor{})).lines
	p := past(t, lines[0], lines[4], lines[6])
	if p.Generations != 3 || p.Missing != 4 || len(p.Scenario.Events) != 2 {
		t.Errorf("%+v", p)
	}
	r, err := simulation.PlayBack(context.Background(), &p.Scenario, "recorded", p.Answers)
	if err != nil {
		t.Fatal(err)
	}
	if s := &r.Steps[1]; !strings.HasPrefix(s.Event, "generation 5: drain s-1; join c; grow orders to 9") || s.Rounds != 1 {
		t.Errorf("%s in %d rounds", s.Event, s.Rounds)
	}
}

// TestMembers has what a line says of members mean what it meant to the leader.
func TestMembers(t *testing.T) {
	g := newGroup(t, "g", &sticky.Assignor{}, 4)
	g.join("a", "idle")
	g.member("idle").Topics = nil
	g.rebalance()
	g.join("liar")
	*g.member("liar") = strategy.Member{ID: "liar", Topics: []string{"orders"}, Owned: []strategy.TopicPartitions{{Topic: "orders", Partitions: []int32{3}}}, Generation: 9}
	g.rebalance()
	g.member("a").Draining = true
	g.rebalance()
	p := past(t, g.lines...)
	if idle := p.Scenario.Group.Members[1]; idle.ID != "idle" || idle.Topics == nil || len(idle.Topics) > 0 {
		t.Errorf("who reads nothing is %+v", idle)
	}
	if len(p.Scenario.Events) != 2 {
		t.Fatalf("%d events", len(p.Scenario.Events))
	}
	if liar := p.Scenario.Events[0].(simulation.Change).Join[0]; len(liar.Owned) > 0 || liar.Generation != strategy.NoGeneration {
		t.Errorf("who joins is %+v", liar)
	}
	if e := p.Scenario.Events[1].String(); e != "generation 3: drain a" {
		t.Errorf("the event is %s", e)
	}
}

// TestGroupBeginsAnew has the coordinator forget the group: generations count from 1 again.
func TestGroupBeginsAnew(t *testing.T) {
	first := story(t, &sticky.Assignor{}).lines[:2]
	second := newGroup(t, "billing", &sticky.Assignor{}, 6)
	second.join("x")
	second.rebalance()
	second.lines[0].Time = second.lines[0].Time.Add(time.Hour)
	p := past(t, append(slices.Clone(first), second.lines...)...)
	if p.Generations != 3 || p.Missing != 0 || p.First != 1 || p.Last != 1 {
		t.Errorf("%+v", p)
	}
	if e := p.Scenario.Events[1].String(); e != "generation 1: leave a, b, s-1; join x" {
		t.Errorf("the event is %s", e)
	}
}

func TestWithoutAnswer(t *testing.T) {
	lines := story(t, &sticky.Assignor{}).lines
	lines[2].Answer = nil
	if p := past(t, lines...); p.Answers != nil || len(p.Scenario.Events) != 4 {
		t.Errorf("%+v", p)
	}
}

func TestChoice(t *testing.T) {
	billing, audit := story(t, &sticky.Assignor{}).lines, newGroup(t, "audit", &sticky.Assignor{}, 1)
	audit.join("z")
	audit.rebalance()
	both := text(t, append(slices.Clone(billing), audit.lines...)...)
	if p, err := replay.Read("t", bytes.NewReader(both), "audit"); err != nil || p.Group != "audit" || p.Generations != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	for wanted, says := range map[string]string{
		"":      "t: has several groups: audit, billing",
		"other": `t: there is no group "other" in it; there are audit, billing`,
	} {
		_, err := replay.Read("t", bytes.NewReader(both), wanted)
		var e *replay.GroupError
		if !errors.As(err, &e) || err.Error() != says {
			t.Errorf("%q: %v", wanted, err)
		}
	}
	if _, err := replay.Read("t", strings.NewReader("\n"), ""); err == nil || !strings.HasPrefix(err.Error(), "t: there is no line of a group's leader in it") {
		t.Errorf("of nothing: %v", err)
	}
}

func TestCut(t *testing.T) {
	whole := text(t, story(t, &sticky.Assignor{}).lines...)
	p, err := replay.Read("t", bytes.NewReader(whole[:len(whole)-20]), "")
	if err != nil || p.Generations != 7 || !errors.Is(p.Cut, trace.ErrCut) || !strings.HasPrefix(p.Cut.Error(), "t:8:") {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestNonsense has histories that cannot be.
func TestNonsense(t *testing.T) {
	g := newGroup(t, "g", &sticky.Assignor{}, 2)
	g.join("a=i", "b")
	g.rebalance()
	twice := g.lines[0]
	twice.Asked.Members[1].InstanceID = "i"
	if _, err := replay.Read("t", bytes.NewReader(text(t, twice)), ""); err == nil || !strings.Contains(err.Error(), `has the instance id "i" of member`) {
		t.Errorf("two of one instance id: %v", err)
	}

	g = newGroup(t, "g", &sticky.Assignor{}, 2)
	g.join("a", "b")
	g.rebalance()
	for says, list := range map[string][]strategy.TopicPartitions{
		"is with \"a\" already": {{Topic: "orders", Partitions: []int32{0, 1}}},
		"has no partition 7":    {{Topic: "orders", Partitions: []int32{7}}},
		"is not a topic":        {{Topic: "other", Partitions: []int32{0}}},
	} {
		g.lines[0].Answer = &strategy.Assignment{Members: map[string][]strategy.TopicPartitions{"a": {{Topic: "orders", Partitions: []int32{0}}}, "b": list}}
		p := past(t, g.lines...)
		var e *simulation.RunError
		if _, err := simulation.PlayBack(context.Background(), &p.Scenario, "recorded", p.Answers); !errors.As(err, &e) || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, and not %s", err, says)
		}
	}
	g.lines[0].Answer = &strategy.Assignment{Members: map[string][]strategy.TopicPartitions{"a": {{Topic: "orders", Partitions: []int32{0}}}}}
	p := past(t, g.lines...)
	r, err := simulation.PlayBack(context.Background(), &p.Scenario, "recorded", p.Answers)
	if err != nil || r.Steps[0].Metrics.Unassigned != 1 {
		t.Errorf("a partition was forgotten: %+v, %v", r, err)
	}
}

// FuzzRead has no history end in a panic, whatever the trace says.
func FuzzRead(f *testing.F) {
	g := newGroup(nil, "g", &sticky.Assignor{}, 2)
	g.join("a=i", "b")
	g.rebalance()
	g.leave("b")
	g.join("c")
	g.rebalance()
	var b bytes.Buffer
	for _, r := range g.lines {
		_ = trace.NewWriter(&b).Write(r)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := replay.Read("t", bytes.NewReader(text), "")
		if err != nil {
			return
		}
		size, err := p.Scenario.Size()
		if err != nil {
			t.Fatalf("a history that cannot be: %v", err)
		}
		if size > 10_000 || p.Answers == nil {
			return
		}
		var e *simulation.RunError
		if _, err := simulation.PlayBack(context.Background(), &p.Scenario, "recorded", p.Answers); err != nil && !errors.As(err, &e) {
			t.Errorf("%v", err)
		}
	})
}
