package bench_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/simulation"
	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// sticky is as even as can be, and moves no more than it has to for that, in whatever happens: run cooperatively as well.
func TestStickyIsExact(t *testing.T) {
	strategies := []bench.Strategy{
		{Spec: "sticky", Assignor: sticky.Assignor{}}, {Spec: "cooperative", Assignor: strategy.Cooperative(sticky.Assignor{})},
	}
	profiles := len(bench.Profiles())
	for _, s := range []bench.Suite{
		{Workloads: bench.Profiles(), Seeds: 4, Strategies: strategies},
		{Workloads: bench.All()[profiles:], First: 7, Strategies: strategies},
	} {
		err := s.Run(t.Context(), func(r *bench.Result) error {
			for i := range r.Steps {
				at := &r.Steps[i]
				if at.By == "" && (at.Metrics.Excess > 0 || at.Metrics.Regret > 0 || at.Metrics.Bound || at.Metrics.Unassigned > 0 || at.Stopped != "") {
					t.Errorf("%s, %s, seed %d, step %d (%s): %+v", r.Workload, r.Strategy, r.Seed, i, at.Event, at.Metrics)
				}
			}
			if most := map[string]int{"sticky": 1, "cooperative": 2}[r.Strategy]; r.Total.Most > most || r.Total.Steps < 2 {
				t.Errorf("%s, %s, seed %d: %+v", r.Workload, r.Strategy, r.Seed, r.Total)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// strategies that have something to lose.
func strategies() []bench.Strategy {
	return []bench.Strategy{
		{Spec: "sticky", Assignor: sticky.Assignor{}}, {Spec: "range", Assignor: rangeassign.Assignor{}},
		{Spec: "roundrobin", Assignor: roundrobin.Assignor{}},
	}
}

// Ten runs of a suite have one answer, however many runs go on at a time, and hand it over in order.
func TestSuiteIsDeterministic(t *testing.T) {
	s := bench.Suite{Workloads: bench.Profiles(), Strategies: strategies(), First: 3, Seeds: 2}
	small := s
	small.Workloads = nil
	for _, w := range s.Workloads {
		if slices.Contains([]string{"rolling/all", "herd", "growth", "autoscale/divisors"}, w.Name) {
			small.Workloads = append(small.Workloads, w)
		}
	}
	answers := map[string]bool{}
	for i := range 10 {
		small.Parallel = i % 4
		var text strings.Builder
		order := ""
		err := small.Run(t.Context(), func(r *bench.Result) error {
			line, err := json.Marshal(r)
			text.Write(line)
			order += r.Workload + " " + r.Strategy + "\n"
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		answers[text.String()] = true
		if n := strings.Count(order, "\n"); n != small.Runs() || n != 4*3*2 {
			t.Errorf("%d results of %d", n, small.Runs())
		}
		if want := "rolling/all sticky\nrolling/all sticky\nrolling/all range\n"; !strings.HasPrefix(order, want) {
			t.Errorf("the order is\n%s", order)
		}
	}
	if len(answers) != 1 {
		t.Errorf("%d distinct answers", len(answers))
	}
}

// Another seed is another history, but where nothing is drawn.
func TestSeedsDiffer(t *testing.T) {
	for _, w := range bench.All() {
		distinct := map[string]bool{}
		for _, seed := range []uint64{1, 2, 1} {
			q, err := w.New(seed)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal([]any{q.At, q.Scenario.Group, q.Scenario.Events})
			if err != nil {
				t.Fatal(err)
			}
			distinct[string(text)] = true
			if err := q.Scenario.Check(); err != nil {
				t.Errorf("%s, seed %d: %v", w.Name, seed, err)
			}
			if q.At != nil && (len(q.At) != len(q.Scenario.Events) || !slices.IsSorted(q.At)) {
				t.Errorf("%s: times are %v", w.Name, q.At)
			}
		}
		if len(distinct) != 2 {
			t.Errorf("%s: 3 runs with 2 seeds have %d histories", w.Name, len(distinct))
		}
	}
}

func workload(t *testing.T, name string) bench.Workload {
	t.Helper()
	for _, w := range bench.All() {
		if w.Name == name {
			return w
		}
	}
	t.Fatalf("no workload %s", name)
	return bench.Workload{}
}

func run(t *testing.T, name string, a strategy.Assignor, o bench.Options) *bench.Result {
	t.Helper()
	r, err := bench.Run(t.Context(), workload(t, name), 1, a.Name(), a, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The workloads are what they say they are.
func TestProfiles(t *testing.T) {
	t.Run("names", func(t *testing.T) {
		seen := map[string]bool{}
		for _, w := range bench.All() {
			if seen[w.Name] || w.Summary == "" || strings.HasSuffix(w.Summary, ".") || strings.ContainsAny(w.Name, " ,*?[") {
				t.Errorf("%q: %q", w.Name, w.Summary)
			}
			seen[w.Name] = true
		}
	})
	t.Run("rolling", func(t *testing.T) {
		r := run(t, "rolling/one", sticky.Assignor{}, bench.Options{})
		for i, at := range r.Steps {
			if want := 40 - i%2; at.Metrics.Members != want || at.Metrics.Partitions != 200 || at.Rounds != 1 {
				t.Errorf("step %d (%s): %+v", i, at.Event, at)
			}
		}
		if len(r.Steps) != 81 {
			t.Errorf("%d steps; each of 40 members leaves and joins", len(r.Steps))
		}
	})
	t.Run("static", func(t *testing.T) { // all are back in time, with this seed
		r := run(t, "rolling/static/one", roundrobin.Assignor{}, bench.Options{})
		if r.Total.Rounds != 1 || r.Total.Voluntary+r.Total.Forced > 0 || len(r.Steps) != 41 {
			t.Errorf("%+v", r.Total)
		}
	})
	t.Run("divisors", func(t *testing.T) {
		most := 0
		for _, at := range run(t, "autoscale/divisors", sticky.Assignor{}, bench.Options{}).Steps {
			most = max(most, at.Metrics.Members)
			if n := at.Metrics.Members; n < 21 || n > 63 {
				t.Errorf("%d members", n)
			}
		}
		if most != 63 {
			t.Errorf("at most %d members", most)
		}
	})
	t.Run("crash", func(t *testing.T) { // what is left of a pod is in the group beside its successor
		r := run(t, "crash", sticky.Assignor{}, bench.Options{})
		sizes := map[int]bool{}
		for _, at := range r.Steps {
			sizes[at.Metrics.Members] = true
		}
		if want := []int{40, 41}; !slices.Equal(slices.Sorted(maps.Keys(sizes)), want) || r.Steps[len(r.Steps)-1].At < 150*24*3600 {
			t.Errorf("groups of %v members, until %v", sizes, r.Steps[len(r.Steps)-1].At)
		}
	})
	t.Run("herd", func(t *testing.T) {
		r := run(t, "herd", sticky.Assignor{}, bench.Options{})
		if r.Steps[1].Metrics.Members != 0 || r.Steps[len(r.Steps)-1].Metrics.Members != 30 {
			t.Errorf("%+v", r.Steps)
		}
	})
	t.Run("mixed", func(t *testing.T) {
		r := run(t, "mixed", sticky.Assignor{}, bench.Options{})
		for i, at := range r.Steps {
			if want := 84 - 7*(i%2); at.Metrics.Members != want {
				t.Errorf("step %d: %d members", i, at.Metrics.Members)
			}
		}
	})
	t.Run("active", func(t *testing.T) {
		r := run(t, "active", sticky.Assignor{}, bench.Options{})
		for i := 1; i < len(r.Steps); i++ {
			if d := r.Steps[i].Metrics.Partitions - r.Steps[i-1].Metrics.Partitions; d != 1 && d != -1 {
				t.Errorf("step %d: %d more are active", i, d)
			}
		}
		if len(r.Steps) != 145 || r.Steps[0].Metrics.Partitions != 60 {
			t.Errorf("%d steps", len(r.Steps))
		}
	})
}

// While any member offers only range, range answers; then the other one, and for good.
func TestSwitch(t *testing.T) {
	r := run(t, "switch", roundrobin.Assignor{}, bench.Options{Keep: true, Assertions: assertions(t, "excess == 0", "step.number < 80")})
	foreign := 0
	for i, at := range r.Steps {
		only := 0
		for _, m := range r.Simulation.Steps[i].Group.Members {
			if m.Labels["offers"] == "range" {
				only++
			}
		}
		if want := map[bool]string{true: "range"}[only > 0]; at.By != want {
			t.Errorf("step %d (%s): by %q, and %d offer only range", i, at.Event, at.By, only)
		}
		foreign += min(1, only)
	}
	// The first step without is that in which the last one leaves that offers nothing else.
	if foreign != 79 || r.Total.Steps != len(r.Steps)-79 {
		t.Errorf("range answers %d of %d steps", foreign, len(r.Steps))
	}
	for _, f := range r.Failed {
		if f.Step < 79 {
			t.Errorf("%v", &f)
		}
	}
	if len(r.Failed) < len(r.Steps)-80 || len(r.Asserted) != 2 {
		t.Errorf("%d failures", len(r.Failed))
	}
}

func assertions(t *testing.T, sources ...string) (list []*simulation.Assertion) {
	t.Helper()
	for _, s := range sources {
		a, err := simulation.ParseAssertion(s)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, a)
	}
	return list
}

// A total is the sum of what moves and the worst of what is uneven.
func TestTotal(t *testing.T) {
	r := run(t, "autoscale/divisors", roundrobin.Assignor{}, bench.Options{Keep: true})
	var want bench.Total
	want.Min = r.Steps[0].Metrics.Min
	for i, at := range r.Steps {
		m := at.Metrics
		want.Steps++
		want.Rounds += at.Rounds
		want.Most = 1
		want.Voluntary, want.VoluntaryMinimum, want.Excess = want.Voluntary+m.Voluntary, want.VoluntaryMinimum+m.VoluntaryMinimum, want.Excess+m.Excess
		want.Forced, want.Placed, want.Disturbed = want.Forced+m.Forced, want.Placed+m.Placed, want.Disturbed+at.Disturbed
		want.Max, want.Min, want.Skew, want.CV = max(want.Max, m.Max), min(want.Min, m.Min), max(want.Skew, m.Skew), max(want.CV, m.CV)
		want.Regret, want.RegretRatio = max(want.Regret, m.Regret), max(want.RegretRatio, m.RegretRatio)
		want.TopicSkew = max(want.TopicSkew, m.TopicSkew)
		if at.Moved != len(r.Simulation.Steps[i].Moved) || at.Moved != m.Voluntary+m.Forced {
			t.Errorf("step %d: %d moved", i, at.Moved)
		}
	}
	if r.Total != want || want.Excess == 0 || want.Disturbed == 0 {
		t.Errorf("%+v, want %+v", r.Total, want)
	}
}

// Who is disturbed had something before and has something else now.
func TestDisturbed(t *testing.T) {
	s := &simulation.Scenario{
		Group: strategy.Group{Topics: []strategy.Topic{{Name: "a", Partitions: 6}}, Members: simulation.NewMembers(nil, 3)},
		Events: []simulation.Event{
			simulation.Join{Count: 1}, simulation.Leave{Members: []string{"member-4"}}, simulation.Grow{Topics: map[string]int32{"a": 7}},
		},
	}
	r, err := bench.Run(t.Context(), bench.Of("own", "a workload of one's own", s), 1, "sticky", sticky.Assignor{}, bench.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, at := range r.Steps {
		got = append(got, at.Disturbed)
	}
	if want := []int{0, 1, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("disturbed %v, want %v", got, want)
	}
}

// Costs are there if they are asked for, and are those of all calls.
func TestCosts(t *testing.T) {
	if c := run(t, "herd", sticky.Assignor{}, bench.Options{}).Total.Cost; c != (bench.Cost{}) {
		t.Errorf("%+v", c)
	}
	r := run(t, "herd", strategy.Cooperative(sticky.Assignor{}), bench.Options{Time: true})
	var sum bench.Cost
	for _, at := range r.Steps {
		if (at.Rounds > 0) != (at.Allocs > 0) {
			t.Errorf("%s: %+v in %d rounds", at.Event, at.Cost, at.Rounds)
		}
		sum.Nanoseconds, sum.Allocs, sum.Bytes = sum.Nanoseconds+at.Nanoseconds, sum.Allocs+at.Allocs, sum.Bytes+at.Bytes
	}
	if sum != r.Total.Cost || sum.Allocs == 0 || sum.Bytes == 0 {
		t.Errorf("%+v, %+v", sum, r.Total.Cost)
	}
}

// growing is an assignor that takes a megabyte more with each call, and notes when it is asked by two at once.
type growing struct {
	strategy.Assignor
	calls, running *atomic.Int32
	together       *atomic.Bool
	kept           *atomic.Pointer[[]byte]
}

func (g growing) Assign(ctx context.Context, group *strategy.Group) (strategy.Assignment, error) {
	if g.running.Add(1) > 1 {
		g.together.Store(true)
	}
	defer g.running.Add(-1)
	memory := make([]byte, int(g.calls.Add(1))<<20)
	g.kept.Store(&memory)
	return g.Assignor.Assign(ctx, group)
}

// Each call is charged to its own step, and while time is measured nothing else runs.
func TestCostsOfSteps(t *testing.T) {
	a := growing{sticky.Assignor{}, new(atomic.Int32), new(atomic.Int32), new(atomic.Bool), new(atomic.Pointer[[]byte])}
	s := bench.Suite{
		Workloads: []bench.Workload{workload(t, "herd")}, Strategies: []bench.Strategy{{Spec: "growing", Assignor: a}}, Seeds: 3,
		Parallel: 4, Options: bench.Options{Time: true},
	}
	call := uint64(0)
	err := s.Run(t.Context(), func(r *bench.Result) error {
		for _, at := range r.Steps {
			if at.Rounds == 0 {
				continue
			}
			if call++; at.Bytes < call<<20 || at.Bytes >= (call+1)<<20 {
				t.Errorf("seed %d, %s: %d bytes in call %d", r.Seed, at.Event, at.Bytes, call)
			}
		}
		return nil
	})
	if err != nil || a.together.Load() || call != uint64(a.calls.Load()) {
		t.Errorf("%v; asked by two at once: %v; %d of %d calls", err, a.together.Load(), call, a.calls.Load())
	}
}

// failing is an assignor that fails in groups of one size.
type failing struct {
	strategy.Assignor
	members int
	err     error
}

func (f failing) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	if len(g.Members) == f.members {
		return strategy.Assignment{}, f.err
	}
	return f.Assignor.Assign(ctx, g)
}

// The first error in the order of results ends a suite, and says where it was.
func TestSuiteFails(t *testing.T) {
	broken := errors.New("out of ideas")
	s := bench.Suite{
		Workloads:  []bench.Workload{workload(t, "flapper"), workload(t, "herd"), workload(t, "mixed")},
		Strategies: append(strategies(), bench.Strategy{Spec: "broken", Assignor: failing{sticky.Assignor{}, 30, broken}}),
		First:      1, Seeds: 2,
	}
	n := 0
	err := s.Run(t.Context(), func(*bench.Result) error { n++; return nil })
	if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "herd, seed 1: ") || n != 4*2+3*2 {
		t.Errorf("%d results, then %v", n, err)
	}
	enough := errors.New("enough")
	n = 0
	if err := s.Run(t.Context(), func(*bench.Result) error { n++; return enough }); !errors.Is(err, enough) || n != 1 {
		t.Errorf("%d results, then %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n = 0
	err = s.Run(ctx, func(*bench.Result) error {
		if n++; n == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || n < 3 || n == s.Runs() {
		t.Errorf("%d results, then %v", n, err)
	}
}
