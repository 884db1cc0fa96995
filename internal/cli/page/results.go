package page

import (
	"math"
	"slices"

	"github.com/assignkit/assignkit/internal/balance"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// OfResults makes a case of what strategies made of one scenario: the results of [simulation.Run] for it, at least one. The summary is left
// to the caller. An error is that of a group that cannot be tabulated, which no result has.
func OfResults(name string, results []*simulation.Result) (Case, error) {
	c := Case{Name: name}
	first := results[0].Steps
	collector := newCollector()
	for i := range first {
		t, err := strategy.Tabulate(first[i].Group)
		if err != nil {
			return Case{}, err
		}
		c.Events = append(c.Events, first[i].Event)
		c.Optimum = append(c.Optimum, optimalSkew(t, &first[i].Metrics))
		collector.meet(t.Group)
	}
	collector.number()
	c.Members, c.Topics = collector.members, collector.topics
	for _, r := range results {
		s := Series{Name: r.Strategy, Steps: make([]Step, len(r.Steps))}
		collector.forget()
		for i := range r.Steps {
			var err error
			if s.Steps[i], err = collector.step(&r.Steps[i]); err != nil {
				return Case{}, err
			}
		}
		c.Series = append(c.Series, s)
	}
	return c, nil
}

// optimalSkew is the skew of an assignment without regret, NaN where nobody knows one: among weights, and if it takes too long.
func optimalSkew(t *strategy.Table, m *strategy.Metrics) float64 {
	if m.Bound || m.Members == 0 {
		return math.NaN()
	}
	start, subscribers := t.Subscriptions()
	best, err := balance.Optimum(&balance.Problem{
		Partitions: t.Sizes(), Members: len(t.Group.Members), Capacity: t.Shares(), Start: start, Subscribers: subscribers,
	}, balance.Options{})
	if err != nil || best.Stopped != balance.Complete {
		return math.NaN()
	}
	least, most := math.Inf(1), math.Inf(-1)
	for i, n := range best.Loads {
		if share := t.Group.Members[i].Share(); share > 0 {
			load := float64(n) / float64(share)
			least, most = min(least, load), max(most, load)
		}
	}
	if most < least { // all are draining
		return 0
	}
	return most - least
}

// A collector numbers the members and partitions that there are at any time, and finds out what changes in each step.
type collector struct {
	members []string
	topics  []Topic
	member  map[string]int32 // index into members
	topic   map[string]int   // index into topics
	base    []int32          // number of the first partition of each topic

	loads  []Load // after the step before
	owners []int32
}

func newCollector() *collector {
	return &collector{member: map[string]int32{}, topic: map[string]int{}}
}

// meet takes in who is there. Members are in the order in which they came.
func (c *collector) meet(g *strategy.Group) {
	for i := range g.Members {
		id := g.Members[i].ID
		if _, ok := c.member[id]; !ok {
			c.member[id] = int32(len(c.members))
			c.members = append(c.members, id)
		}
	}
	for i := range g.Topics {
		t := &g.Topics[i]
		k, ok := c.topic[t.Name]
		if !ok {
			k = len(c.topics)
			c.topic[t.Name] = k
			c.topics = append(c.topics, Topic{Name: t.Name})
		}
		c.topics[k].Partitions = max(c.topics[k].Partitions, t.Partitions)
	}
}

// number counts partitions through.
func (c *collector) number() {
	c.base = make([]int32, len(c.topics)+1)
	for i := range c.topics {
		c.base[i+1] = c.base[i] + c.topics[i].Partitions
	}
	c.loads, c.owners = make([]Load, len(c.members)), make([]int32, c.base[len(c.topics)])
}

// forget goes back to before the start.
func (c *collector) forget() {
	for i := range c.loads {
		c.loads[i] = Load{Member: int32(i), Partitions: Gone}
	}
	for i := range c.owners {
		c.owners[i] = Gone
	}
}

// step returns what is new after a step.
func (c *collector) step(s *simulation.Step) (Step, error) {
	t, err := strategy.Tabulate(s.Group)
	if err != nil {
		return Step{}, err
	}
	out := Step{Metrics: s.Metrics, Rounds: s.Rounds}
	loads, owners := make([]Load, len(c.loads)), slices.Repeat([]int32{Gone}, len(c.owners))
	for i := range loads {
		loads[i] = Load{Member: int32(i), Partitions: Gone}
	}
	group := t.Group
	weighted := slices.ContainsFunc(group.Topics, func(t strategy.Topic) bool { return len(t.Weights) > 0 })
	numbers := make([]int32, len(group.Members))
	for i := range group.Members {
		numbers[i] = c.member[group.Members[i].ID]
		l := &loads[numbers[i]]
		l.Partitions, l.Draining = 0, group.Members[i].Draining
	}
	for i, o := range t.Owners(&s.Assignment) {
		n, p := t.Locate(i)
		topic := &group.Topics[n]
		at := &owners[c.base[c.topic[topic.Name]]+p]
		if o < 0 {
			if len(t.Subscribers(n)) > 0 {
				*at = Nobody
			}
			continue
		}
		*at = numbers[o]
		l := &loads[*at]
		l.Partitions++
		switch {
		case weighted && len(topic.Weights) > 0:
			l.Load += topic.Weights[p]
		default:
			l.Load++
		}
	}
	for i := range group.Members {
		if share := group.Members[i].Share(); share > 1 {
			loads[numbers[i]].Load /= float64(share)
		}
	}
	c.compare(&out, loads, owners)
	return out, nil
}

// compare lists what is not as it was after the step before.
func (c *collector) compare(out *Step, loads []Load, owners []int32) {
	for i := range loads {
		if loads[i] != c.loads[i] {
			out.Loads = append(out.Loads, loads[i])
		}
	}
	for i, o := range owners {
		if o != c.owners[i] {
			out.Owners = append(out.Owners, Owner{Partition: int32(i), Member: o})
		}
	}
	c.loads, c.owners = loads, owners
}
