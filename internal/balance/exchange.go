package balance

import (
	"math"
	"slices"
)

// An exchange is the whole problem as a network small enough for exact work on the later objectives. Units flow from
// lots (the partitions of a topic with the same racks) over lanes to members, where a topic has several lots over a
// pair node that sees all a member has of the topic, then over the host to a sink. Every objective is a sum of
// convex costs of single arcs, so an assignment is optimal exactly if no cycle of the residual network has a negative
// cost. The objectives are packed into one number, each weighing more than all the lower ones can on one cycle.
type exchange struct {
	nodes     int
	sink      int32
	arcs      []arc
	residuals []residual
	lots      []lot
	label     []int64
	parent    []int32 // 2*arc for forward, 2*arc+1 for backward, -1 none
	mark      []int32
}

// A lot is a set of partitions of one topic that differ in their owners alone; lanes are its arcs.
type lot struct {
	topic      int32
	partitions []int32
	lanes      []lane
}

type lane struct{ member, arc int32 }

// An arc carries low ≤ flow ≤ high units. The next one costs linear + square*(2*flow+1), and moving once all owned
// ones are on it.
type arc struct {
	from, to               int32
	flow, low, high, owned int32
	moving, linear, square int64
}

// residual holds the cost of one unit more and one less, or never.
type residual struct {
	from, to   int32
	more, less int64
}

const never = math.MaxInt64

func (a *arc) next(flow int32) int64 {
	cost := a.linear + a.square*(2*int64(flow)+1)
	if flow >= a.owned {
		cost += a.moving
	}
	return cost
}

func (x *exchange) update(i int32) {
	a, r := &x.arcs[i], &x.residuals[i]
	*r = residual{a.from, a.to, never, never}
	if a.flow < a.high {
		r.more = a.next(a.flow)
	}
	if a.flow > a.low {
		r.less = -a.next(a.flow - 1)
	}
}

// settle cancels negative cycles until there are none (true) or the work is used up.
func (x *exchange) settle(work *meter) bool {
	x.residuals = make([]residual, len(x.arcs))
	for i := range x.arcs {
		x.update(int32(i))
	}
	x.label, x.parent, x.mark = make([]int64, x.nodes), make([]int32, x.nodes), make([]int32, x.nodes)
	fill(x.parent, -1)
	for {
		work.spend(4*len(x.arcs) + 2*x.nodes)
		if work.empty() {
			return false
		}
		if !x.relax() {
			return true
		}
		if x.cancel(work) {
			fill(x.parent, -1)
			if slices.Min(x.label) < math.MinInt64/4 {
				clear(x.label)
			}
		}
	}
}

// relax lowers labels along all arcs once and tells whether any changed.
func (x *exchange) relax() (changed bool) {
	label := x.label
	for i := range x.residuals {
		r := &x.residuals[i]
		if r.more != never {
			if v := label[r.from] + r.more; v < label[r.to] {
				label[r.to], x.parent[r.to], changed = v, int32(2*i), true
			}
		}
		if r.less != never {
			if v := label[r.to] + r.less; v < label[r.from] {
				label[r.from], x.parent[r.from], changed = v, int32(2*i+1), true
			}
		}
	}
	return changed
}

func (x *exchange) before(v int32) int32 {
	e := x.parent[v]
	if e < 0 {
		return -1
	}
	if e&1 == 0 {
		return x.arcs[e>>1].from
	}
	return x.arcs[e>>1].to
}

// cancel finds the cycles among the parents, all of negative cost and without a common node, and sends along them.
func (x *exchange) cancel(work *meter) (found bool) {
	clear(x.mark)
	for v := range int32(x.nodes) {
		if x.mark[v] != 0 {
			continue
		}
		u := v
		for u >= 0 && x.mark[u] == 0 {
			x.mark[u] = v + 1
			u = x.before(u)
		}
		if u >= 0 && x.mark[u] == v+1 {
			x.send(u, work)
			found = true
		}
	}
	return found
}

// send moves as many units along the cycle through v as lower the cost: each unit more costs twice the squares on
// the way more than the one before, until an arc reaches a bound or its owned units.
func (x *exchange) send(v int32, work *meter) {
	var cost, slope int64
	most := int64(math.MaxInt32)
	u := v
	for {
		e := x.parent[u]
		a := &x.arcs[e>>1]
		slope += 2 * a.square
		if e&1 == 0 {
			cost += x.residuals[e>>1].more
			most = min(most, int64(a.high-a.flow))
			if a.flow < a.owned {
				most = min(most, int64(a.owned-a.flow))
			}
		} else {
			cost += x.residuals[e>>1].less
			most = min(most, int64(a.flow-a.low))
			if a.flow > a.owned {
				most = min(most, int64(a.flow-a.owned))
			}
		}
		work.spend(8)
		if u = x.before(u); u == v {
			break
		}
	}
	if slope > 0 {
		most = min(most, (-cost+slope-1)/slope)
	}
	for {
		e := x.parent[u]
		before := x.before(u)
		if e&1 == 0 {
			x.arcs[e>>1].flow += int32(most)
		} else {
			x.arcs[e>>1].flow -= int32(most)
		}
		x.update(e >> 1)
		if u = before; u == v {
			break
		}
	}
}
