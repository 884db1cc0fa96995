package simulation

import (
	"slices"

	"github.com/assignkit/assignkit/internal/expression"
	"github.com/assignkit/assignkit/strategy"
)

// variables is what assertions may speak of: the measures of [strategy.Metrics] by their names in JSON, and what stands behind them.
// members and partitions, which JSON has as numbers, are lists here, of that many.
type variables struct {
	expression.Env

	Unassigned       int     `expr:"unassigned"`
	Max              float64 `expr:"max"`
	Min              float64 `expr:"min"`
	Mean             float64 `expr:"mean"`
	Skew             float64 `expr:"skew"`
	CV               float64 `expr:"cv"`
	Jain             float64 `expr:"jain"`
	Regret           float64 `expr:"regret"`
	RegretRatio      float64 `expr:"regret_ratio"`
	Bound            bool    `expr:"bound"`
	TopicSkew        int     `expr:"topic_skew"`
	Voluntary        int     `expr:"voluntary"`
	VoluntaryMinimum int     `expr:"voluntary_minimum"`
	Excess           int     `expr:"excess"`
	Forced           int     `expr:"forced"`
	Placed           int     `expr:"placed"`
	RackMisses       int     `expr:"rack_misses"`
	Misplaced        int     `expr:"misplaced"`
	Rounds           int     `expr:"rounds"`

	Moved      movedVariable       `expr:"moved"`
	Step       stepVariable        `expr:"step"`
	Strategy   string              `expr:"strategy"`
	Members    []memberVariable    `expr:"members"`
	Partitions []partitionVariable `expr:"partitions"`

	table  *strategy.Table
	owners []int32                // by partition number of the table
	topics func() map[string]bool // all that are there at some step
	asked  []string               // what owner has said, in words
}

type movedVariable struct {
	Voluntary        int `expr:"voluntary"`
	VoluntaryMinimum int `expr:"voluntary_minimum"`
	Excess           int `expr:"excess"`
	Forced           int `expr:"forced"`
	Total            int `expr:"total"`
}

type stepVariable struct {
	Number int    `expr:"number"`
	Event  string `expr:"event"`
}

type memberVariable struct {
	ID         string            `expr:"id"`
	Instance   string            `expr:"instance"`
	Rack       string            `expr:"rack"`
	Load       float64           `expr:"load"`
	Partitions int               `expr:"partitions"`
	Capacity   int               `expr:"capacity"`
	Labels     map[string]string `expr:"labels"`
	Topics     []string          `expr:"topics"`
	Uptime     float64           `expr:"uptime"`
}

type partitionVariable struct {
	Topic  string  `expr:"topic"`
	Number int     `expr:"number"`
	Owner  string  `expr:"owner"`
	Weight float64 `expr:"weight"`
	Lag    float64 `expr:"lag"`
	Active bool    `expr:"active"`
}

// newVariables has those after a step. What no assertion looks at is left out.
func newVariables(r *Result, number int, assertions []*Assertion) (*variables, error) {
	s := &r.Steps[number]
	m := &s.Metrics
	v := &variables{
		Unassigned: m.Unassigned, Max: m.Max, Min: m.Min, Mean: m.Mean, Skew: m.Skew, CV: m.CV, Jain: m.Jain,
		Regret: m.Regret, RegretRatio: m.RegretRatio, Bound: m.Bound, TopicSkew: m.TopicSkew,
		Voluntary: m.Voluntary, VoluntaryMinimum: m.VoluntaryMinimum, Excess: m.Excess, Forced: m.Forced, Placed: m.Placed,
		RackMisses: m.RackMisses, Misplaced: m.Misplaced, Rounds: s.Rounds,
		Moved: movedVariable{
			Voluntary: m.Voluntary, VoluntaryMinimum: m.VoluntaryMinimum, Excess: m.Excess, Forced: m.Forced, Total: len(s.Moved),
		},
		Step: stepVariable{Number: number, Event: s.Event}, Strategy: r.Strategy,
	}
	looks := func(name string) bool {
		return slices.ContainsFunc(assertions, func(a *Assertion) bool { return a.program.LooksAt(name) })
	}
	members, partitions := looks("members"), looks("partitions")
	if !members && !partitions && !looks("owner") {
		return v, nil
	}
	table, err := strategy.Tabulate(s.Group)
	if err != nil {
		return nil, err
	}
	v.table, v.owners = table, table.Owners(&s.Assignment)
	if members {
		v.addMembers()
	}
	if partitions {
		v.addPartitions()
	}
	return v, nil
}

// addMembers lists the members, in natural order of their ids, as tables do.
func (v *variables) addMembers() {
	g := v.table.Group
	v.Members = make([]memberVariable, len(g.Members))
	for i := range g.Members {
		m := &g.Members[i]
		v.Members[i] = memberVariable{
			ID: m.ID, Instance: m.InstanceID, Rack: m.Rack, Capacity: int(m.Share()), Labels: m.Labels, Topics: m.Topics, Uptime: m.Uptime.Seconds(),
		}
	}
	for n := range g.Topics {
		t := &g.Topics[n]
		base := v.table.Base(n)
		for p, o := range v.owners[base : base+int(t.Partitions)] {
			if o >= 0 {
				v.Members[o].Partitions++
				v.Members[o].Load += weightOf(t, p)
			}
		}
	}
	for i := range v.Members {
		m := &v.Members[i]
		if m.Capacity == 0 { // draining: counted in no load
			m.Load = 0
			continue
		}
		m.Load /= float64(m.Capacity)
	}
	slices.SortFunc(v.Members, func(a, b memberVariable) int { return compareIDs(a.ID, b.ID) })
}

// addPartitions lists the partitions of topics that somebody reads, by topic and number.
func (v *variables) addPartitions() {
	g := v.table.Group
	for n := range g.Topics {
		if len(v.table.Subscribers(n)) == 0 {
			continue
		}
		t := &g.Topics[n]
		base := v.table.Base(n)
		for p, o := range v.owners[base : base+int(t.Partitions)] {
			of := partitionVariable{Topic: t.Name, Number: p, Owner: v.idOf(int(o)), Weight: weightOf(t, p), Active: true}
			if lags := t.Signals[strategy.SignalLag]; len(lags) > 0 {
				of.Lag = lags[p]
			}
			if active := t.Signals[strategy.SignalActive]; len(active) > 0 {
				of.Active = active[p] != 0
			}
			v.Partitions = append(v.Partitions, of)
		}
	}
}

func weightOf(t *strategy.Topic, partition int) float64 {
	if len(t.Weights) == 0 {
		return 1
	}
	return t.Weights[partition]
}
