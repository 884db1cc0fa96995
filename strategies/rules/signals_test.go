package rules_test

import (
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategies/rules"
	"github.com/assignkit/assignkit/strategy"
)

// Rules say what is to be measured for them.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		config rules.Config
		want   string
	}{
		{rules.Config{}, ""},
		{rules.Config{Weight: `partition.weight + partition.number`, Capacity: `number(member.labels, "cpu", 1)`, Prefer: `partition.leader_rack == member.rack ? 1 : 0`}, ""},
		{rules.Config{Weight: `partition.lag + 1`}, "lag"},
		{rules.Config{Weight: `partition.rate`, Eligible: `partition.active`}, "active rate"},
		{rules.Config{Weight: `partition.signals.rate + partition.signals["b.c"] + number(partition.signals, "a", 1)`}, "a b.c rate"},
		{rules.Config{Capacity: `number(member.signals, "cpu", 1) * member.signals.heap`}, "cpu heap"},
		{rules.Config{Capacity: `member.uptime`, Together: `partition.signals.unit`, Prefer: `member.uptime > 1 ? 1 : 0`}, "unit uptime"},
		{rules.Config{Eligible: `group.uptime > 0`}, "uptime"},
		{rules.Config{Limit: `member.uptime > 60 ? 100 : member.signals.slots`}, "slots uptime"},
		{rules.Config{Weight: `number(partition.signals, partition.topic, 1) + partition.signals[partition.topic] + len(partition.signals)`}, ""},
	} {
		if got := strings.Join(strategy.SignalsOf(strategy.Cooperative(mustNew(t, c.config))), " "); got != c.want {
			t.Errorf("%+v: %q, want %q", c.config, got, c.want)
		}
	}
}

// A file that was replaced says what the new one looks at, before the next assignment.
func TestSignalsOfFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.yaml")
	if err := os.WriteFile(path, []byte("name: r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := rules.Open(path, quiet)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"name: r\nweight: partition.lag + 1\n", "lag"}, {"name: r\nweight: partition.rate + 10\n", "rate"}, {"name: r\nweight: partition.lagg + 100\n", "rate"}, {"name: r\n", ""},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strategy.SignalsOf(f), " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// measured has topics of two partitions each, and members a, b and c that read them all.
func measured(topics ...strategy.Topic) *strategy.Group {
	g := &strategy.Group{Name: "g", Topics: topics}
	var names []string
	for i := range g.Topics {
		g.Topics[i].Partitions = 2
		names = append(names, g.Topics[i].Name)
	}
	for _, id := range []string{"a", "b"} {
		g.Members = append(g.Members, strategy.Member{ID: id, Topics: names})
	}
	return g
}

func signals(of ...any) map[string][]float64 {
	m := map[string][]float64{}
	for i := 0; i < len(of); i += 2 {
		m[of[i].(string)] = of[i+1].([]float64)
	}
	return m
}

// Weights go by signals where they are known of all topics, by nothing where they are not, and that is told.
func TestWeightsBySignals(t *testing.T) {
	lag := func(x, y float64) map[string][]float64 { return signals("lag", []float64{x, y}) }
	for _, c := range []struct {
		name, weight string
		group        *strategy.Group
		even         bool   // all partitions weigh alike, so each member has two of four
		told         string // of what
	}{
		{"lag", `partition.lag + 1`, measured(strategy.Topic{Name: "t", Signals: lag(100, 1)}, strategy.Topic{Name: "u", Signals: lag(1, 1)}), false, ""},
		{"lag goes before weights", `partition.lag`, measured(strategy.Topic{Name: "t", Signals: lag(100, 1), Weights: []float64{1, 1}}, strategy.Topic{Name: "u", Signals: lag(1, 1)}), false, ""},
		{"no lag", `partition.lag`, measured(strategy.Topic{Name: "t", Signals: lag(0, 0)}, strategy.Topic{Name: "u", Signals: lag(0, 0)}), true, ""},
		{"no lag, and one", `partition.lag + 1`, measured(strategy.Topic{Name: "t", Signals: lag(0, 0)}, strategy.Topic{Name: "u", Signals: lag(0, 0)}), true, ""},
		{"weights for lag", `partition.lag`, measured(strategy.Topic{Name: "t", Weights: []float64{100, 1}}, strategy.Topic{Name: "u", Weights: []float64{1, 1}}), false, ""},
		{"weights of some topics", `partition.lag`, measured(strategy.Topic{Name: "t", Weights: []float64{100, 1}}, strategy.Topic{Name: "u"}), false, "weights of a topic are not known topic=u"},
		{"weights of none", `partition.weight`, measured(strategy.Topic{Name: "t"}, strategy.Topic{Name: "u"}), true, "weights of a topic are not known topic=t"},
		{"neither lag nor weights", `partition.topic == "t" ? 100 * partition.lag : 1`, measured(strategy.Topic{Name: "t"}, strategy.Topic{Name: "u"}), true, "a signal that weights depend on is not known signal=lag topic=t"},
		{"lag of some topics", `partition.lag + 1`, measured(strategy.Topic{Name: "t", Signals: lag(100, 1)}, strategy.Topic{Name: "u"}), true, "a signal that weights depend on is not known signal=lag topic=u"},
		{"lag of some, weights of others", `partition.lag + 1`, measured(strategy.Topic{Name: "t", Signals: lag(100, 1)}, strategy.Topic{Name: "u", Weights: []float64{1, 1}}), true,
			"a signal that weights depend on is not known signal=lag topic=u"},
		{"lag of some, that is not looked at", `partition.weight`, measured(strategy.Topic{Name: "t", Signals: lag(1, 1), Weights: []float64{100, 1}}, strategy.Topic{Name: "u", Weights: []float64{1, 1}}), false, ""},
		{"no rate", `partition.rate + partition.lag`, measured(strategy.Topic{Name: "t", Signals: lag(100, 1)}), true, "a signal that weights depend on is not known signal=rate topic=t"},
		{"a signal of some", `partition.signals.x + 1`, measured(strategy.Topic{Name: "t"}, strategy.Topic{Name: "u", Signals: signals("x", []float64{100, 1})}), true,
			"a signal that weights depend on is not known signal=x topic=t"},
		{"a signal with another number for it", `number(partition.signals, "x", 1)`, measured(strategy.Topic{Name: "t"}, strategy.Topic{Name: "u", Signals: signals("x", []float64{100, 1})}), false,
			"a signal that a rule reads is not known signal=x"},
		{"a signal by hand", `"x" in partition.signals ? partition.signals[partition.topic == "" ? "y" : "x"] : 1`,
			measured(strategy.Topic{Name: "t"}, strategy.Topic{Name: "u", Signals: signals("x", []float64{100, 1})}), false, ""},
		{"active", `partition.active ? 100 : 1`, measured(strategy.Topic{Name: "t", Signals: signals("active", []float64{0, 7})}, strategy.Topic{Name: "u", Signals: signals("active", []float64{0, 0})}), false, ""},
		{"nobody says what is active", `partition.active ? 100 : 1`, measured(strategy.Topic{Name: "t"}, strategy.Topic{Name: "u"}), true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told strings.Builder
			a := mustNew(t, rules.Config{Weight: c.weight, Tolerance: -1, Hysteresis: -1, Logger: slog.New(slog.NewTextHandler(&told, nil))})
			for range 2 { // told once
				answer, err := a.Assign(t.Context(), c.group)
				if err != nil {
					t.Fatal(err)
				}
				if even := answer.Count("a") == answer.Count("b"); even != c.even {
					t.Errorf("a has %v, b has %v", answer.Members["a"], answer.Members["b"])
				}
			}
			all := strings.Split(strings.TrimSpace(told.String()), "\n")
			if len(all) > 1 {
				t.Errorf("told %q", all)
			}
			for _, word := range strings.Split(c.told, " ") {
				if !strings.Contains(all[0], word) || c.told == "" && all[0] != "" {
					t.Errorf("told %q, which is not of %s", all[0], c.told)
				}
			}
		})
	}
}

// A topic that nobody reads, or without partitions, has nothing that could be measured.
func TestUnreadTopicsNeedNoSignals(t *testing.T) {
	g := measured(strategy.Topic{Name: "t", Signals: signals("lag", []float64{100, 1})})
	g.Topics = append(g.Topics, strategy.Topic{Name: "unread", Partitions: 3}, strategy.Topic{Name: "void"})
	g.Members[0].Topics = []string{"t", "void"}
	g.Topics[0].Partitions, g.Topics[0].Signals["lag"] = 4, []float64{100, 1, 1, 1}
	var told strings.Builder
	answer, err := mustNew(t, rules.Config{Weight: `partition.lag`, Logger: slog.New(slog.NewTextHandler(&told, nil))}).Assign(t.Context(), g)
	if err != nil || told.Len() > 0 || answer.Count("a") == answer.Count("b") {
		t.Errorf("%v, told %q: %v", err, told.String(), answer.Members)
	}
}

// What is measured of members, and leaders' racks, are there in all rules that see them.
func TestMeasuredOfMembers(t *testing.T) {
	for _, c := range []struct {
		config rules.Config
		want   string
	}{
		{rules.Config{Capacity: `number(member.signals, "cpu", 1)`}, "a[0] b[1 2 3]"},
		{rules.Config{Capacity: `member.signals.cpu`}, "a[] b[0 1 2 3]"},
		{rules.Config{Capacity: `member.uptime >= 600 ? 1 : 0`}, "a[0 1 2 3] b[]"},
		{rules.Config{Capacity: `member.uptime >= group.uptime - 0.5 ? 1 : 0`}, "a[0 1 2 3] b[]"},
		{rules.Config{Eligible: `member.id == "a" && partition.leader_rack == "r" || member.id == "b" && partition.leader_rack == ""`}, "a[0 3] b[1 2]"},
		{rules.Config{Together: `partition.active`, Weight: `partition.signals.active`}, "a[1 3] b[0 2]"},
	} {
		g := group(map[string]string{"a": "", "b": ""}, 1, 1, 1, 1)
		g.Members[0].Uptime, g.Members[1].Uptime, g.Members[1].Signals = time.Hour, time.Minute, map[string]float64{"cpu": 3}
		g.Topics[0].LeaderRacks, g.Topics[0].Signals = []string{"r", "", "", "r"}, signals("active", []float64{0, 1, 0, 2})
		before := g.Clone()
		answer, err := mustNew(t, c.config).Assign(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if got := render(g, &answer); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.config, got, c.want)
		}
		if !maps.EqualFunc(g.Topics[0].Signals, before.Topics[0].Signals, slices.Equal) {
			t.Error("the group was changed")
		}
	}
}

// Members that differ are told apart, whatever digits their numbers have.
func TestMembersAreToldApart(t *testing.T) {
	a := mustNew(t, rules.Config{Eligible: `member.capacity < 10 && member.uptime > 10`})
	g := &strategy.Group{Name: "g", Topics: []strategy.Topic{{Name: "t", Partitions: 1}}, Members: []strategy.Member{
		{ID: "a", Topics: []string{"t"}, Capacity: 12, Uptime: 5 * time.Second}, {ID: "b", Topics: []string{"t"}, Capacity: 1, Uptime: 25 * time.Second},
	}}
	answer, err := a.Assign(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	if got := render(g, &answer); got != "a[] b[0]" {
		t.Error(got)
	}
}
