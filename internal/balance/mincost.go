package balance

import "math"

// costState holds the prices (dual variables) of the search for fewest moves.
type costState struct {
	priceClass, priceMember []int32
	classesAt, membersAt    [][]uint64 // nodes by price
	prices                  int        // prices in use
	sinkPrice               int32
	ownedBy                 []int32
	component               []int32
	order, stack            []int32
	saved                   []int32 // held before
	base                    []int32 // low without tolerance, if there is any
}

// shift finds the fewest moves among the classes and members in focus, with low ≤ load ≤ high. It starts from owned
// units up to low, which cost nothing and so are optimal for their number, and places the others by
// shortest paths: first to low everywhere, then up to high. If the budget ends, what was held before stands.
func (n *network) shift(classes, members []int32) {
	n.save(classes)
	need, left := n.startFromOwned(classes, members)
	n.costs = true
	n.sinkPrice = 0
	ok := n.ship(classes, members, need, toLow)
	if left -= need; ok && left > 0 {
		n.sinkPrice = int32(n.prices)
		for _, m := range members {
			if n.load[m] < n.high[m] {
				n.sinkPrice = min(n.sinkPrice, n.priceMember[m])
			}
		}
		steps := toHigh
		if n.base != nil {
			steps = byAndBy
		}
		ok = n.ship(classes, members, left, steps)
	}
	n.costs = false
	if !ok {
		n.restore(classes)
	}
}

// Steps are the limits that ship tries one after the other before it raises prices. The last must be the widest.
var (
	toLow  = []int32{math.MinInt32}
	toHigh = []int32{math.MaxInt32}
	// byAndBy fills members evenly as far as this is free. Steps count from the load without tolerance.
	byAndBy = []int32{0, 1, 2, 4, 8, 16, 32, math.MaxInt32}
)

// allow sets the members' limits to a step.
func (n *network) allow(members []int32, step int32) {
	clear(n.room)
	n.work.spend(n.memWords + len(members))
	for _, m := range members {
		switch step {
		case math.MinInt32:
			n.limit[m] = n.low[m]
		case math.MaxInt32:
			n.limit[m] = n.high[m]
		default:
			n.limit[m] = min(n.high[m], max(n.low[m], n.base[m]+step))
		}
		if n.load[m] < n.limit[m] {
			n.room[m>>6] |= bit(m)
		}
	}
}

// startFromOwned keeps what both the present assignment and the owners agree on, up to low. It returns the units
// that members need to reach low, and all units not placed.
func (n *network) startFromOwned(classes, members []int32) (need, left int64) {
	for _, c := range classes {
		for i := n.rowStart[c]; i < n.rowStart[c+1]; i++ {
			w := &n.row[i]
			for x := w.holds & n.inMembers[w.place]; x != 0; x &= x - 1 {
				b := lowest(x)
				pair := w.pair(b)
				if moved := n.held[pair] - n.owned[pair]; moved > 0 {
					m := w.place*64 + b
					n.add(c, m, w, pair, -moved)
					n.left[c] += moved
					n.load[m] -= moved
				}
			}
		}
	}
	clear(n.room)
	for _, m := range members {
		n.limit[m] = n.low[m]
		if n.load[m] > n.limit[m] {
			n.trim(m)
		}
		if n.load[m] < n.limit[m] {
			n.room[m>>6] |= bit(m)
		}
	}
	n.keep(classes)
	for _, m := range members {
		need += int64(n.limit[m] - n.load[m])
		n.priceMember[m] = 0
	}
	for _, c := range classes {
		left += int64(n.left[c])
		n.priceClass[c] = 0
	}
	n.prices = 1
	n.emptyPrice(0)
	n.emptyPrice(1)
	copy(n.membersAt[0], n.inMembers)
	copy(n.classesAt[0], n.inClasses)
	return need, left
}

func (n *network) emptyPrice(p int) {
	if p == len(n.membersAt) {
		n.membersAt = append(n.membersAt, make([]uint64, n.memWords))
		n.classesAt = append(n.classesAt, make([]uint64, n.claWords))
		return
	}
	clear(n.membersAt[p])
	clear(n.classesAt[p])
}

// ship places so many units by shortest paths, cost being moves; balance has shown that they fit. False: the
// budget ended.
func (n *network) ship(classes, members []int32, need int64, steps []int32) bool {
	for need > 0 {
		for _, step := range steps {
			n.allow(members, step)
			if need -= n.atThisPrice(classes, members, need); need == 0 {
				return true
			}
			if n.work.empty() {
				return false
			}
		}
		if n.prices > int(n.classN+n.memberN)+2 {
			return false // no path is that long
		}
		n.raise()
	}
	return true
}

// atThisPrice places what it can without raising a price.
func (n *network) atThisPrice(classes, members []int32, need int64) (got int64) {
	for got < need && !n.work.empty() {
		clear(n.target)
		if int(n.sinkPrice) < n.prices {
			for place, x := range n.membersAt[n.sinkPrice] {
				n.target[place] = x & n.room[place]
			}
		}
		if got += n.deal(classes); got == need || !n.search(classes, need-got) {
			break
		}
		got += n.blockingFlow(classes, members)
	}
	return got
}

// raise adds one to the price of everything that the search did not reach.
func (n *network) raise() {
	n.sinkPrice++
	n.prices++
	n.emptyPrice(n.prices)
	from := int32(n.prices)
	for place, x := range n.newMembers {
		for ; x != 0; x &= x - 1 {
			m := int32(place)*64 + lowest(x)
			from = min(from, n.priceMember[m])
			n.priceMember[m]++
		}
	}
	for place, x := range n.newClasses {
		for ; x != 0; x &= x - 1 {
			c := int32(place)*64 + lowest(x)
			from = min(from, n.priceClass[c])
			n.priceClass[c]++
		}
	}
	for p := int32(n.prices) - 2; p >= from; p-- {
		lift(n.membersAt[p], n.membersAt[p+1], n.newMembers)
		lift(n.classesAt[p], n.classesAt[p+1], n.newClasses)
		n.work.spend(n.memWords + n.claWords)
	}
}

// lift moves what is in the mask from one price to the next.
func lift(from, to, mask []uint64) {
	for i, x := range from {
		x &= mask[i]
		from[i] &^= x
		to[i] |= x
	}
}

// pairs is the range of the pairs of a class.
func (n *network) pairs(c int32) (from, to int32) {
	end := int32(len(n.held))
	if k := n.rowStart[c+1]; int(k) < len(n.row) {
		end = n.row[k].first
	}
	return n.row[n.rowStart[c]].first, end
}

// save notes what is held of the classes.
func (n *network) save(classes []int32) {
	if n.saved == nil {
		n.saved = make([]int32, len(n.held))
	}
	for _, c := range classes {
		from, to := n.pairs(c)
		copy(n.saved[from:to], n.held[from:to])
		n.work.spend(int(to-from) / 8)
	}
}

// restore goes back to what was saved.
func (n *network) restore(classes []int32) {
	for _, c := range classes {
		for i := n.rowStart[c]; i < n.rowStart[c+1]; i++ {
			w := &n.row[i]
			for x := w.row; x != 0; x &= x - 1 {
				b := lowest(x)
				m, pair := w.place*64+b, w.pair(b)
				if change := n.saved[pair] - n.held[pair]; change != 0 {
					n.add(c, m, w, pair, change)
					n.load[m] += change
				}
			}
		}
		n.left[c] = 0
	}
	n.stopped = Moves
}
