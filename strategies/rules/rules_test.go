package rules_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assignkit/assignkit/strategies/rules"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
	"github.com/assignkit/assignkit/strategy/strategytest"
)

// quiet is for tests that do not look at what is reported.
var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func mustNew(t testing.TB, c rules.Config) *rules.Assignor {
	t.Helper()
	if c.Name == "" {
		c.Name = "test"
	}
	if c.Logger == nil {
		c.Logger = quiet
	}
	a, err := rules.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestContract(t *testing.T) {
	for name, c := range map[string]rules.Config{
		"weights": {Weight: `partition.lag + 1`},
		"signals": {
			Weight: `partition.lag + partition.signals.depth`, Capacity: `number(member.signals, "cpu", 1) + member.uptime`, Eligible: `partition.active || member.rack == partition.leader_rack || true`,
		},
		"all":      {Weight: `partition.lag + 1`, Capacity: `number(member.labels, "cpu", 1)`, Prefer: `member.rack in partition.racks ? 1 : 0`},
		"together": {Together: `partition.number`},
	} {
		t.Run(name, func(t *testing.T) {
			strategytest.Options{Patience: time.Minute}.Run(t, func() strategy.Assignor { return strategy.Cooperative(mustNew(t, c)) })
		})
	}
	for name, c := range map[string]rules.Config{ // which take their time to settle in cooperative groups, as their documentation says
		"strict": {Weight: `partition.number`, Tolerance: -1, Hysteresis: -1},
		"few":    {Weight: `partition.weight`, MaxMoves: 2},
	} {
		t.Run(name, func(t *testing.T) { // the solver's budget is about a second's worth, and more under the race detector
			strategytest.Options{Patience: time.Minute}.Run(t, func() strategy.Assignor { return mustNew(t, c) })
		})
	}
	odd := rules.Config{Eligible: `partition.number % 3 != 1 || member.rack != ""`, Limit: `2`}
	strategytest.Options{Ineligible: true, Limit: true, Patience: time.Minute}.Run(t, func() strategy.Assignor { return strategy.Cooperative(mustNew(t, odd)) })
}

// drawGroup makes a group of any shape.
func drawGroup(t *rapid.T) *strategy.Group {
	g := &strategy.Group{Name: "g", Generation: 8}
	for _, name := range []string{"t", "u", "v"}[:rapid.IntRange(1, 3).Draw(t, "topics")] {
		topic := strategy.Topic{Name: name, Partitions: rapid.Int32Range(0, 12).Draw(t, "partitions")}
		if rapid.Bool().Draw(t, "racks") {
			for range topic.Partitions {
				topic.Racks = append(topic.Racks, rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"c", "b", "a"}), 0, 2, rapid.ID).Draw(t, "racks"))
			}
		}
		g.Topics = append(g.Topics, topic)
	}
	for i := range rapid.IntRange(1, 6).Draw(t, "members") {
		m := strategy.Member{
			ID: fmt.Sprintf("m%d", i), Generation: rapid.Int32Range(-1, 2).Draw(t, "generation"), Rack: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "rack"),
			Capacity: rapid.Int32Range(0, 4).Draw(t, "capacity"), Draining: rapid.IntRange(0, 4).Draw(t, "draining") == 0,
		}
		if rapid.IntRange(0, 2).Draw(t, "static") == 0 {
			m.InstanceID = m.ID
		}
		for _, topic := range g.Topics {
			if rapid.IntRange(0, 3).Draw(t, "subscribes") > 0 {
				m.Topics = append(m.Topics, topic.Name)
			}
			if list := rapid.SliceOfN(rapid.Int32Range(0, 12), 0, 5).Draw(t, "owned"); len(list) > 0 {
				m.Owned = append(m.Owned, strategy.TopicPartitions{Topic: topic.Name, Partitions: list})
			}
		}
		g.Members = append(g.Members, m)
	}
	return g
}

// Rules that say nothing, and rules that say what sticky takes for granted, give exactly its answers.
func TestEqualsSticky(t *testing.T) {
	for _, c := range []rules.Config{
		{}, {Weight: `7`}, {Weight: `0.1`}, {Weight: `0`}, {Eligible: `true`}, {Capacity: `member.capacity`}, {Capacity: `max(member.capacity, 1)`}, {Prefer: `0`},
		{Eligible: `partition.number >= 0 && member.id != ""`, Weight: `len(partition.topic)`, Capacity: `member.capacity`, Prefer: `partition.number * 0`},
	} {
		a := mustNew(t, c)
		rapid.Check(t, func(t *rapid.T) {
			g := drawGroup(t)
			want, err := sticky.Assignor{}.Assign(context.Background(), g)
			if err != nil {
				t.Fatal(err)
			}
			got, err := a.Assign(context.Background(), g)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%+v: %v\ngot  %+v\nwant %+v", c, err, got, want)
			}
		})
	}
}

// group has members with a label each, and topics with as many partitions as weights.
func group(labels map[string]string, weights ...float64) *strategy.Group {
	g := &strategy.Group{Name: "g", Topics: []strategy.Topic{{Name: "t", Partitions: int32(len(weights)), Weights: weights}}}
	for _, id := range []string{"a", "b", "c", "d"} {
		if label, ok := labels[id]; ok {
			g.Members = append(g.Members, strategy.Member{ID: id, Topics: []string{"t"}, Labels: map[string]string{"x": label}})
		}
	}
	return g
}

// Each rule decides what it is for.
func TestRules(t *testing.T) {
	ab := map[string]string{"a": "1", "b": "3"}
	for _, c := range []struct {
		config rules.Config
		group  *strategy.Group
		want   string
	}{
		{rules.Config{Eligible: `member.labels.x == "3"`}, group(ab, 1, 1, 1), "a[] b[0 1 2]"},
		{rules.Config{Eligible: `partition.number < 2 || member.id == "a"`, Weight: `1`}, group(ab, 1, 1, 1, 1), "a[2 3] b[0 1]"},
		{rules.Config{Weight: `partition.lag`}, group(ab, 9, 3, 3, 3), "a[0] b[1 2 3]"},
		{rules.Config{Weight: `partition.lag / 1000`}, group(ab, 9, 3, 3, 3), "a[0] b[1 2 3]"},
		{rules.Config{Capacity: `number(member.labels, "x", 1)`}, group(ab, 1, 1, 1, 1), "a[0] b[1 2 3]"},
		{rules.Config{Capacity: `number(member.labels, "x", 1) / 7`}, group(ab, 1, 1, 1, 1), "a[0] b[1 2 3]"},
		{rules.Config{Capacity: `member.id == "a" ? 0 : 1`}, group(ab, 1, 1, 1, 1), "a[] b[0 1 2 3]"},
		{rules.Config{Together: `partition.number / 2 < 1`}, group(ab, 1, 1, 1, 1), "a[2 3] b[0 1]"},
		{rules.Config{Prefer: `member.labels.x == "3" && partition.number >= 2 ? 1 : 0`}, group(ab, 1, 1, 1, 1), "a[0 1] b[2 3]"},
		{rules.Config{Limit: `1`}, group(ab, 1, 1, 1), "a[2] b[1] limit[0]"},
		{rules.Config{Limit: `member.id == "a" ? 2.9 : 0`}, group(ab, 1, 1, 1), "a[1 2] b[] ineligible[0]"},
		{rules.Config{Limit: `1`, Eligible: `member.id == "a"`}, group(ab, 1, 1, 1), "a[2] b[] ineligible[0 1]"},
		{rules.Config{Limit: `member.id == "a" ? 1e300 : 1`, Weight: `1 - partition.number`}, group(ab, 1, 1), "a[0] b[1]"},
		{rules.Config{Eligible: `partition.number != 1`}, group(ab, 1, 1, 1), "a[2] b[0] ineligible[1]"},
		{rules.Config{Eligible: `false`}, group(ab, 1, 1), "a[] b[] ineligible[0 1]"},
		{rules.Config{Capacity: `0`}, group(ab, 1, 1), "a[0] b[1]"},
		{rules.Config{Together: `true`, Eligible: `(partition.number == 0) == (member.id == "a")`}, group(ab, 1, 1), "a[0] b[1]"},
		{rules.Config{Capacity: `group.members + group.partitions`, Weight: `len(group.name)`}, group(ab, 1, 1), "a[0] b[1]"},
	} {
		answer, err := mustNew(t, c.config).Assign(t.Context(), c.group)
		if err != nil {
			t.Errorf("%+v: %v", c.config, err)
			continue
		}
		if err := strategy.Validate(c.group, &answer, strategy.ProtocolEager); err != nil {
			t.Errorf("%+v: %v", c.config, err)
		}
		if got := render(c.group, &answer); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.config, got, c.want)
		}
	}
}

func render(g *strategy.Group, a *strategy.Assignment) string {
	var parts []string
	for _, m := range g.Members {
		list := []int32{}
		for _, tp := range a.Members[m.ID] {
			list = append(list, tp.Partitions...)
		}
		parts = append(parts, fmt.Sprint(m.ID, list))
	}
	for _, reason := range strategy.Reasons() {
		list := []int32{}
		for _, u := range a.Unassigned {
			if u.Reason == reason {
				list = append(list, u.Partition)
			}
		}
		if len(list) > 0 {
			parts = append(parts, fmt.Sprint(reason, list))
		}
	}
	return strings.Join(parts, " ")
}

// How much moves is as the options say: two own everything, unevenly, and weights differ a little.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		config rules.Config
		moved  int
	}{
		{rules.Config{}, 2},
		{rules.Config{Tolerance: -1, Hysteresis: -1}, 2},
		{rules.Config{Tolerance: 0.5, Hysteresis: -1}, 0},
		{rules.Config{Tolerance: -1, Hysteresis: 5}, 0},
		{rules.Config{Tolerance: -1, Hysteresis: -1, MaxMoves: 1}, 1},
		{rules.Config{Tolerance: -1, Hysteresis: -1, MaxMoves: -1}, 0},
	} {
		g := group(map[string]string{"a": "1", "b": "2"}, 10, 10.5, 10, 10, 9.5, 10, 10, 10, 10, 10, 10, 10)
		for i, owned := range [][]int32{{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11}} {
			g.Members[i].Generation, g.Members[i].Owned = 1, []strategy.TopicPartitions{{Topic: "t", Partitions: owned}}
		}
		c.config.Weight = `partition.weight`
		answer, err := mustNew(t, c.config).Assign(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if moved := 8 - answer.Count("a"); moved != c.moved {
			t.Errorf("%+v: %d moved, want %d", c.config, moved, c.moved)
		}
	}
}

// What a rule may not give ends the call, and the error says where.
func TestBadResults(t *testing.T) {
	for _, c := range []struct {
		config rules.Config
		want   string
	}{
		{rules.Config{Weight: `1 / partition.number`}, `for partition t-0: 1:1: weight: this gave an infinite number (such as 1/0)`},
		{rules.Config{Weight: `partition.number / partition.number`}, `no number (such as 0/0)`},
		{rules.Config{Weight: `-partition.number`}, `for partition t-1: 1:1: weight: this gave -1; a number from 0 to 1e+100 is wanted`},
		{rules.Config{Weight: `1e200`}, `weight: this gave 1e+200`},
		{rules.Config{Limit: `group.members - 3`}, `for member "a": 1:1: limit: this gave -1; a number from 0 is wanted`},
		{rules.Config{Capacity: `-1`}, `for member "a": 1:1: capacity: this gave -1; a number from 0 is wanted`},
		{rules.Config{Capacity: `1 / (group.members - 2)`}, `for member "a": 1:1: capacity: this gave an infinite number`},
		{rules.Config{Prefer: `1001`}, `for member "a", partition t-0: 1:1: prefer: this gave 1001; a number from -1000 to 1000 is wanted`},
		{rules.Config{Eligible: `partition.racks[0] == "x"`}, `for member "a", partition t-0: 1:16: eligible: index out of range`},
		{rules.Config{Together: `split(partition.topic, ".")[2]`}, `for partition t-0: 1:28: together: index out of range`},
		{rules.Config{Eligible: `partition.number > 0`, Budget: 2}, `the budget of steps is spent`},
	} {
		_, err := mustNew(t, c.config).Assign(t.Context(), group(map[string]string{"a": "1", "b": "2"}, 1, 1, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.config, err, c.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := mustNew(t, rules.Config{}).Assign(ended, group(nil)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := mustNew(t, rules.Config{}).Assign(t.Context(), &strategy.Group{Members: []strategy.Member{{}}}); err == nil {
		t.Error("a member without an id is taken")
	}
}

// What is odd is told once for each kind, and nothing else is.
func TestReports(t *testing.T) {
	var b strings.Builder
	logger := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	a := mustNew(t, rules.Config{
		Name: "odd", Logger: logger, Capacity: `number(member.labels, "x", 2) * number(member.labels, "y", 0)`, Weight: `partition.lag`,
		Together: `true`, Eligible: `(partition.number == 0) == (member.id == "a")`,
	})
	g := group(map[string]string{"a": "1", "b": "many", "c": "NaN"}, 1, 1)
	g.Topics[0].Weights = nil
	for range 2 {
		if _, err := a.Assign(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	want := `level=WARN msg="a member does not have a label that a rule reads as a number" rules=odd label=y taken=0
level=WARN msg="a member has a label that is no number where a rule reads one" rules=odd label=x value=many taken=2
level=WARN msg="all capacities are 0, so each member counts alike" rules=odd group=g
level=WARN msg="a signal that weights depend on is not known of a topic, so each partition of all topics weighs 1" rules=odd signal=lag topic=t
level=WARN msg="partitions are to stay together that no member may have together, so they are assigned one by one" rules=odd units=1 group=g
`
	if b.String() != want {
		t.Errorf("told:\n%s", b.String())
	}
}

// In a cooperative group, what belongs together is withheld together.
func TestUnits(t *testing.T) {
	a := strategy.Cooperative(mustNew(t, rules.Config{Together: `partition.number`}))
	list := func(topic string, partitions ...int32) strategy.TopicPartitions {
		return strategy.TopicPartitions{Topic: topic, Partitions: partitions}
	}
	both := []string{"t", "u"}
	g := &strategy.Group{
		Topics: []strategy.Topic{{Name: "t", Partitions: 2}, {Name: "u", Partitions: 2}},
		Members: []strategy.Member{
			{ID: "a", Topics: both, Generation: 4, Owned: []strategy.TopicPartitions{list("t", 0, 1), list("u", 0)}},
			{ID: "b", Topics: both},
		},
	}
	first, err := a.Assign(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	if first.Count("b") != 0 || len(first.Unassigned) != 2 {
		t.Errorf("b gets %v at once, %v is withheld", first.Members["b"], first.Unassigned)
	}
}

// drawMeasured adds to a topic what may be known about its partitions.
func drawMeasured(t *rapid.T, topic *strategy.Topic) {
	numbers := func() (list []float64) {
		for range topic.Partitions {
			list = append(list, float64(rapid.IntRange(0, 2).Draw(t, "number")))
		}
		return list
	}
	topic.Weights = numbers()
	if topic.Partitions == 0 {
		return
	}
	topic.Signals = drawSignals(t, numbers)
	if rapid.Bool().Draw(t, "leaders") {
		topic.LeaderRacks = rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b"}), int(topic.Partitions), int(topic.Partitions)).Draw(t, "leaders")
	}
}

func drawSignals[T any](t *rapid.T, value func() T) map[string]T {
	signals := map[string]T{}
	for _, name := range []string{"lag", "rate", "active", "cpu"} {
		if rapid.Bool().Draw(t, name) {
			signals[name] = value()
		}
	}
	return signals
}

// Rules that are evaluated once for many members or partitions give what they give when they are evaluated for each pair.
func TestEvaluatedSeldom(t *testing.T) {
	each := ` && member.id != "" && partition.number >= 0`
	for _, rule := range []string{
		`member.labels.x == "1"`, `member.labels.x == "1" || member.labels.y == "1"`, `len(member.labels) > 1`, `member.rack in partition.racks`, `len(partition.racks) > 1`, `partition.weight > 1`,
		`partition.lag > 1 || member.rack == "a"`, `partition.topic != "t"`, `member.capacity > 1`, `"t" in member.topics && len(member.topics) > 1`, `member.host == "1"`, `group.members > 2`, `member.instance == "m1"`,
		`number(member.labels, "x", 0) > 0`, `partition.rate > 1`, `partition.active`, `partition.leader_rack == member.rack`, `partition.lag > partition.weight`, `partition.signals.cpu > 1`,
		`number(partition.signals, "cpu", 2) > 1 || len(partition.signals) > 2`, `number(partition.signals, partition.topic, 2) > 1`, `"cpu" in partition.signals && "cpu" in member.signals`,
		`member.uptime > 60`, `number(member.signals, "cpu", 2) > 1`, `member.signals.cpu > partition.signals.lag`, `group.uptime > 60 && len(member.signals) > 1`, `any(member.topics, # == partition.topic) && partition.weight < 2`,
	} {
		seldom, always := mustNew(t, rules.Config{Eligible: rule}), mustNew(t, rules.Config{Eligible: "(" + rule + ")" + each})
		scored, scoredAlways := mustNew(t, rules.Config{Prefer: rule + " ? 2 : 1"}), mustNew(t, rules.Config{Prefer: "(" + rule + ")" + each + " ? 2 : 1"})
		rapid.Check(t, func(t *rapid.T) {
			g := drawGroup(t)
			for i := range g.Topics {
				drawMeasured(t, &g.Topics[i])
			}
			for i := range g.Members {
				g.Members[i].Uptime = time.Duration(rapid.IntRange(0, 2).Draw(t, "uptime")) * time.Minute
				g.Members[i].Signals = drawSignals(t, func() float64 { return float64(rapid.IntRange(1, 2).Draw(t, "signal")) })
				g.Members[i].Labels = map[string]string{}
				for _, name := range []string{"x", "y", "host"} {
					if n := rapid.IntRange(0, 2).Draw(t, name); n > 0 {
						g.Members[i].Labels[name] = strconv.Itoa(n)
					}
				}
			}
			for _, pair := range [][2]*rules.Assignor{{seldom, always}, {scored, scoredAlways}} {
				got, err := pair[0].Assign(context.Background(), g)
				if err != nil {
					t.Fatal(err)
				}
				want, err := pair[1].Assign(context.Background(), g)
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("%s: %v\ngot  %+v\nwant %+v", rule, err, got, want)
				}
			}
		})
	}
}
