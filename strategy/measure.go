package strategy

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/assignkit/assignkit/internal/balance"
)

// Measure says how even an answer to g is, how far from the best there is, and what it moves. What members own, and with it all
// movement, is what [Tabulate] makes of their claims; a member that has left is not in g any more, so what it owned counts as Placed.
// It returns the [*GroupError] of a group that cannot be assigned. What Validate would reject is counted as far as it makes sense.
func Measure(g *Group, a *Assignment) (Metrics, error) {
	t, err := Tabulate(g)
	if err != nil {
		return Metrics{}, err
	}
	return t.Measure(a)
}

// Measure is the function of that name for a group that has been tabulated already.
func (t *Table) Measure(a *Assignment) (Metrics, error) {
	if a == nil {
		a = &Assignment{}
	}
	start, subscribers := t.Subscriptions()
	best, err := balance.Optimum(&balance.Problem{
		Partitions: t.Sizes(), Members: len(t.Group.Members), Capacity: t.Shares(), Start: start, Subscribers: subscribers, Owner: t.Keepers(),
	}, balance.Options{})
	if err != nil {
		return Metrics{}, &GroupError{Subject: "group", Problem: err.Error()}
	}
	m := measurement{table: t, owner: t.Owners(a)}
	m.count()
	m.loads()
	m.movement(best)
	m.regret(best)
	return m.Metrics, nil
}

type measurement struct {
	Metrics
	table *Table
	owner []int32

	units    []int64   // partitions of each member
	load     []float64 // the same, or weights
	weighted bool
	total    float64 // weight of all partitions that are assigned
	largest  []float64
}

// count walks all partitions once.
func (m *measurement) count() {
	g := m.table.Group
	m.units, m.load = make([]int64, len(g.Members)), make([]float64, len(g.Members))
	for i := range g.Topics {
		m.weighted = m.weighted || len(g.Topics[i].Weights) > 0
	}
	inTopic := make([]int, len(g.Members)) // partitions of the topic at hand
	for n := range g.Topics {
		all := len(m.table.Subscribers(n))
		live := 0
		if readers := m.table.Readers(n); all > 0 && !g.Members[readers[0]].Draining {
			live = len(readers)
		}
		base := m.table.base[n]
		most, holders := 0, 0
		for p, o := range m.owner[base : base+g.Topics[n].Partitions] {
			if all > 0 {
				m.Partitions++
			}
			if o < 0 {
				if all > 0 {
					m.Unassigned++
				}
				continue
			}
			w := 1.0
			if m.weighted && len(g.Topics[n].Weights) > 0 {
				w = g.Topics[n].Weights[p]
			}
			m.units[o]++
			m.load[o] += w
			m.misses(n, p, &g.Members[o])
			if g.Members[o].Draining {
				if live > 0 {
					m.Misplaced++
				}
				continue
			}
			m.total += w
			if m.weighted {
				m.largest = append(m.largest, w)
			}
			if inTopic[o]++; inTopic[o] == 1 {
				holders++
			}
			most = max(most, inTopic[o])
		}
		m.spread(n, inTopic, most, holders, live)
	}
}

// spread takes in one topic's counts and clears them.
func (m *measurement) spread(topic int, inTopic []int, most, holders, live int) {
	least := 0
	if holders >= live {
		least = most
	}
	base := m.table.base[topic]
	for _, o := range m.owner[base : base+m.table.Group.Topics[topic].Partitions] {
		if o >= 0 && inTopic[o] > 0 {
			least = min(least, inTopic[o])
			inTopic[o] = 0
		}
	}
	m.TopicSkew = max(m.TopicSkew, most-least)
}

func (m *measurement) misses(topic, partition int, member *Member) {
	racks := m.table.Group.Topics[topic].Racks
	if len(racks) == 0 || member.Rack == "" || len(racks[partition]) == 0 {
		return
	}
	if !slices.Contains(racks[partition], member.Rack) {
		m.RackMisses++
	}
}

// loads sums up over the members that are not draining.
func (m *measurement) loads() {
	g := m.table.Group
	m.Members = len(g.Members)
	n, sum, squares := 0, 0.0, 0.0
	for i := range g.Members {
		if g.Members[i].Draining {
			continue
		}
		l := m.load[i] / float64(g.Members[i].Share())
		if n == 0 {
			m.Max, m.Min = l, l
		}
		m.Max, m.Min = max(m.Max, l), min(m.Min, l)
		sum += l
		n++
	}
	if n == 0 {
		return
	}
	m.Mean = sum / float64(n)
	for i := range g.Members {
		if !g.Members[i].Draining {
			d := m.load[i]/float64(g.Members[i].Share()) - m.Mean
			squares += float64(d * d) // the conversion keeps processors from fusing the two, which rounds differently
		}
	}
	m.Skew = m.Max - m.Min
	m.Jain = 1
	if m.Mean > 0 {
		m.CV = math.Sqrt(squares/float64(n)) / m.Mean
		m.Jain = 1 / (1 + float64(m.CV*m.CV))
	}
}

func (m *measurement) movement(best balance.Optimal) {
	for i, now := range m.owner {
		switch was := m.table.owner[i]; {
		case was >= 0:
			if now != was {
				m.Voluntary++
			}
		case was < Disputed && now >= 0 && now != gone(was):
			m.Forced++
		case now >= 0:
			m.Placed++
		}
	}
	if m.weighted || best.Stopped != balance.Complete {
		m.Bound = true
	}
	if !m.weighted {
		m.VoluntaryMinimum = int(best.Voluntary)
	}
	m.Excess = max(0, m.Voluntary-m.VoluntaryMinimum)
}

// regret compares with the optimum. Counts of partitions are compared exactly; weights with a bound.
func (m *measurement) regret(best balance.Optimal) {
	g := m.table.Group
	if m.weighted {
		bound := m.bound()
		sum := 0.0
		for i := range g.Members {
			if !g.Members[i].Draining {
				sum += m.load[i] * m.load[i] / float64(g.Members[i].Share())
			}
		}
		// The bound holds for real numbers; what lies below is rounding.
		if m.Regret = max(0, sum-bound); m.Regret <= 1e-12*bound {
			m.Regret = 0
		}
		if bound > 0 {
			m.RegretRatio = m.Regret / bound
		}
		return
	}
	above, optimum := new(big.Rat), new(big.Rat)
	m.squares(above, m.units)
	m.squares(optimum, toInt64(best.Loads))
	above.Sub(above, optimum)
	m.Regret, _ = above.Float64()
	m.Regret = max(0, m.Regret+m.misplacement())
	if o, _ := optimum.Float64(); o > 0 {
		m.RegretRatio = m.Regret / o
	}
}

// squares sets sum to Σ load²/capacity, exactly. Members of one capacity are summed up first, in whole numbers.
func (m *measurement) squares(sum *big.Rat, units []int64) {
	type class struct{ capacity, squares int64 }
	var classes []class
	for i := range m.table.Group.Members {
		c := int64(m.table.Group.Members[i].Share())
		if c == 0 {
			continue
		}
		k := slices.IndexFunc(classes, func(x class) bool { return x.capacity == c })
		if k < 0 {
			k = len(classes)
			classes = append(classes, class{capacity: c})
		}
		classes[k].squares += units[i] * units[i]
	}
	term := new(big.Rat)
	for _, c := range classes {
		sum.Add(sum, term.SetFrac64(c.squares, c.capacity))
	}
}

// misplacement charges what draining members should not have, as if it came on top of the fullest other member: an answer
// does not become better by leaving partitions on a member that is about to go.
func (m *measurement) misplacement() float64 {
	if m.Misplaced == 0 {
		return 0
	}
	most := 0.0
	for i := range m.table.Group.Members {
		if c := float64(m.table.Group.Members[i].Share()); c > 0 {
			k, l := float64(m.Misplaced), float64(m.units[i])
			most = max(most, float64((l+k)*(l+k)-l*l)/c)
		}
	}
	return most
}

// bound is below Σ load²/capacity of every way to place the weights: that of weights that could be cut at will and placed anywhere.
// With equal capacities, a partition heavier than an even share is counted as a member's whole load.
func (m *measurement) bound() float64 {
	capacity, n, equal := 0.0, 0, true
	for i := range m.table.Group.Members {
		if c := m.table.Group.Members[i].Share(); c > 0 {
			capacity += float64(c)
			n++
			equal = equal && float64(c)*float64(n) == capacity
		}
	}
	if n == 0 {
		return 0
	}
	rest, sum := m.total, 0.0
	if equal {
		share := capacity / float64(n)
		slices.SortFunc(m.largest, func(a, b float64) int { return cmp.Compare(b, a) })
		for _, w := range m.largest {
			if n == 1 || w <= rest/float64(n) {
				break
			}
			sum += w * w / share
			rest -= w
			capacity -= share
			n--
		}
	}
	return sum + rest*rest/capacity
}

func toInt64(list []int32) []int64 {
	out := make([]int64, len(list))
	for i, x := range list {
		out[i] = int64(x)
	}
	return out
}
