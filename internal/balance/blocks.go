package balance

import "math/bits"

// balance finds the least sum of load²/capacity. Draining members take part only in a problem of their own, with
// the classes that nobody else may take.
func (n *network) balance() {
	capacity := n.problem.Capacity
	drains := func(m int32) bool { return capacity != nil && capacity[n.caller[m]] == 0 }
	live := make([]uint64, n.memWords)
	var members, draining []int32
	members = make([]int32, 0, n.memberN)
	for m := range n.memberN {
		if drains(m) {
			draining = append(draining, m)
		} else {
			members = append(members, m)
			live[m>>6] |= bit(m)
		}
	}
	classes := make([]int32, 0, n.classN)
	var forlorn []int32 // only draining members subscribe
	for c := range n.classN {
		open := len(draining) == 0
		for i := n.rowStart[c]; !open && i < n.rowStart[c+1]; i++ {
			open = n.row[i].row&live[n.row[i].place] != 0
		}
		if open {
			classes = append(classes, c)
		} else {
			forlorn = append(forlorn, c)
		}
		n.keepOwned(c, live, open)
	}
	n.split(classes, members)
	n.split(forlorn, draining)
}

// keepOwned lets owners keep what they have, for a start.
func (n *network) keepOwned(c int32, live []uint64, open bool) {
	for i := n.rowStart[c]; i < n.rowStart[c+1]; i++ {
		w := &n.row[i]
		x := w.free
		if open {
			x &= live[w.place]
		}
		w.holds |= x
		w.free &^= x
		for ; x != 0; x &= x - 1 { // the same as add, all at once
			b := lowest(x)
			m, pair := w.place*64+b, w.pair(b)
			n.columnOf(m, c>>6).returns |= bit(c)
			n.held[pair] = n.owned[pair]
			n.load[m] += n.owned[pair]
			n.left[c] -= n.owned[pair]
		}
	}
}

// split divides classes and members into blocks. Members are filled up to low, then to high. If units are left, then
// the members reached from them and the others part: every optimal assignment respects this, as a unit
// that crosses from the classes not reached to the members reached could travel on to a cheaper place. If
// all is placed, low ≤ load ≤ high, and every choice of the tied units is equally good: a block.
func (n *network) split(classes, members []int32) {
	todo := []block{{classes: classes, members: members}}
	for len(todo) > 0 {
		j := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if len(j.members) == 0 {
			continue
		}
		if n.work.empty() {
			n.stopped = Balance
			return
		}
		var units int64
		for _, c := range j.classes {
			units += int64(n.units[c])
		}
		j.tie = n.thresholds(units, j.members)
		n.focus(j.classes, j.members)
		limits, parted := [][]int32{n.low, n.high}, false
		for i := 0; i < 2 && !parted && (i == 0 || j.tie); i++ {
			for _, m := range j.members {
				n.limit[m] = limits[i][m]
			}
			if n.flow(j.classes, j.members) == 0 {
				continue
			}
			if n.work.empty() {
				n.stopped = Balance
				return
			}
			if reached := part(j.members, n.memberBuffer, n.newMembers); reached < len(j.members) {
				rc := part(j.classes, n.classBuffer, n.newClasses)
				todo = append(todo, block{classes: j.classes[:rc], members: j.members[:reached]},
					block{classes: j.classes[rc:], members: j.members[reached:]})
				parted = true
			}
		}
		if !parted {
			for _, m := range j.members {
				n.blockOf[m] = int32(len(n.blocks))
			}
			n.blocks = append(n.blocks, j)
		}
	}
}

// part moves the elements that are not in the mask to the front of the list, keeping the order, and returns their number.
func part(list, buffer []int32, mask []uint64) int {
	front, back := 0, 0
	for _, v := range list {
		if !has(mask, v) {
			list[front] = v
			front++
		} else {
			buffer[back] = v
			back++
		}
	}
	copy(list[front:], buffer[:back])
	return front
}

// flow places what it can within the limits, starting from what is held, and returns the units left.
func (n *network) flow(classes, members []int32) (left int64) {
	clear(n.room)
	n.work.spend(n.memWords + len(members))
	for _, m := range members {
		if n.load[m] > n.limit[m] {
			n.trim(m)
		}
		if n.load[m] < n.limit[m] {
			n.room[m>>6] |= bit(m)
		}
	}
	n.costs = false
	n.keep(classes)
	copy(n.target, n.room)
	n.deal(classes)
	for {
		left = 0
		for _, c := range classes {
			left += int64(n.left[c])
		}
		if left == 0 {
			return 0
		}
		copy(n.target, n.room)
		if !n.search(classes, left) {
			return left
		}
		n.blockingFlow(classes, members)
		if n.work.empty() {
			return left
		}
	}
}

// trim takes units from a member until it is at its limit: moved ones first, then those of the most flexible classes.
func (n *network) trim(m int32) {
	for pass := range 2 {
		n.work.spend(int(n.columnStart[m+1] - n.columnStart[m]))
		for i := n.columnStart[m+1] - 1; i >= n.columnStart[m]; i-- {
			q := &n.column[i]
			x := q.saves
			if pass == 1 {
				x |= q.returns
			}
			for x != 0 {
				b := 63 - int32(bits.LeadingZeros64(x))
				x &^= bit(b)
				c := q.place*64 + b
				w := n.wordOf(c, m>>6)
				pair := w.pair(m & 63)
				off := n.held[pair]
				if pass == 0 {
					off -= n.owned[pair]
				}
				off = min(off, n.load[m]-n.limit[m])
				n.add(c, m, w, pair, -off)
				n.left[c] += off
				if n.load[m] -= off; n.load[m] == n.limit[m] {
					return
				}
			}
		}
	}
}

// keep gives units that are left back to owners with room.
func (n *network) keep(classes []int32) {
	for _, c := range classes {
		if n.left[c] == 0 {
			continue
		}
		n.work.spend(int(n.rowStart[c+1] - n.rowStart[c]))
		for i := n.rowStart[c]; i < n.rowStart[c+1] && n.left[c] > 0; i++ {
			w := &n.row[i]
			for x := n.room[w.place] & w.free; x != 0 && n.left[c] > 0; x &= x - 1 {
				b := lowest(x)
				m, pair := w.place*64+b, w.pair(b)
				sent := min(n.left[c], n.limit[m]-n.load[m], n.owned[pair]-n.held[pair])
				n.give(c, m, w, pair, sent)
			}
		}
	}
}

// give places units that are left.
func (n *network) give(c, m int32, w *classWord, pair, sent int32) {
	n.add(c, m, w, pair, sent)
	n.left[c] -= sent
	if n.load[m] += sent; n.load[m] == n.limit[m] {
		n.room[w.place] &^= bit(m)
		n.target[w.place] &^= bit(m)
	}
}

// deal places units that are left at targets one arc away, evenly over those with room. These are shortest paths of
// their own, so that it may run before any blocking flow, and it spreads the units where a blocking flow would heap them up.
func (n *network) deal(classes []int32) (got int64) {
	for _, c := range classes {
		if n.left[c] == 0 {
			continue
		}
		moving, _ := n.fromClass(c)
		row := n.row[n.rowStart[c]:n.rowStart[c+1]]
		for n.left[c] > 0 {
			able := int32(0)
			for i := range row {
				w := &row[i]
				able += int32(bits.OnesCount64(w.row & moving[w.place] & n.target[w.place]))
			}
			n.work.spend(2 * len(row))
			if able == 0 {
				break
			}
			share := max(1, n.left[c]/able)
			for i := range row {
				w := &row[i]
				for x := w.row & moving[w.place] & n.target[w.place]; x != 0 && n.left[c] > 0; x &= x - 1 {
					b := lowest(x)
					m := w.place*64 + b
					sent := min(share, n.left[c], n.limit[m]-n.load[m])
					n.give(c, m, w, w.pair(b), sent)
					got += int64(sent)
				}
			}
		}
	}
	return got
}
