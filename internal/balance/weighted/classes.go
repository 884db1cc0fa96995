package weighted

import (
	"cmp"
	"math/bits"
	"slices"
)

// classes are sets of members that may have the same partitions, each a row of bits. Equal rows are one class; they are
// numbered in the order in which they are asked for, and at the end by weight.
type classes struct {
	words  int
	rows   []uint64 // who may have it at all
	usable []uint64 // the same without draining members, where that leaves somebody
	table  []int32  // hash -> class+1, the next slot where that is taken
	// Members of class k that are usable: members[start[k]:start[k+1]].
	start   []int32
	members []int32
}

func newClasses(words int) *classes {
	return &classes{words: max(1, words), table: make([]int32, 64)}
}

func (c *classes) len() int { return len(c.rows) / c.words }

func (c *classes) row(k int32) []uint64 {
	return c.rows[int(k)*c.words : (int(k)+1)*c.words]
}

// number returns the class of a row.
func (c *classes) number(row []uint64) int32 {
	if 2*c.len() >= len(c.table) {
		c.grow()
	}
	for h := c.slot(row); ; h = (h + 1) & (len(c.table) - 1) {
		k := c.table[h] - 1
		if k < 0 {
			k = int32(c.len())
			c.rows = append(c.rows, row...)
			c.table[h] = k + 1
			return k
		}
		if slices.Equal(c.row(k), row) {
			return k
		}
	}
}

func (c *classes) slot(row []uint64) int {
	h := uint64(len(row))
	for _, w := range row {
		h = (bits.RotateLeft64(h, 23) ^ w) * 0x9e3779b97f4a7c15
	}
	return int(h>>32) & (len(c.table) - 1)
}

func (c *classes) grow() {
	c.table = make([]int32, 4*len(c.table))
	for k := range int32(c.len()) {
		h := c.slot(c.row(k))
		for c.table[h] != 0 {
			h = (h + 1) & (len(c.table) - 1)
		}
		c.table[h] = k + 1
	}
}

// of finds the class of each partition.
func (c *classes) of(p *Problem) []int32 {
	all := make([]uint64, c.words)
	for m := range p.Members {
		all[m>>6] |= 1 << (m & 63)
	}
	of := make([]int32, 0, p.Base(len(p.Partitions)))
	subscribed, row := make([]uint64, c.words), make([]uint64, c.words)
	for t, n := range p.Partitions {
		copy(subscribed, all)
		if p.Start != nil {
			clear(subscribed)
			for _, m := range p.Subscribers[p.Start[t]:p.Start[t+1]] {
				subscribed[m>>6] |= 1 << (m & 63)
			}
		}
		if p.Eligible == nil || p.Members == 0 {
			k := int32(-1)
			if n > 0 {
				k = c.number(subscribed)
			}
			for range n {
				of = append(of, k)
			}
			continue
		}
		for range n {
			at := len(of) * c.words
			for j, w := range p.Eligible[at : at+c.words] {
				row[j] = w & subscribed[j]
			}
			of = append(of, c.number(row))
		}
	}
	return of
}

// order numbers the classes anew, the heaviest first, and returns the new number of each. What is gone through in this order
// lies together in memory then.
func (c *classes) order(weight []float64) []int32 {
	old := make([]int32, c.len())
	for k := range old {
		old[k] = int32(k)
	}
	slices.SortFunc(old, func(a, b int32) int { return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a, b)) })
	rows, number := make([]uint64, 0, len(c.rows)), make([]int32, len(old))
	for k, o := range old {
		rows = append(rows, c.row(o)...)
		number[o] = int32(k)
	}
	c.rows, c.table = rows, nil
	return number
}

// close ends the numbering: it takes draining members out where others are left, and lists who is usable.
func (c *classes) close(capacity []int32) {
	c.usable = slices.Clone(c.rows)
	live := make([]uint64, c.words)
	for j := range live {
		live[j] = ^uint64(0)
	}
	for m, x := range capacity {
		if x == 0 {
			live[m>>6] &^= 1 << (m & 63)
		}
	}
	c.start = make([]int32, 1, c.len()+1)
	for k := range c.len() {
		row := c.usable[k*c.words : (k+1)*c.words]
		left := uint64(0)
		for j := range row {
			left |= row[j] & live[j]
		}
		for j := range row {
			if left != 0 {
				row[j] &= live[j]
			}
			for w := row[j]; w != 0; w &= w - 1 {
				c.members = append(c.members, int32(j<<6+bits.TrailingZeros64(w)))
			}
		}
		c.start = append(c.start, int32(len(c.members)))
	}
}

// list has the usable members of class k, ascending.
func (c *classes) list(k int32) []int32 { return c.members[c.start[k]:c.start[k+1]] }

// has tells whether m is usable in class k.
func (c *classes) has(k, m int32) bool {
	return c.usable[int(k)*c.words+int(m>>6)]>>(m&63)&1 != 0
}

// allows tells whether m may have what is of class k, draining or not.
func (c *classes) allows(k, m int32) bool {
	return c.rows[int(k)*c.words+int(m>>6)]>>(m&63)&1 != 0
}
