package balance

// fewestMoves finds the fewest moves in each block, keeping its balance.
func (n *network) fewestMoves() {
	for _, j := range n.blocks {
		if n.work.empty() {
			n.stopped = Moves
			return
		}
		if len(j.members) < 2 || len(j.classes) == 0 || n.keepsMost(j.classes, j.members) {
			continue
		}
		n.focus(j.classes, j.members)
		parts := n.components(j)
		for _, part := range parts {
			if n.work.empty() {
				n.stopped = Moves
				return
			}
			if len(part.members) < 2 || len(part.classes) == 0 || len(part.classes) == 1 && !part.tie {
				continue // one way only
			}
			if len(parts) == 1 || !n.keepsMost(part.classes, part.members) {
				n.focus(part.classes, part.members)
				n.shift(part.classes, part.members)
			}
		}
	}
}

// ranges narrows low and high of every member down to the loads that it has in some optimal assignment.
func (n *network) ranges() {
	for _, j := range n.blocks {
		if j.tie {
			n.focus(j.classes, j.members)
			n.components(j)
		}
	}
}

// keepsMost tells whether the present assignment keeps as many owned units as loads alone allow.
func (n *network) keepsMost(classes, members []int32) bool {
	owned := n.ownedBy
	for _, m := range members {
		owned[m] = 0
	}
	member := n.newMembers
	clear(member)
	for _, m := range members {
		member[m>>6] |= bit(m)
	}
	n.work.spend(len(classes) + 3*len(members))
	var kept, bound, units int64
	for _, c := range classes {
		units += int64(n.units[c])
		n.work.spend(int(n.rowStart[c+1] - n.rowStart[c]))
		for i := n.rowStart[c]; i < n.rowStart[c+1]; i++ {
			w := &n.row[i]
			for x := (w.holds | w.free) & member[w.place]; x != 0; x &= x - 1 {
				b := lowest(x)
				pair := w.pair(b)
				o := n.owned[pair]
				owned[w.place*64+b] += o
				kept += int64(min(o, n.held[pair]))
			}
		}
	}
	var above, low int64
	for _, m := range members {
		low += int64(n.low[m])
		bound += int64(min(owned[m], n.low[m]))
		if owned[m] > n.low[m] {
			above += int64(min(owned[m], n.high[m]) - n.low[m])
		}
	}
	return kept == bound+min(above, units-low)
}

// A walker finds strong components (Kosaraju) of: class -> subscriber, member -> class of which it holds units,
// member below high -> sink -> member above low. Nodes: classes, members from classN, the sink last.
type walker struct {
	*network
	sink         int32
	up, down     []uint64 // members that can take, and give, a unit of the tied level
	sinkNew      bool
	sinkPlace    int
	componentN   int32
	sinkAt       int32 // component of the sink, or -1
	order, stack []int32
}

// components divides the block in focus: pairs across components hold nothing in every optimal assignment, and only loads in the
// sink's component can vary. low and high of the others become their load. tie marks the sink's component.
func (n *network) components(j block) []block {
	w := &walker{network: n, sink: n.classN + n.memberN, up: n.room, down: n.target, sinkAt: -1, order: n.order[:0], stack: n.stack[:0]}
	clear(w.up)
	clear(w.down)
	for _, m := range j.members {
		if n.load[m] < n.high[m] {
			w.up[m>>6] |= bit(m)
		}
		if n.load[m] > n.low[m] {
			w.down[m>>6] |= bit(m)
		}
	}
	w.forward(j)
	w.backward(j)
	n.order, n.stack = w.order, w.stack
	for _, m := range j.members {
		if n.component[n.classN+m] != w.sinkAt {
			n.low[m], n.high[m] = n.load[m], n.load[m] // the same in every optimal assignment
		}
	}
	return w.lists(j)
}

func (w *walker) enterMember(place int, x uint64) {
	b := lowest(x)
	w.newMembers[place] &^= bit(b)
	w.stack = append(w.stack, w.classN+int32(place)*64+b)
}

func (w *walker) enterClass(place int, x uint64) {
	b := lowest(x)
	w.newClasses[place] &^= bit(b)
	w.stack = append(w.stack, int32(place)*64+b)
}

// forward lists the nodes in the order in which a depth first walk leaves them.
func (w *walker) forward(j block) {
	copy(w.newMembers, w.inMembers)
	copy(w.newClasses, w.inClasses)
	w.sinkNew, w.sinkPlace = j.tie, 0
	for _, c := range j.classes {
		w.nextRow[c] = w.rowStart[c]
	}
	for _, m := range j.members {
		w.nextColumn[m] = w.columnStart[m]
	}
	w.work.spend(2 * (len(j.classes) + len(j.members) + w.memWords + w.claWords))
	for _, c := range j.classes {
		if has(w.newClasses, c) {
			w.enterClass(int(c>>6), bit(c))
			w.walk()
		}
	}
	for _, m := range j.members {
		if has(w.newMembers, m) {
			w.enterMember(int(m>>6), bit(m))
			w.walk()
		}
	}
}

func (w *walker) walk() {
	for len(w.stack) > 0 {
		v := w.stack[len(w.stack)-1]
		if !w.descend(v) {
			w.order = append(w.order, v)
			w.stack = w.stack[:len(w.stack)-1]
		}
	}
}

// descend enters one more new node that v leads to.
func (w *walker) descend(v int32) bool {
	switch {
	case v < w.classN:
		from := w.nextRow[v]
		for i := from; i < w.rowStart[v+1]; i++ {
			word := &w.row[i]
			if x := word.row & w.newMembers[word.place]; x != 0 {
				w.nextRow[v] = i
				w.enterMember(int(word.place), x)
				return true
			}
		}
		w.nextRow[v] = w.rowStart[v+1]
		w.work.spend(int(w.rowStart[v+1]-from) + 1)
	case v < w.sink:
		m := v - w.classN
		if w.sinkNew && has(w.up, m) {
			w.sinkNew = false
			w.stack = append(w.stack, w.sink)
			return true
		}
		from := w.nextColumn[m]
		for i := from; i < w.columnStart[m+1]; i++ {
			word := &w.column[i]
			if x := (word.returns | word.saves) & w.newClasses[word.place]; x != 0 {
				w.nextColumn[m] = i
				w.enterClass(int(word.place), x)
				return true
			}
		}
		w.nextColumn[m] = w.columnStart[m+1]
		w.work.spend(int(w.columnStart[m+1]-from) + 1)
	default:
		for ; w.sinkPlace < w.memWords; w.sinkPlace++ {
			if x := w.down[w.sinkPlace] & w.newMembers[w.sinkPlace]; x != 0 {
				w.enterMember(w.sinkPlace, x)
				return true
			}
		}
	}
	return false
}

// backward numbers the components, walking against the arcs from the node left last.
func (w *walker) backward(j block) {
	copy(w.newMembers, w.inMembers)
	copy(w.newClasses, w.inClasses)
	w.sinkNew = j.tie
	for i := len(w.order) - 1; i >= 0; i-- {
		v := w.order[i]
		switch {
		case v < w.classN:
			if !has(w.newClasses, v) {
				continue
			}
			w.enterClass(int(v>>6), bit(v))
		case v < w.sink:
			m := v - w.classN
			if !has(w.newMembers, m) {
				continue
			}
			w.enterMember(int(m>>6), bit(m))
		default:
			if !w.sinkNew {
				continue
			}
			w.sinkNew = false
			w.stack = append(w.stack, w.sink)
		}
		for len(w.stack) > 0 {
			v := w.stack[len(w.stack)-1]
			w.stack = w.stack[:len(w.stack)-1]
			w.component[v] = w.componentN
			w.ascend(v)
		}
		w.componentN++
	}
}

// ascend enters all new nodes that lead to v.
func (w *walker) ascend(v int32) {
	switch {
	case v < w.classN:
		w.work.spend(int(w.rowStart[v+1] - w.rowStart[v]))
		for i := w.rowStart[v]; i < w.rowStart[v+1]; i++ {
			word := &w.row[i]
			for x := word.holds & w.newMembers[word.place]; x != 0; x &= x - 1 {
				w.enterMember(int(word.place), x)
			}
		}
	case v < w.sink:
		m := v - w.classN
		w.work.spend(int(w.columnStart[m+1] - w.columnStart[m]))
		for i := w.columnStart[m]; i < w.columnStart[m+1]; i++ {
			word := &w.column[i]
			for x := word.row & w.newClasses[word.place]; x != 0; x &= x - 1 {
				w.enterClass(int(word.place), x)
			}
		}
		if w.sinkNew && has(w.down, m) {
			w.sinkNew = false
			w.stack = append(w.stack, w.sink)
		}
	default:
		w.sinkAt = w.componentN
		for place, up := range w.up {
			for x := up & w.newMembers[place]; x != 0; x &= x - 1 {
				w.enterMember(place, x)
			}
		}
	}
}

// lists sorts the block's classes and members by component (counting sort, in place).
func (w *walker) lists(j block) []block {
	starts := make([]int32, 2*w.componentN+2)
	sc, sm := starts[:w.componentN+1], starts[w.componentN+1:]
	for _, c := range j.classes {
		sc[w.component[c]+1]++
	}
	for _, m := range j.members {
		sm[w.component[w.classN+m]+1]++
	}
	for i := range w.componentN {
		sc[i+1] += sc[i]
		sm[i+1] += sm[i]
	}
	classes, members := w.classBuffer[:len(j.classes)], w.memberBuffer[:len(j.members)]
	copy(classes, j.classes)
	copy(members, j.members)
	for _, c := range classes {
		k := w.component[c]
		j.classes[sc[k]] = c
		sc[k]++
	}
	for _, m := range members {
		k := w.component[w.classN+m]
		j.members[sm[k]] = m
		sm[k]++
	}
	parts := make([]block, w.componentN)
	a, b := int32(0), int32(0)
	for i := range parts {
		parts[i] = block{j.classes[a:sc[i]], j.members[b:sm[i]], int32(i) == w.sinkAt}
		a, b = sc[i], sm[i]
	}
	return parts
}
