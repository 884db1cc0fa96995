package bench

import (
	"maps"
	"slices"

	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// A Result is what an assignor made of a workload with one seed. Its JSON form is a line of the command bench.
type Result struct {
	Workload string `json:"workload"`
	Strategy string `json:"strategy"` // as it was specified
	Seed     uint64 `json:"seed"`

	Total Total  `json:"total"`
	Steps []Step `json:"steps,omitempty"` // the first is the start

	Asserted []*simulation.Assertion `json:"-"` // nil if nothing was
	Failed   []simulation.Failure    `json:"-"` // of these, by step

	Simulation *simulation.Result `json:"-"` // of the same steps, with groups, answers and moves; only if they are kept, see [Options]
}

// A Step is what came of one thing that happened.
type Step struct {
	Event string  `json:"event"` // what happened: "start", "leave pod-3; join pod-7~2"
	At    float64 `json:"at"`    // when, in seconds from the start; 0 where that is not known
	// By names who has answered, if that is another than the assignor that is measured: nothing in the step is its doing.
	By string `json:"by,omitempty"`

	Metrics   strategy.Metrics `json:"metrics"`
	Moved     int              `json:"moved"`     // partitions that somebody had and somebody else, or nobody, has now
	Rounds    int              `json:"rounds"`    // rebalances that it took, 0 if there was none
	Disturbed int              `json:"disturbed"` // members that were there before and had something, and now have something else
	Stopped   string           `json:"stopped,omitempty"`

	Cost
}

// Cost is what answering took: all calls of a step, or of a workload. It is not deterministic, and 0 unless it is asked for.
type Cost struct {
	Nanoseconds int64  `json:"ns,omitempty"`
	Allocs      uint64 `json:"allocs,omitempty"` // by this process; a plugin is another one
	Bytes       uint64 `json:"bytes,omitempty"`
}

func (c *Cost) add(x Cost) {
	c.Nanoseconds += x.Nanoseconds
	c.Allocs += x.Allocs
	c.Bytes += x.Bytes
}

// Total is all steps of a workload in one, but those that another assignor has answered: sums of what moves, and the worst of how even
// it is after any of them.
type Total struct {
	Steps     int `json:"steps"`
	Rounds    int `json:"rounds"`
	FollowUps int `json:"follow_ups"` // of the rounds, those after the first of a step
	Most      int `json:"most_rounds"`

	Voluntary        int `json:"voluntary"`
	VoluntaryMinimum int `json:"voluntary_minimum"` // of the steps with a rebalance
	Excess           int `json:"excess"`
	Forced           int `json:"forced"`
	Placed           int `json:"placed"`
	Disturbed        int `json:"disturbed"`

	Max         float64 `json:"max"`
	Min         float64 `json:"min"`
	Skew        float64 `json:"skew"`
	CV          float64 `json:"cv"`
	Regret      float64 `json:"regret"`
	RegretRatio float64 `json:"regret_ratio"`
	Bound       bool    `json:"bound,omitempty"` // minimum, excess and regret are against a bound in some step
	TopicSkew   int     `json:"topic_skew"`
	Unassigned  int     `json:"unassigned"`
	RackMisses  int     `json:"rack_misses"`
	Misplaced   int     `json:"misplaced,omitempty"`
	Stopped     int     `json:"stopped,omitempty"` // steps in which the assignor's budget of work ended

	Cost
}

func newStep(s *simulation.Step) Step {
	return Step{
		Event: s.Event, Metrics: s.Metrics, Moved: len(s.Moved), Rounds: s.Rounds, Disturbed: disturbed(s), Stopped: s.Assignment.Stopped,
	}
}

// disturbed counts members that had something, and now have something else.
func disturbed(s *simulation.Step) (n int) {
	for i := range s.Group.Members {
		m := &s.Group.Members[i]
		if len(m.Owned) > 0 && !same(m.Owned, s.Assignment.Members[m.ID]) {
			n++
		}
	}
	return n
}

// same compares partitions in any order.
func same(a, b []strategy.TopicPartitions) bool {
	if slices.EqualFunc(a, b, strategy.TopicPartitions.Equal) {
		return true
	}
	set := func(list []strategy.TopicPartitions) map[string]map[int32]bool {
		topics := map[string]map[int32]bool{}
		for i := range list {
			t := topics[list[i].Topic]
			if t == nil {
				t = map[int32]bool{}
				topics[list[i].Topic] = t
			}
			for _, p := range list[i].Partitions {
				t[p] = true
			}
		}
		return topics
	}
	return maps.EqualFunc(set(a), set(b), maps.Equal[map[int32]bool, map[int32]bool])
}

// total sums up steps.
func total(steps []Step) Total {
	var t Total
	first := true
	for i := range steps {
		s := &steps[i]
		if s.By != "" {
			continue
		}
		m := &s.Metrics
		t.Steps++
		t.Rounds += s.Rounds
		t.FollowUps += max(0, s.Rounds-1)
		t.Most = max(t.Most, s.Rounds)
		if s.Rounds > 0 { // else nothing could have been made even
			t.VoluntaryMinimum += m.VoluntaryMinimum
		}
		t.Voluntary += m.Voluntary
		t.Excess += m.Excess
		t.Forced += m.Forced
		t.Placed += m.Placed
		t.Disturbed += s.Disturbed
		if s.Stopped != "" {
			t.Stopped++
		}
		t.add(s.Cost)
		if m.Members == 0 {
			continue
		}
		if first {
			t.Min, first = m.Min, false
		}
		t.Max, t.Min, t.Skew, t.CV = max(t.Max, m.Max), min(t.Min, m.Min), max(t.Skew, m.Skew), max(t.CV, m.CV)
		t.Regret, t.RegretRatio = max(t.Regret, m.Regret), max(t.RegretRatio, m.RegretRatio)
		t.Bound = t.Bound || m.Bound
		t.TopicSkew, t.Unassigned = max(t.TopicSkew, m.TopicSkew), max(t.Unassigned, m.Unassigned)
		t.RackMisses, t.Misplaced = max(t.RackMisses, m.RackMisses), max(t.Misplaced, m.Misplaced)
	}
	return t
}
