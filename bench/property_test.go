package bench

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

func drawShape(t *rapid.T) Shape {
	return Shape{
		Topics: rapid.IntRange(1, 8).Draw(t, "topics"), Partitions: rapid.IntRange(1, 6).Draw(t, "partitions"),
		Members:       rapid.IntRange(1, 9).Draw(t, "members"),
		Subscriptions: rapid.SampledFrom([]Subscriptions{Equal, Half, Disjoint, Nested}).Draw(t, "subscriptions"),
		Skewed:        rapid.Bool().Draw(t, "skewed"), Racks: rapid.IntRange(0, 3).Draw(t, "racks"),
		Capacities: rapid.Int32Range(0, 3).Draw(t, "capacities"), Seed: rapid.Uint64Max(1000).Draw(t, "seed"),
	}
}

// Whatever the shape, sticky has no excess and no regret in any phase, and what is counted fits together.
func TestShapesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShape(t)
		r, err := Run(t.Context(), s.Workload(), s.Seed, "sticky", sticky.Assignor{}, Options{Keep: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Steps) != len(Phases)-1 {
			t.Fatalf("%d steps", len(r.Steps))
		}
		total := 0
		for _, topic := range r.Simulation.Steps[0].Group.Topics {
			total += int(topic.Partitions)
		}
		if total != s.Topics*s.Partitions {
			t.Errorf("%d partitions, want %d", total, s.Topics*s.Partitions)
		}
		for i, at := range r.Steps {
			m := at.Metrics
			if m.Excess > 0 || m.Regret > 0 || m.Bound || at.Stopped != "" {
				t.Errorf("step %d (%s): %+v", i, at.Event, m)
			}
			if at.Moved != m.Voluntary+m.Forced || at.Disturbed > m.Members || at.Moved == 0 && m.Placed == 0 && at.Disturbed > 0 {
				t.Errorf("step %d (%s): %+v", i, at.Event, at)
			}
		}
	})
}

// A phase is the same to those who ask for its group and to those who run the workload.
func TestPhasesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawShape(t)
		r, err := Run(t.Context(), s.Workload(), s.Seed, "sticky", sticky.Assignor{}, Options{Keep: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, phase := range []string{"fresh", "stable", "join"} {
			want, err := s.Group(t.Context(), phase, sticky.Assignor{})
			if err != nil {
				t.Fatal(err)
			}
			got := r.Simulation.Steps[i].Group
			if !reflect.DeepEqual(plain(got.Members), plain(want.Members)) || !reflect.DeepEqual(got.Topics, want.Topics) {
				t.Errorf("%s: %+v, want %+v", phase, got.Members, want.Members)
			}
		}
	})
}

// plain is members without what generation it is, and empty lists as none.
func plain(members []strategy.Member) []strategy.Member {
	list := make([]strategy.Member, len(members))
	for i, m := range members {
		m.Generation = 0
		if len(m.Owned) == 0 {
			m.Owned = nil
		}
		list[i] = m
	}
	return list
}

// Whenever members come and go, the events are ones that can happen, a window apart from each other, and lead to where the members are.
func TestClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type turn struct {
			at     time.Duration
			member int
		}
		const members = 4
		turns := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) turn {
			return turn{time.Duration(rapid.IntRange(0, 200).Draw(t, "at")) * 100 * time.Millisecond, rapid.IntRange(0, members-1).Draw(t, "member")}
		}), 0, 30).Draw(t, "turns")
		p := newPods(1, 1, members)
		there := make([]bool, members)
		for i := range there {
			there[i] = true
		}
		last := time.Duration(0)
		for _, x := range turns {
			p.after(x.at, func() {
				if p.now < last {
					t.Errorf("time goes back from %v to %v", last, p.now)
				}
				last = p.now
				if there[x.member] {
					p.leave(p.members[x.member].ID)
				} else {
					p.start(x.member, true)
				}
				there[x.member] = !there[x.member]
			})
		}
		q := p.sequence(deployedTopics())
		r, err := simulation.Run(t.Context(), q.Scenario, "sticky", sticky.Assignor{})
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(q.At); i++ {
			if q.At[i]-q.At[i-1] <= window {
				t.Errorf("events at %v", q.At)
			}
		}
		got := map[string]bool{}
		for _, m := range r.Steps[len(r.Steps)-1].Group.Members {
			got[m.ID] = true
		}
		want := map[string]bool{}
		for i, m := range p.members {
			if there[i] {
				want[m.ID] = true
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("in the end there are %v, want %v", got, want)
		}
	})
}
