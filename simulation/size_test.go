package simulation

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	_ "github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// large is topics of 1,000 partitions each under 1,000 members, of which some leave and some join.
func large(topics, events int) *Scenario {
	s := &Scenario{Group: strategy.Group{Members: NewMembers(nil, 1000)}}
	for i := range topics {
		s.Group.Topics = append(s.Group.Topics, strategy.Topic{Name: fmt.Sprintf("topic-%d", i), Partitions: 1000})
	}
	for i := range events {
		if i%2 == 0 {
			s.Events = append(s.Events, Join{Count: 1})
		} else {
			s.Events = append(s.Events, Leave{Members: []string{fmt.Sprintf("member-%d", i)}})
		}
	}
	return s
}

// TestSize keeps a result small. It shows the simulation's own share of the time, which is for BenchmarkRun to judge.
func TestSize(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	a := &timed{Assignor: newSticky(t)}
	s := large(100, 20)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	r, err := Run(context.Background(), s, "sticky", a)
	all := time.Since(start)
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	kept := float64(after.HeapAlloc-before.HeapAlloc) / (1 << 20)
	var others time.Duration // what checking and measuring take, once more
	for i := range r.Steps {
		start := time.Now()
		if err := strategy.Validate(r.Steps[i].Group, &r.Steps[i].Assignment, strategy.ProtocolEager); err != nil {
			t.Fatal(err)
		}
		if _, err := strategy.Measure(r.Steps[i].Group, &r.Steps[i].Assignment); err != nil {
			t.Fatal(err)
		}
		others += time.Since(start)
	}
	n := time.Duration(len(r.Steps))
	own := (all - a.spent - others) / n
	t.Logf("%d steps: %v a step, of which the assignor %v, checking and measuring %v, the rest %v; %.1f MB kept", n, all/n, a.spent/n, others/n, own, kept)
	if kept > 60 {
		t.Errorf("%.1f MB for %d steps", kept, n)
	}
	runtime.KeepAlive(r)
}

// TestShared: an assignor that shares nothing does not make the result larger.
func TestShared(t *testing.T) {
	s := small()
	r, err := Run(context.Background(), s, "spec", unsharing{})
	if err != nil {
		t.Fatal(err)
	}
	shared := 0
	for i := range r.Steps {
		for _, m := range r.Steps[i].Group.Members {
			list := r.Steps[i].Assignment.Members[m.ID]
			if len(list) > 0 && len(m.Owned) > 0 && equalLists(list, m.Owned) {
				if &list[0] != &m.Owned[0] {
					t.Errorf("step %d: %s has a copy", i, m.ID)
				}
				shared++
			}
		}
	}
	if shared == 0 {
		t.Error("nobody kept what it had")
	}
}

// timed measures how long an assignor takes.
type timed struct {
	strategy.Assignor
	spent time.Duration
}

func (a *timed) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	start := time.Now()
	defer func() { a.spent += time.Since(start) }()
	return a.Assignor.Assign(ctx, g)
}

func newSticky(t testing.TB) strategy.Assignor {
	a, err := strategy.Parse("sticky")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func BenchmarkRun(b *testing.B) {
	s := large(100, 10)
	a := newSticky(b)
	for b.Loop() {
		if _, err := Run(context.Background(), s, "sticky", a); err != nil {
			b.Fatal(err)
		}
	}
}
