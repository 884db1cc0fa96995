package balance

import (
	"math/big"
)

// A heap of the subscribers of one class, the one with the cheapest next unit on top; the caller's lower number first.
type heap struct {
	*network
	load []int32
	list []int32
}

func (h *heap) before(a, b int32) bool {
	ca, cb := int64(h.capacities[h.capacity[a]]), int64(h.capacities[h.capacity[b]])
	x, y := (2*int64(h.load[a])+1)*cb, (2*int64(h.load[b])+1)*ca
	return x < y || x == y && h.caller[a] < h.caller[b]
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

// open makes the heap of the subscribers of a class; draining members only if there are no others.
func (h *heap) open(c int32) {
	capacity := h.problem.Capacity
	h.list = h.list[:0]
	for pass := 0; pass < 2 && len(h.list) == 0; pass++ {
		for i := h.rowStart[c]; i < h.rowStart[c+1]; i++ {
			for x := h.row[i].row; x != 0; x &= x - 1 {
				m := h.row[i].place*64 + lowest(x)
				if pass == 1 || capacity == nil || capacity[h.caller[m]] > 0 {
					h.list = append(h.list, m)
				}
			}
		}
	}
	for i := len(h.list)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

// take gives a unit to the member on top.
func (h *heap) take() int32 {
	m := h.list[0]
	h.load[m]++
	h.down(0)
	return m
}

// settle makes a complete assignment after the budget ended during balance: the units left are placed greedily, and if that is
// less balanced than a greedy assignment of all partitions in their order, the latter is taken.
func (n *network) settle() {
	h := &heap{network: n, load: n.load}
	class := make([]int32, len(n.problem.Partitions))
	for c := range n.classN {
		for _, t := range n.of(c) {
			class[t] = c + 1
		}
		if n.left[c] > 0 {
			h.open(c)
		}
		for ; n.left[c] > 0; n.left[c]-- {
			m := h.take()
			w := n.wordOf(c, m>>6)
			n.add(c, m, w, w.pair(m&63), 1)
		}
	}
	h.load = make([]int32, n.memberN)
	held := make([]int32, len(n.held))
	for t, c := range class {
		if c--; c < 0 {
			continue
		}
		h.open(c)
		for range n.problem.Partitions[t] {
			m := h.take()
			held[n.wordOf(c, m>>6).pair(m&63)]++
		}
	}
	if !n.lessBalanced(n.load, h.load) {
		return
	}
	for c := range n.classN {
		for i := n.rowStart[c]; i < n.rowStart[c+1]; i++ {
			w := &n.row[i]
			for x := w.row; x != 0; x &= x - 1 {
				b := lowest(x)
				pair := w.pair(b)
				n.add(c, w.place*64+b, w, pair, held[pair]-n.held[pair])
			}
		}
	}
	copy(n.load, h.load)
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
