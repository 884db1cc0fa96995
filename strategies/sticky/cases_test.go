package sticky_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/assignkit/assignkit/internal/balance"
	"github.com/assignkit/assignkit/internal/groupjson"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// expectation is what a case demands of an answer; testdata/cases/README.md describes the fields.
type expectation struct {
	Name   string
	Expect struct {
		SortedLoads       []int       `json:"sorted_loads"`
		VoluntaryMoves    *int        `json:"voluntary_moves"`
		Forbidden         [][2]string `json:"forbidden"`
		Withheld          [][2]any    `json:"withheld"`
		FirstRoundNothing []string    `json:"first_round_nothing"`
		MaxRounds         int         `json:"max_rounds"`
		MaxTopicSkew      *int        `json:"max_topic_skew"`
	}
}

func TestCases(t *testing.T) {
	for _, file := range []string{"optimum.jsonl", "reported.jsonl"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "cases", file))
		if err != nil {
			t.Fatal(err)
		}
		cases := 0
		lines := bufio.NewScanner(bytes.NewReader(text))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var want expectation
			if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
				t.Fatal(err)
			}
			g, err := groupjson.Decode(lines.Bytes())
			if err != nil {
				t.Fatalf("%s: %v", want.Name, err)
			}
			cases++
			t.Run(file+"/"+want.Name, func(t *testing.T) { want.check(t, g) })
		}
		if err := lines.Err(); err != nil || cases < 20 {
			t.Fatalf("%s: %d cases, %v", file, cases, err)
		}
	}
}

func (want *expectation) check(t *testing.T, g *strategy.Group) {
	answer := assign(t, sticky.Assignor{}, g)
	m, err := strategy.Measure(g, &answer)
	if err != nil {
		t.Fatal(err)
	}
	if want.Expect.SortedLoads != nil {
		if got := loads(g, &answer); !slices.Equal(got, want.Expect.SortedLoads) {
			t.Errorf("loads %v, want %v", got, want.Expect.SortedLoads)
		}
		if m.Regret != 0 {
			t.Errorf("regret %v, and the loads are the best there are", m.Regret)
		}
	}
	if v := want.Expect.VoluntaryMoves; v != nil && (m.Voluntary != *v || m.VoluntaryMinimum != *v) {
		t.Errorf("%d voluntary moves, minimum given as %d, want %d", m.Voluntary, m.VoluntaryMinimum, *v)
	}
	if s := want.Expect.MaxTopicSkew; s != nil && m.TopicSkew > *s {
		t.Errorf("topic skew %d, want at most %d", m.TopicSkew, *s)
	}
	want.forbidden(t, &answer)
	want.cooperative(t, g)
}

func (want *expectation) forbidden(t *testing.T, a *strategy.Assignment) {
	for _, f := range want.Expect.Forbidden {
		for _, tp := range a.Members[f[0]] {
			if tp.Topic == f[1] {
				t.Errorf("%s was given %s %v", f[0], f[1], tp.Partitions)
			}
		}
	}
}

// cooperative runs the case in rounds.
func (want *expectation) cooperative(t *testing.T, g *strategy.Group) {
	first, rounds, last := settle(t, strategy.Cooperative(sticky.Assignor{}), g)
	for _, id := range want.Expect.FirstRoundNothing {
		if len(first.Members[id]) > 0 {
			t.Errorf("%s was given %v in the first round", id, first.Members[id])
		}
	}
	for _, w := range want.Expect.Withheld {
		topic, partition := w[0].(string), int32(w[1].(float64))
		if !slices.ContainsFunc(first.Unassigned, func(u strategy.Unassigned) bool {
			return u.Topic == topic && u.Partition == partition && u.Reason == strategy.ReasonWithheld
		}) {
			t.Errorf("%s-%d is not withheld: %v", topic, partition, first.Unassigned)
		}
	}
	want.forbidden(t, &first)
	want.forbidden(t, &last)
	most := want.Expect.MaxRounds
	if most == 0 {
		most = 2
	}
	if rounds > most {
		t.Errorf("settled in %d rounds, want %d at most", rounds, most)
	}
	if l := want.Expect.SortedLoads; l != nil {
		if got := loads(g, &last); !slices.Equal(got, l) {
			t.Errorf("cooperative: loads %v, want %v", got, l)
		}
	}
}

// tester is what testing.T and rapid.T have in common.
type tester interface {
	Helper()
	Fatal(...any)
}

func assign(t tester, a strategy.Assignor, g *strategy.Group) strategy.Assignment {
	t.Helper()
	answer, err := a.Assign(context.Background(), g)
	if err != nil {
		t.Fatal(err)
	}
	if err := strategy.Validate(g, &answer, strategy.ProtocolOf(a)); err != nil {
		t.Fatal(err)
	}
	return answer
}

// settle runs cooperative rounds until one changes nothing, and returns the first answer, the number of rounds, and the last.
func settle(t tester, a strategy.Assignor, g *strategy.Group) (first strategy.Assignment, rounds int, last strategy.Assignment) {
	t.Helper()
	for rounds = 1; ; rounds++ {
		last = assign(t, a, g)
		if rounds == 1 {
			first = last
		}
		if len(last.Unassigned) == 0 || rounds == 10 {
			return first, rounds, last
		}
		next := *g
		next.Members = slices.Clone(g.Members)
		for i := range next.Members {
			next.Members[i].Owned, next.Members[i].Generation = last.Members[next.Members[i].ID], 100+int32(rounds)
		}
		g = &next
	}
}

func loads(g *strategy.Group, a *strategy.Assignment) []int {
	out := []int{}
	for _, m := range g.Members {
		out = append(out, a.Count(m.ID))
	}
	slices.Sort(out)
	return out
}

// What stands in a spec does what it says.
func TestParameters(t *testing.T) {
	if a, err := strategy.Parse("sticky"); err != nil || a != (sticky.Assignor{}) || a.Name() != "sticky" {
		t.Errorf("without parameters it is %+v, %v", a, err)
	}
	if d, _ := strategy.Lookup("sticky"); d.Parameters[2].Default != strconv.Itoa(balance.DefaultBudget) {
		t.Errorf("said to be the default: %+v", d.Parameters[2])
	}
	g := &strategy.Group{
		Topics: []strategy.Topic{{Name: "t", Partitions: 4}},
		Members: []strategy.Member{
			{ID: "a", Topics: []string{"t"}, Generation: 1, Owned: []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{0, 1, 2}}}},
			{ID: "b", Topics: []string{"t"}, Generation: 1, Owned: []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{3}}}},
		},
	}
	half := &strategy.Group{Topics: []strategy.Topic{{Name: "t", Partitions: 9}, {Name: "u", Partitions: 9}}}
	for i, topics := range [][]string{{"t"}, {"t", "u"}, {"u"}} {
		half.Members = append(half.Members, strategy.Member{ID: string(rune('a' + i)), Topics: topics})
	}
	for _, c := range []struct {
		spec    string
		group   *strategy.Group
		loads   []int
		stopped string
	}{
		{spec: "sticky", group: g, loads: []int{2, 2}},
		{spec: "sticky?tolerance=0", group: g, loads: []int{2, 2}},
		{spec: "sticky?tolerance=1", group: g, loads: []int{1, 3}},
		{spec: "sticky", group: half, loads: []int{6, 6, 6}},
		{spec: "sticky?budget=1", group: half, stopped: "balance"},
	} {
		a, err := strategy.Parse(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		answer := assign(t, a, c.group)
		if got := loads(c.group, &answer); c.loads != nil && !slices.Equal(got, c.loads) || answer.Stopped != c.stopped {
			t.Errorf("%s: loads %v, stopped %q, want %v, %q", c.spec, got, answer.Stopped, c.loads, c.stopped)
		}
	}
}

func TestErrors(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (sticky.Assignor{}).Assign(ended, &strategy.Group{}); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
	if _, err := (sticky.Assignor{}).Assign(t.Context(), &strategy.Group{Members: []strategy.Member{{}}}); err == nil {
		t.Error("a member without an id is taken")
	}
	if _, err := (sticky.Assignor{Tolerance: -1}).Assign(t.Context(), &strategy.Group{}); err == nil {
		t.Error("a tolerance below 0 is taken")
	}
	for _, spec := range []string{"sticky?tolerance=much", "sticky?budget=much"} {
		if _, err := strategy.Parse(spec); err == nil {
			t.Errorf("%s is taken", spec)
		}
	}
}
