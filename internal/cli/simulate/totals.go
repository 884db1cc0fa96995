package simulate

import "github.com/assignkit/assignkit/simulation"

// totals is what a strategy did in all steps after the start, in its JSON form.
type totals struct {
	Voluntary        int `json:"voluntary"`
	VoluntaryMinimum int `json:"voluntary_minimum"` // of the steps that rebalance
	Forced           int `json:"forced"`
	Placed           int `json:"placed"`
	Rounds           int `json:"rounds"`
	Steps            int `json:"steps"`
}

func (t *totals) moves() int { return t.Voluntary + t.Forced }

func sum(steps []simulation.Step) totals {
	t := totals{Steps: len(steps)}
	for i := range steps {
		s := &steps[i]
		t.Voluntary += s.Metrics.Voluntary
		t.Forced += s.Metrics.Forced
		t.Placed += s.Metrics.Placed
		t.Rounds += s.Rounds
		if s.Rounds > 0 { // else nothing could have been made even
			t.VoluntaryMinimum += s.Metrics.VoluntaryMinimum
		}
	}
	return t
}

// extremes is how uneven a group ever was.
type extremes struct{ max, min, skew float64 }

// worst looks at all steps in which there are members.
func worst(steps []simulation.Step) extremes {
	var e extremes
	first := true
	for i := range steps {
		m := &steps[i].Metrics
		if m.Members == 0 {
			continue
		}
		if first {
			e.min, first = m.Min, false
		}
		e.max, e.min, e.skew = max(e.max, m.Max), min(e.min, m.Min), max(e.skew, m.Skew)
	}
	return e
}
