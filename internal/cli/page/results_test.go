package page

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/simulation"
	_ "github.com/assignkit/assignkit/strategies/standard"
	"github.com/assignkit/assignkit/strategy"
)

const eventful = `
topics: {orders: 7, payments: {partitions: 3}, idle: 2}
members: [{id: a, topics: [orders, payments]}, {id: b, topics: [orders]}, {id: c, capacity: 3, topics: [orders, payments]}]
events:
  - join: d
  - leave: [a, b]
  - grow: {orders: 9}
  - set: {member: c, capacity: 0}
  - create: {late: 2}
  - delete: payments
  - deploy: "*"
  - leave: "*"
`

func results(t *testing.T, scenario string, specs ...string) []*simulation.Result {
	t.Helper()
	s, err := simulation.Read("test", strings.NewReader(scenario))
	if err != nil {
		t.Fatal(err)
	}
	var list []*simulation.Result
	for _, spec := range specs {
		a, err := strategy.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		r, err := simulation.Run(t.Context(), s, spec, a)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}

// What changes from step to step adds up to the assignments.
func TestOfResults(t *testing.T) {
	list := results(t, eventful, "sticky", "range", "roundrobin")
	c, err := OfResults("eventful", list)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	for k, r := range list {
		h := newHistory(&c, &c.Series[k], split(len(c.Events), len(c.Events)))
		for i := range r.Steps {
			s := &r.Steps[i]
			there, got := map[strategy.TopicPartition]int32{}, map[strategy.TopicPartition]int32{}
			for _, topic := range s.Group.Topics {
				for p := range topic.Partitions {
					if slices.ContainsFunc(s.Group.Members, func(m strategy.Member) bool { return slices.Contains(m.Topics, topic.Name) }) {
						there[strategy.TopicPartition{Topic: topic.Name, Partition: p}] = Nobody
					}
				}
			}
			for id, tps := range s.Assignment.Members {
				l := h.ofMember(slices.Index(c.Members, id))[i]
				for _, tp := range tps {
					for _, p := range tp.Partitions {
						there[strategy.TopicPartition{Topic: tp.Topic, Partition: p}] = int32(slices.Index(c.Members, id))
					}
				}
				m := s.Group.Members[slices.IndexFunc(s.Group.Members, func(m strategy.Member) bool { return m.ID == id })]
				want := Load{Member: l.Member, Partitions: int32(strategy.Count(tps)), Load: float64(strategy.Count(tps)) / float64(max(1, m.Share())), Draining: m.Draining}
				if l != want {
					t.Errorf("%s, step %d, %s: %+v, not %+v", r.Strategy, i, id, l, want)
				}
			}
			at := int32(0)
			for _, topic := range c.Topics {
				for p := range topic.Partitions {
					if o := h.ofPartition(at)[i]; o != Gone {
						got[strategy.TopicPartition{Topic: topic.Name, Partition: p}] = o
					}
					at++
				}
			}
			if len(got) != len(there) {
				t.Errorf("%s, step %d: %d partitions, not %d", r.Strategy, i, len(got), len(there))
			}
			for tp, want := range there {
				if o, ok := got[tp]; !ok || o != want {
					t.Errorf("%s, step %d: %v is %d's, not %d's", r.Strategy, i, tp, o, want)
				}
			}
			present := 0
			for m := range c.Members {
				if h.ofMember(m)[i].Partitions >= 0 {
					present++
				}
			}
			if present != len(s.Group.Members) {
				t.Errorf("%s, step %d: %d members, not %d", r.Strategy, i, present, len(s.Group.Members))
			}
		}
	}
}

// Loads are weights where there are any.
func TestWeights(t *testing.T) {
	c, err := OfResults("", results(t, `{topics: {t: {partitions: 2, weights: [4, 1]}, u: 1}, members: [{id: a, capacity: 2}]}`, "range"))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Series[0].Steps[0].Loads; len(got) != 1 || got[0] != (Load{Partitions: 3, Load: 3}) || !math.IsNaN(c.Optimum[0]) {
		t.Errorf("%+v, optimum %v", got, c.Optimum)
	}
}

// Without regret the skew is that of the optimum, and where nobody could be more even it is known.
func TestOptimum(t *testing.T) {
	list := results(t, eventful, "sticky")
	c, err := OfResults("", list)
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for i := range list[0].Steps {
		m := &list[0].Steps[i].Metrics
		if m.Members == 0 || m.Bound {
			if !math.IsNaN(c.Optimum[i]) {
				t.Errorf("step %d: %v", i, c.Optimum[i])
			}
			continue
		}
		if known++; m.Regret == 0 && c.Optimum[i] != m.Skew {
			t.Errorf("step %d: %v, and the skew without regret is %v", i, c.Optimum[i], m.Skew)
		}
	}
	if known < 5 {
		t.Errorf("the optimum is known in %d steps", known)
	}
}
