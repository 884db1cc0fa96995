package balance

// searchState is what searches and blocking flows work with.
type searchState struct {
	costs      bool     // follow only arcs of reduced cost 0
	inMembers  []uint64 // the block or component worked on
	inClasses  []uint64
	room       []uint64 // members below their limit
	target     []uint64 // members a search may end at
	nothing    []uint64
	newMembers []uint64 // not reached by the search
	newClasses []uint64
	memberLvl  [][]uint64 // levels of the search: member level k is reached from class level k-1
	classLvl   [][]uint64
	lastLvl    int // member level at which the search stopped as it had met enough room, or -1

	nextRow, nextColumn       []int32 // where a node goes on looking for arcs
	sources                   []int32
	queue                     []int32
	classBuffer, memberBuffer []int32
}

func emptyLevel(levels *[][]uint64, k, words int) []uint64 {
	if k == len(*levels) {
		*levels = append(*levels, make([]uint64, words))
	}
	level := (*levels)[k]
	clear(level)
	return level
}

// fromClass returns the masks of members that arcs from the class may lead to: by moving, and free of charge.
func (n *network) fromClass(c int32) (moving, free []uint64) {
	if n.costs {
		price := n.priceClass[c]
		return n.membersAt[price+1], n.membersAt[price]
	}
	return n.inMembers, n.nothing
}

// fromMember returns the masks of classes that a unit may be taken back for: an owned one, and one that saves a move.
func (n *network) fromMember(m int32) (returning, saving []uint64) {
	if n.costs {
		price := n.priceMember[m]
		if price == 0 {
			return n.classesAt[0], n.nothing
		}
		return n.classesAt[price], n.classesAt[price-1]
	}
	return n.inClasses, n.inClasses
}

// search fills the levels breadth first from the classes with units left. It goes on until the targets met have room
// for need units, as one blocking flow then serves several distances. False: no target is reachable (newMembers and
// newClasses hold what is not reached), or the budget has ended.
func (n *network) search(classes []int32, need int64) bool {
	var room int64
	n.lastLvl = -1
	copy(n.newMembers, n.inMembers)
	copy(n.newClasses, n.inClasses)
	queue := n.queue[:0]
	for _, c := range classes {
		if n.left[c] > 0 {
			queue = append(queue, c)
			n.newClasses[c>>6] &^= bit(c)
		}
	}
	n.work.spend(len(classes))
	n.sources = append(n.sources[:0], queue...)
	for k := 0; ; k++ {
		if n.work.empty() {
			return false
		}
		reached := emptyLevel(&n.memberLvl, k, n.memWords)
		n.classesToMembers(queue, reached)
		some := uint64(0)
		for place, x := range reached {
			some |= x
			for x &= n.target[place]; x != 0; x &= x - 1 {
				m := int32(place)*64 + lowest(x)
				room += int64(n.limit[m] - n.load[m])
			}
		}
		if some == 0 {
			break
		}
		if room >= need { // no use going deeper
			for place := range reached {
				reached[place] &= n.target[place]
			}
			n.lastLvl = k
			n.queue = queue
			return true
		}
		further := emptyLevel(&n.classLvl, k, n.claWords)
		n.membersToClasses(reached, further)
		queue = queue[:0]
		for place, x := range further {
			for ; x != 0; x &= x - 1 {
				queue = append(queue, int32(place)*64+lowest(x))
			}
		}
		if len(queue) == 0 {
			break
		}
	}
	n.queue = queue
	return room > 0
}

func (n *network) classesToMembers(queue []int32, reached []uint64) {
	for _, c := range queue {
		moving, free := n.fromClass(c)
		row := n.row[n.rowStart[c]:n.rowStart[c+1]]
		n.work.spend(2*len(row) + 4)
		for i := range row {
			w := &row[i]
			p := w.place
			if x := (w.row&moving[p] | w.free&free[p]) & n.newMembers[p]; x != 0 {
				n.newMembers[p] &^= x
				reached[p] |= x
			}
		}
	}
}

func (n *network) membersToClasses(reached, further []uint64) {
	n.work.spend(4 * (n.memWords + n.claWords)) // for all that a level costs
	for place, x := range reached {
		for ; x != 0; x &= x - 1 {
			m := int32(place)*64 + lowest(x)
			returning, saving := n.fromMember(m)
			column := n.column[n.columnStart[m]:n.columnStart[m+1]]
			n.work.spend(2*len(column) + 4)
			for i := range column {
				w := &column[i]
				p := w.place
				if x := (w.returns&returning[p] | w.saves&saving[p]) & n.newClasses[p]; x != 0 {
					n.newClasses[p] &^= x
					further[p] |= x
				}
			}
		}
	}
}

// push sends up to want units of class c, reached before member level k, along the levels and returns how many
// it could place. A node that cannot place what it is asked to leaves its level.
func (n *network) push(c int32, k int, want int32) (got int32) {
	moving, free := n.fromClass(c)
	level := n.memberLvl[k]
	i := n.nextRow[c]
	n.work.spend(16)
	for ; i < n.rowStart[c+1]; i++ {
		w := &n.row[i]
		p := w.place
		for {
			x := (w.row&moving[p] | w.free&free[p]) & level[p]
			if x == 0 {
				break
			}
			b := lowest(x)
			m := p*64 + b
			pair := w.pair(b)
			most := want - got
			if n.costs && n.priceMember[m] == n.priceClass[c] {
				most = min(most, n.owned[pair]-n.held[pair])
			}
			sent := int32(0)
			if mb := bit(b); n.target[p]&mb != 0 {
				sent = min(most, n.limit[m]-n.load[m])
				n.load[m] += sent
				if n.load[m] == n.limit[m] {
					n.room[p] &^= mb
					n.target[p] &^= mb
					if k == n.lastLvl {
						level[p] &^= mb
					}
				}
			}
			if sent < most && k != n.lastLvl {
				sent += n.pushOn(m, k, most-sent)
			}
			if sent > 0 {
				n.add(c, m, w, pair, sent)
				if got += sent; got == want {
					n.nextRow[c] = i
					return got
				}
			}
			if n.work.empty() {
				n.nextRow[c] = i
				return got
			}
		}
	}
	n.work.spend(int(i - n.nextRow[c]))
	n.nextRow[c] = i
	if k > 0 {
		n.classLvl[k-1][c>>6] &^= bit(c)
	}
	return got
}

// pushOn makes room for up to want units at member m of level k by taking units of other classes from it.
func (n *network) pushOn(m int32, k int, want int32) (got int32) {
	returning, saving := n.fromMember(m)
	level := n.classLvl[k]
	i := n.nextColumn[m]
	n.work.spend(16)
	for ; i < n.columnStart[m+1]; i++ {
		w := &n.column[i]
		p := w.place
		for {
			x := (w.returns&returning[p] | w.saves&saving[p]) & level[p]
			if x == 0 {
				break
			}
			c := p*64 + lowest(x)
			row := n.wordOf(c, m>>6)
			pair := row.pair(m & 63)
			most := n.held[pair]
			if n.costs && n.priceClass[c] != n.priceMember[m] {
				most -= n.owned[pair]
			}
			if sent := n.push(c, k+1, min(most, want-got)); sent > 0 {
				n.add(c, m, row, pair, -sent)
				if got += sent; got == want {
					n.nextColumn[m] = i
					return got
				}
			}
			if n.work.empty() {
				n.nextColumn[m] = i
				return got
			}
		}
	}
	n.work.spend(int(i - n.nextColumn[m]))
	n.nextColumn[m] = i
	n.memberLvl[k][m>>6] &^= bit(m)
	return got
}

// blockingFlow pushes along the levels just found and returns the units placed.
func (n *network) blockingFlow(classes, members []int32) (got int64) {
	for _, c := range classes {
		n.nextRow[c] = n.rowStart[c]
	}
	for _, m := range members {
		n.nextColumn[m] = n.columnStart[m]
	}
	n.work.spend(len(classes) + len(members))
	for _, c := range n.sources {
		if n.left[c] == 0 {
			continue
		}
		sent := n.push(c, 0, n.left[c])
		n.left[c] -= sent
		got += int64(sent)
	}
	return got
}
