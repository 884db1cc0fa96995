package balance

import (
	"math/big"
)

// A heap of the subscribers of one class, the one with the cheapest next unit on top; lower number first.
type heap struct {
	*network
	load []int32
	list []int32
}

func (h *heap) before(a, b int32) bool {
	ca, cb := int64(h.capacities[h.capacity[a]]), int64(h.capacities[h.capacity[b]])
	x, y := (2*int64(h.load[a])+1)*cb, (2*int64(h.load[b])+1)*ca
	return x < y || x == y && a < b
}

func (h *heap) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(h.list) {
			return
		}
		if c+1 < len(h.list) && h.before(h.list[c+1], h.list[c]) {
			c++
		}
		if !h.before(h.list[c], h.list[i]) {
			return
		}
		h.list[i], h.list[c] = h.list[c], h.list[i]
		i = c
	}
}

// greedy places every unit that is left with the subscriber whose next unit is cheapest. place does it.
func (n *network) greedy(load []int32, left func(c int32) int32, place func(c, m int32, w *classWord, units int32)) {
	h := &heap{network: n, load: load, list: make([]int32, 0, n.memberN)}
	capacity := n.problem.Capacity
	for c := int32(0); c < n.classN; c++ {
		units := left(c)
		if units == 0 {
			continue
		}
		h.list = h.list[:0]
		for pass := 0; pass < 2 && len(h.list) == 0; pass++ { // draining members only if there are no others
			for i := n.rowStart[c]; i < n.rowStart[c+1]; i++ {
				for x := n.row[i].row; x != 0; x &= x - 1 {
					m := n.row[i].place*64 + lowest(x)
					if pass == 1 || capacity == nil || capacity[n.caller[m]] > 0 {
						h.list = append(h.list, m)
					}
				}
			}
		}
		for i := len(h.list)/2 - 1; i >= 0; i-- {
			h.down(i)
		}
		for ; units > 0; units-- {
			m := h.list[0]
			load[m]++
			place(c, m, n.wordOf(c, m>>6), 1)
			h.down(0)
		}
	}
}

// settle makes a complete assignment after the budget ended during balance: the units left are placed greedily, and if that is
// less balanced than a greedy assignment of all units, the latter is taken.
func (n *network) settle() {
	n.greedy(n.load, func(c int32) int32 { return n.left[c] }, func(c, m int32, w *classWord, units int32) {
		n.add(c, m, w, w.pair(m&63), units)
		n.left[c] -= units
	})
	load := make([]int32, n.memberN)
	held := make([]int32, len(n.held))
	n.greedy(load, func(c int32) int32 { return n.units[c] }, func(c, m int32, w *classWord, units int32) {
		held[w.pair(m&63)] += units
	})
	if !n.lessBalanced(n.load, load) {
		return
	}
	for c := int32(0); c < n.classN; c++ {
		for i := n.rowStart[c]; i < n.rowStart[c+1]; i++ {
			w := &n.row[i]
			for x := w.row; x != 0; x &= x - 1 {
				b := lowest(x)
				pair := w.pair(b)
				n.add(c, w.place*64+b, w, pair, held[pair]-n.held[pair])
			}
		}
	}
	copy(n.load, load)
}

// lessBalanced tells whether loads a have a greater sum of load²/capacity than loads b (draining members first: their
// sum of loads), exactly.
func (n *network) lessBalanced(a, b []int32) bool {
	var drained, drainedSquares int64
	more := make([]int64, len(n.capacities))
	for m := range a {
		x, y := int64(a[m]), int64(b[m])
		if capacity := n.problem.Capacity; capacity != nil && capacity[n.caller[m]] == 0 {
			drained += x - y
			drainedSquares += x*x - y*y
		} else {
			more[n.capacity[m]] += x*x - y*y
		}
	}
	if drained != 0 {
		return drained > 0
	}
	sum := new(big.Rat)
	for j, d := range more {
		if d != 0 {
			sum.Add(sum, big.NewRat(d, int64(n.capacities[j])))
		}
	}
	if sum.Sign() != 0 {
		return sum.Sign() > 0
	}
	return drainedSquares > 0
}
