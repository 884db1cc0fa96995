package rangeassign_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/assignkit/assignkit/internal/groupjson"
	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategy"
)

// table has the worked examples of both variants: partitions of one topic, its subscribers, and how many each of them gets.
var table = []struct {
	partitions, members int
	even, chunks        []int
}{
	{3, 2, []int{2, 1}, []int{2, 1}},
	{5, 4, []int{2, 1, 1, 1}, []int{2, 2, 1, 0}},
	{7, 3, []int{3, 2, 2}, []int{3, 3, 1}},
	{9, 8, []int{2, 1, 1, 1, 1, 1, 1, 1}, []int{2, 2, 2, 2, 1, 0, 0, 0}},
	{10, 4, []int{3, 3, 2, 2}, []int{3, 3, 3, 1}},
	{3, 1, []int{3}, []int{3}},
	{3, 3, []int{1, 1, 1}, []int{1, 1, 1}},
	{3, 4, []int{1, 1, 1, 0}, []int{1, 1, 1, 0}},
	{12, 4, []int{3, 3, 3, 3}, []int{3, 3, 3, 3}},
	{0, 2, []int{0, 0}, []int{0, 0}},
	{1, 3, []int{1, 0, 0}, []int{1, 0, 0}},
}

func TestTable(t *testing.T) {
	for _, test := range table {
		g := oneTopic(test.partitions, test.members)
		for even, want := range map[bool][]int{true: test.even, false: test.chunks} {
			a := assign(t, rangeassign.Assignor{Even: even}, g)
			next := int32(0)
			for m, n := range want {
				id := g.Members[m].ID
				var got []int32
				for _, tp := range a.Members[id] {
					got = append(got, tp.Partitions...)
				}
				var stretch []int32
				for range n {
					stretch = append(stretch, next)
					next++
				}
				if !slices.Equal(got, stretch) {
					t.Errorf("%d partitions, %d members, even=%t: %s gets %v, not %v", test.partitions, test.members, even, id, got, stretch)
				}
			}
		}
	}
}

// TestFormula checks chunks against the formula that defines them, member by member.
func TestFormula(t *testing.T) {
	for P := range 20 {
		for C := 1; C < 10; C++ {
			g := oneTopic(P, C)
			a := assign(t, rangeassign.Assignor{}, g)
			N := (P + C - 1) / C
			for i := range C {
				var want []int32
				for p := i * N; p < min((i+1)*N, P); p++ {
					want = append(want, int32(p))
				}
				var got []int32
				if list := a.Members[g.Members[i].ID]; len(list) > 0 {
					got = list[0].Partitions
				}
				if !slices.Equal(got, want) {
					t.Errorf("P=%d, C=%d, member %d gets %v, not %v", P, C, i, got, want)
				}
			}
		}
	}
}

// TestManySmallTopics shows what ranges cost: the first members get the surplus of every topic.
func TestManySmallTopics(t *testing.T) {
	g := &strategy.Group{}
	var all []string
	for n := range 30 {
		g.Topics = append(g.Topics, strategy.Topic{Name: fmt.Sprintf("t%02d", n), Partitions: int32(n%12 + 1)})
		all = append(all, g.Topics[n].Name)
	}
	for m := range 12 {
		g.Members = append(g.Members, strategy.Member{ID: fmt.Sprintf("c%02d", m), Topics: all})
	}
	a := assign(t, rangeassign.Assignor{Even: true}, g)
	var loads []int
	for id := range a.Members {
		loads = append(loads, a.Count(id))
	}
	slices.Sort(loads)
	if want := []int{2, 4, 6, 8, 10, 12, 15, 18, 21, 24, 27, 30}; !slices.Equal(loads, want) {
		t.Errorf("loads %v, not %v", loads, want)
	}
}

func TestAssign(t *testing.T) {
	for _, test := range []struct{ name, group, chunks, even string }{
		{"each topic among its own subscribers", `{"topics":{"t":3,"u":3},"members":[{"id":"a","topics":["t"]},{"id":"b","topics":["t","u"]}]}`,
			`{"a":{"t":[0,1]},"b":{"t":[2],"u":[0,1,2]}}`, ``},
		{"static members first", `{"topics":{"t":2},"members":[{"id":"a","topics":["t"]},{"id":"z","instance":"i","topics":["t"]}]}`,
			`{"a":{"t":[1]},"z":{"t":[0]}}`, ``},
		{"claims mean nothing", `{"topics":{"t":2},"members":[{"id":"a","topics":["t"],"owned":{"t":[1]},"generation":3},{"id":"b","topics":["t"],"owned":{"t":[0]},"generation":3}]}`,
			`{"a":{"t":[0]},"b":{"t":[1]}}`, ``},
		{"draining", `{"topics":{"t":3,"u":1},"members":[{"id":"a","topics":["t","u"],"capacity":0},{"id":"b","topics":["t"]},{"id":"c","topics":["t"]}]}`,
			`{"a":{"u":[0]},"b":{"t":[0,1]},"c":{"t":[2]}}`, ``},
		{"draining, equal subscriptions", `{"topics":{"t":3},"members":[{"id":"a","topics":["t"],"capacity":0},{"id":"b","topics":["t"]}]}`,
			`{"a":{},"b":{"t":[0,1,2]}}`, ``},
		{"all draining", `{"topics":{"t":3},"members":[{"id":"a","topics":["t"],"capacity":0},{"id":"b","topics":["t"],"capacity":0}]}`,
			`{"a":{"t":[0,1]},"b":{"t":[2]}}`, ``},
		{"nobody subscribes", `{"topics":{"t":3},"members":[{"id":"a"}]}`, `{"a":{}}`, ``},
		{"racks", `{"topics":{"t":4},"members":[{"id":"a","topics":["t"],"rack":"r2"},{"id":"b","topics":["t"],"rack":"r1"}],"racks":{"t":[["r1"],["r1"],["r2"],["r2"]]}}`,
			`{"a":{"t":[0,1]},"b":{"t":[2,3]}}`, `{"a":{"t":[2,3]},"b":{"t":[0,1]}}`},
		{"racks that make no difference", `{"topics":{"t":4},"members":[{"id":"a","topics":["t"],"rack":"r2"},{"id":"b","topics":["t"],"rack":"r1"}],"racks":{"t":[["r1","r2"]]}}`,
			`{"a":{"t":[0,1]},"b":{"t":[2,3]}}`, ``},
		{"racks that nobody is in", `{"topics":{"t":2},"members":[{"id":"a","topics":["t"],"rack":"x"},{"id":"b","topics":["t"]}],"racks":{"t":[["r1"],["r2"]]}}`,
			`{"a":{"t":[0]},"b":{"t":[1]}}`, ``},
		{"a member without rack is at home everywhere", `{"topics":{"t":4},"members":[{"id":"a","topics":["t"]},{"id":"b","topics":["t"],"rack":"r1"}],"racks":{"t":[["r1"],["r1"],["r2"],["r2"]]}}`,
			`{"a":{"t":[0,1]},"b":{"t":[2,3]}}`, ``},
		{"topics that belong together", `{"topics":{"t":2,"u":2},"members":[{"id":"a","topics":["t","u"],"rack":"r2"},{"id":"b","topics":["t","u"],"rack":"r1"}],"racks":{"t":[["r1"],["r2"]],"u":[["r1","r2"]]}}`,
			`{"a":{"t":[0],"u":[0]},"b":{"t":[1],"u":[1]}}`, `{"a":{"t":[1],"u":[1]},"b":{"t":[0],"u":[0]}}`},
		{"a draining member's rack does not count", `{"topics":{"t":2},"members":[{"id":"a","topics":["t"],"rack":"r2","capacity":0},{"id":"b","topics":["t"]},{"id":"c","topics":["t"]}],"racks":{"t":[["r2"],["r1"]]}}`,
			`{"a":{},"b":{"t":[0]},"c":{"t":[1]}}`, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, err := groupjson.Decode([]byte(test.group))
			if err != nil {
				t.Fatal(err)
			}
			if test.even == "" {
				test.even = test.chunks
			}
			for even, want := range map[bool]string{false: test.chunks, true: test.even} {
				a := assign(t, rangeassign.Assignor{Even: even}, g)
				if got := string(groupjson.AppendAssignment(nil, &a)); got != want {
					t.Errorf("even=%t:\ngot  %s\nwant %s", even, got, want)
				}
			}
		})
	}
}

func TestErrors(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (rangeassign.Assignor{}).Assign(ctx, &strategy.Group{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
	var malformed *strategy.GroupError
	if _, err := (rangeassign.Assignor{}).Assign(t.Context(), &strategy.Group{Members: []strategy.Member{{}}}); !errors.As(err, &malformed) {
		t.Errorf("a member without an id gives %v", err)
	}
}

func TestRegistered(t *testing.T) {
	for spec, name := range map[string]string{
		"range":                                "range",
		"range-even":                           "range",
		"range?wire=range-chunks":              "range-chunks",
		"range-even?cooperative":               "cooperative-range",
		"range?wire=range-chunks&cooperative":  "cooperative-range-chunks",
		"range-even?wire=even%2Dones":          "even-ones",
		"range?cooperative=false&wire=my.name": "my.name",
	} {
		a, err := strategy.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		if a.Name() != name {
			t.Errorf("%s has the name %q", spec, a.Name())
		}
	}
	for _, spec := range []string{"range?wire=", "range?wire=cooperative-sticky", "range?even", "range:x"} {
		if _, err := strategy.Parse(spec); err == nil {
			t.Errorf("%s is taken", spec)
		}
	}
	loads := func(spec string) int {
		a, err := strategy.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		answer := assign(t, a, oneTopic(5, 4))
		return answer.Count("c3")
	}
	if loads("range") != 0 || loads("range-even") != 1 {
		t.Error("the names stand for one another's variant")
	}
}

// oneTopic is a group with one topic t that members c0, c1 and so on subscribe to.
func oneTopic(partitions, members int) *strategy.Group {
	g := &strategy.Group{Topics: []strategy.Topic{{Name: "t", Partitions: int32(partitions)}}}
	for m := range members {
		g.Members = append(g.Members, strategy.Member{ID: fmt.Sprint("c", m), Topics: []string{"t"}})
	}
	return g
}

func assign(t testing.TB, a strategy.Assignor, g *strategy.Group) strategy.Assignment {
	t.Helper()
	answer, err := a.Assign(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	if err := strategy.Validate(g, &answer, strategy.ProtocolOf(a)); err != nil {
		t.Fatal(err)
	}
	return answer
}

func BenchmarkAssign(b *testing.B) {
	for _, even := range []bool{false, true} {
		for _, racks := range []bool{false, true} {
			g := &strategy.Group{}
			var all []string
			for n := range 1000 {
				topic := strategy.Topic{Name: fmt.Sprintf("topic-%04d", n), Partitions: 100}
				for p := range 100 {
					if racks {
						topic.Racks = append(topic.Racks, []string{fmt.Sprint("r", p%7), fmt.Sprint("r", n%7), fmt.Sprint("r", (p+n)%7)})
					}
				}
				g.Topics = append(g.Topics, topic)
				all = append(all, topic.Name)
			}
			for m := range 500 {
				member := strategy.Member{ID: fmt.Sprintf("member-%03d", m), Topics: all}
				if racks {
					member.Rack = fmt.Sprint("r", m%7)
				}
				g.Members = append(g.Members, member)
			}
			b.Run(fmt.Sprintf("even=%t/racks=%t", even, racks), func(b *testing.B) {
				for b.Loop() {
					if _, err := (rangeassign.Assignor{Even: even}).Assign(b.Context(), g); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
