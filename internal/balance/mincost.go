package balance

// costState holds the prices (dual variables) of the search for fewest moves.
type costState struct {
	priceClass, priceMember []int32
	classesAt, membersAt    [][]uint64 // nodes by price
	prices                  int        // prices in use
	sinkPrice               int32
	ownedBy                 []int32
	component               []int32
	order, stack            []int32
	saved                   []savedPair
}

type savedPair struct{ class, member, pair, held int32 }

// shift finds the fewest moves among the classes and members in focus, with low ≤ load ≤ high. It starts from owned
// units up to low, which cost nothing and so are optimal for their number, and places the others by
// shortest paths: first to low everywhere, then up to high. If the budget ends, what was held before stands.
func (n *network) shift(classes, members []int32) {
	n.save(classes)
	need, left := n.startFromOwned(classes, members)
	left -= need
	n.costs = true
	ok := n.ship(classes, members, need)
	if ok && left > 0 {
		clear(n.room)
		n.sinkPrice = int32(n.prices)
		for _, m := range members {
			if n.limit[m] = n.high[m]; n.load[m] < n.limit[m] {
				n.room[m>>6] |= bit(m)
				n.sinkPrice = min(n.sinkPrice, n.priceMember[m])
			}
		}
		ok = n.ship(classes, members, left)
	}
	n.costs = false
	if !ok {
		n.restore(classes)
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
	n.sinkPrice = 0
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
func (n *network) ship(classes, members []int32, need int64) bool {
	for need > 0 {
		clear(n.target)
		if int(n.sinkPrice) < n.prices {
			for place, x := range n.membersAt[n.sinkPrice] {
				n.target[place] = x & n.room[place]
			}
		}
		if need -= n.deal(classes); need == 0 {
			break
		}
		if n.search(classes, need) {
			need -= n.blockingFlow(classes, members)
		} else if !n.work.empty() && n.prices <= int(n.classN+n.memberN)+2 { // beyond: no path is that long
			n.raise()
			continue
		}
		if n.work.empty() || n.prices > int(n.classN+n.memberN)+2 {
			return need == 0
		}
	}
	return true
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

// save notes what the members in focus hold of the classes.
func (n *network) save(classes []int32) {
	n.saved = n.saved[:0]
	for _, c := range classes {
		n.work.spend(int(n.rowStart[c+1] - n.rowStart[c]))
		for i := n.rowStart[c]; i < n.rowStart[c+1]; i++ {
			w := &n.row[i]
			for x := w.holds & n.inMembers[w.place]; x != 0; x &= x - 1 {
				b := lowest(x)
				pair := w.pair(b)
				n.saved = append(n.saved, savedPair{c, w.place*64 + b, pair, n.held[pair]})
			}
		}
	}
}

// restore goes back to what was saved.
func (n *network) restore(classes []int32) {
	for _, c := range classes {
		for i := n.rowStart[c]; i < n.rowStart[c+1]; i++ {
			w := &n.row[i]
			for x := w.holds & n.inMembers[w.place]; x != 0; x &= x - 1 {
				b := lowest(x)
				m, pair := w.place*64+b, w.pair(b)
				n.load[m] -= n.held[pair]
				n.left[c] += n.held[pair]
				n.add(c, m, w, pair, -n.held[pair])
			}
		}
	}
	for _, s := range n.saved {
		n.add(s.class, s.member, n.wordOf(s.class, s.member>>6), s.pair, s.held)
		n.load[s.member] += s.held
		n.left[s.class] -= s.held
	}
	n.stopped = Moves
}
