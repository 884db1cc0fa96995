package page

import (
	"cmp"
	"math"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// A column of the charts is one step, or several where there are very many.
type column struct {
	from, to int // steps, the last one included
	event    string
	metrics  strategy.Metrics // of several steps: moves are summed up, and evenness is the worst of them
	rounds   int
	optimum  float64 // that of the step with the worst skew
}

// columnsOf puts a series' steps together.
func columnsOf(c *Case, s *Series, at []int) []column {
	columns := make([]column, len(at)-1)
	for i := range columns {
		col := &columns[i]
		*col = column{from: at[i], to: at[i+1] - 1, event: c.Events[at[i+1]-1]}
		for k := col.from; k <= col.to; k++ {
			col.add(&s.Steps[k], optimum(c, k), k == col.from)
		}
	}
	return columns
}

func optimum(c *Case, step int) float64 {
	if step >= len(c.Optimum) {
		return math.NaN()
	}
	return c.Optimum[step]
}

// add takes in one more step. What is not summed up or compared is that of the last one.
func (c *column) add(s *Step, optimum float64, first bool) {
	c.rounds += s.Rounds
	sum, m := s.Metrics, &c.metrics
	if first {
		c.metrics, c.optimum = sum, optimum
		return
	}
	sum.Voluntary += m.Voluntary
	sum.VoluntaryMinimum += m.VoluntaryMinimum
	sum.Excess += m.Excess
	sum.Forced += m.Forced
	sum.Placed += m.Placed
	sum.Bound = sum.Bound || m.Bound
	sum.Max, sum.Min, sum.Regret = max(sum.Max, m.Max), min(sum.Min, m.Min), max(sum.Regret, m.Regret)
	if sum.Skew < m.Skew {
		sum.Skew = m.Skew
	} else {
		c.optimum = optimum
	}
	c.metrics = sum
}

// A history is what members and partitions were at the end of each column.
type history struct {
	columns int
	loads   []Load  // of member m after column c: loads[m*columns+c]
	owners  []int32 // of partitions, likewise
}

func newHistory(c *Case, s *Series, at []int) *history {
	h := &history{columns: len(at) - 1}
	h.loads = make([]Load, len(c.Members)*h.columns)
	h.owners = make([]int32, c.partitions()*h.columns)
	loads, owners := make([]Load, len(c.Members)), make([]int32, c.partitions())
	for i := range loads {
		loads[i].Partitions = Gone
	}
	for i := range owners {
		owners[i] = Gone
	}
	for i := range h.columns {
		for k := at[i]; k < at[i+1]; k++ {
			for _, l := range s.Steps[k].Loads {
				loads[l.Member] = l
			}
			for _, o := range s.Steps[k].Owners {
				owners[o.Partition] = o.Member
			}
		}
		for m := range loads {
			h.loads[m*h.columns+i] = loads[m]
		}
		for p, o := range owners {
			h.owners[p*h.columns+i] = o
		}
	}
	return h
}

func (h *history) ofMember(m int) []Load { return h.loads[m*h.columns : (m+1)*h.columns] }

func (h *history) ofPartition(p int32) []int32 {
	return h.owners[int(p)*h.columns : (int(p)+1)*h.columns]
}

// highest is the largest load of all.
func (h *history) highest() (highest float64) {
	for i := range h.loads {
		if l := &h.loads[i]; l.Partitions > 0 && !l.Draining {
			highest = max(highest, l.Load)
		}
	}
	return highest
}

// order returns all partitions: few in the order of topics, many so that those with the same owners over time are together.
func (h *history) order(partitions int) []int32 {
	order := make([]int32, partitions)
	for i := range order {
		order[i] = int32(i)
	}
	if partitions > fewPartitions {
		slices.SortStableFunc(order, func(a, b int32) int { return slices.CompareFunc(h.ofPartition(a), h.ofPartition(b), compareOwners) })
	}
	return order
}

// compareOwners puts nobody behind all members, and what is not there behind that.
func compareOwners(a, b int32) int { return cmp.Compare(rank(a), rank(b)) }

func rank(owner int32) int64 {
	if owner < 0 {
		return 1<<32 - int64(owner)
	}
	return int64(owner)
}
