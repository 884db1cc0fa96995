package consumer_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/trace"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// recorded reads a trace.
func recorded(t *testing.T, lines *bytes.Buffer) (list []*trace.Rebalance) {
	t.Helper()
	for r, err := range trace.Read("trace", lines) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// TestTrace has rebalances recorded, by the leader with all that was asked and answered.
func TestTrace(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 4, Records: []int{5}})
	var lines, others bytes.Buffer
	cfg := config(cluster.Addrs(), "g", "orders")
	cfg.Trace = &lines
	cfg.Labels = map[string]string{"tier": "gold"}
	a := start(t, "a", cfg, nil)
	a.waitOwned(4)
	cfg.Trace, cfg.Labels = &others, nil
	b := start(t, "b", cfg, nil)
	b.waitOwned(2)
	b.closes()
	a.closes()
	list := recorded(t, &lines)
	if len(list) < 3 {
		t.Fatalf("%d lines", len(list))
	}
	first, second := list[0], list[1]
	g, err := second.Strategy()
	if err != nil || !second.Leader || len(g.Members) != 2 || g.Generation != 2 {
		t.Fatalf("the second line is %+v, of group %+v (%v)", second, g, err)
	}
	mine := g.Members[slices.IndexFunc(g.Members, func(m strategy.Member) bool { return m.ID == second.Member })]
	if text(mine.Owned) != "orders-0 orders-1 orders-2 orders-3" || mine.Labels["tier"] != "gold" || mine.Generation != 1 {
		t.Errorf("the leader joined as %+v", mine)
	}
	if text(first.Added) != "orders-0 orders-1 orders-2 orders-3" || len(first.Callbacks) != 1 || first.Callbacks[0].Callback != "assign" {
		t.Errorf("the first line is %+v", first)
	}
	if first.Mode != "cooperative" || first.LeaderID != first.Member || first.Spec != "cooperative-sticky" || len(first.Failures) != 0 {
		t.Errorf("the first line is %+v", first)
	}
	if !slices.ContainsFunc(list[1:], func(r *trace.Rebalance) bool { return len(r.Removed) == 1 && len(r.Removed[0].Partitions) == 2 }) {
		t.Error("no line has what the leader gave up")
	}
	for _, r := range recorded(t, &others) {
		if r.Leader || r.LeaderID != first.Member || r.Mode != "cooperative" || r.Spec != "" {
			t.Errorf("a line of the follower is %+v", r)
		}
	}
}

// specified is an assignor that was made of a specification.
type specified struct {
	strategy.Assignor
	spec string
}

func (s specified) Unwrap() strategy.Assignor { return s.Assignor }
func (s specified) Spec() string              { return s.spec }

// TestTraceOfFailures has an assignor fail, and others decide instead.
func TestTraceOfFailures(t *testing.T) {
	failing := func(err error) strategy.Assignor {
		return badAssignor{func(context.Context, *strategy.Group) (strategy.Assignment, error) {
			if err == nil {
				panic("no")
			}
			return strategy.Assignment{}, err
		}}
	}
	broken := errors.New("broken")
	for _, test := range []struct {
		name     string
		assignor strategy.Assignor
		mode     string
		decided  string
		failures []trace.Failure
	}{
		{"none", specified{roundrobin.Assignor{}, "roundrobin?some=thing"}, "eager", "roundrobin?some=thing", nil},
		{"the only one", failing(nil), "cooperative", "last resort", []trace.Failure{{Assignor: "bad", Cause: "panic", Error: "panic: no"}}},
		{"the first", strategy.Fallback(failing(broken), specified{strategy.Cooperative(sticky.Assignor{}), "sticky?cooperative"}), "cooperative", "sticky?cooperative",
			[]trace.Failure{{Assignor: "bad", Cause: "error", Error: "broken"}}},
		{"two", strategy.Fallback(failing(broken), failing(nil), sticky.Assignor{}), "cooperative", "sticky", []trace.Failure{
			{Assignor: "bad", Cause: "error", Error: "broken"}, {Assignor: "bad", Cause: "panic", Error: "panic: no"},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 4})
			var lines bytes.Buffer
			cfg := config(cluster.Addrs(), "g", "orders")
			cfg.Trace, cfg.Assignors = &lines, []strategy.Assignor{test.assignor}
			a := start(t, "a", cfg, nil)
			a.waitOwned(4)
			a.closes()
			r := recorded(t, &lines)[0]
			if r.Mode != test.mode || r.Spec != test.decided || !slices.Equal(r.Failures, test.failures) {
				t.Errorf("mode %q, decided by %q after %+v", r.Mode, r.Spec, r.Failures)
			}
			a.mu.Lock()
			defer a.mu.Unlock()
			var told []trace.Failure
			for _, e := range a.events {
				if f, ok := e.(consumer.AssignorFailed); ok && f.Failure.Generation == 1 {
					told = append(told, trace.Failure{Assignor: f.Failure.Assignor, Cause: string(f.Failure.Cause), Error: f.Failure.Err.Error()})
				}
			}
			if !slices.Equal(told, test.failures) {
				t.Errorf("it was told of %+v", told)
			}
		})
	}
}

// A badAssignor answers with a function.
type badAssignor struct {
	f func(context.Context, *strategy.Group) (strategy.Assignment, error)
}

func (badAssignor) Name() string                { return "bad" }
func (badAssignor) Protocol() strategy.Protocol { return strategy.ProtocolCooperative }
func (a badAssignor) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	return a.f(ctx, g)
}
