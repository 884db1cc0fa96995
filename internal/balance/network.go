package balance

import (
	"math/bits"
	"slices"
)

// A classWord is one word of a class's row over members, with the arcs that lead from the class.
type classWord struct {
	row   uint64 // subscribers
	holds uint64 // members with units of the class
	free  uint64 // members that own more units than they have: one more is no move
	place int32
	first int32 // pair of the lowest bit of row
}

func (w *classWord) pair(b int32) int32 {
	return w.first + int32(bits.OnesCount64(w.row&(1<<uint(b)-1)))
}

// A memberWord is one word of a member's row over classes, with the arcs that lead from the member.
type memberWord struct {
	row     uint64 // subscribed classes
	returns uint64 // classes of which it has units, all owned: taking one away is a move (or undoes none)
	saves   uint64 // classes of which it has more units than it owns: taking one away saves a move
	place   int32
}

// A network is the problem as flow of units (partitions) from classes to members, in numbers of its own: classes
// ascend by number of subscribers, members by number of subscribed classes. A scan from the lowest bit
// then meets the least flexible node first, which saves most searches when subscriptions are nested.
//
// Invariants: held ≥ 0 per (class, member) pair; for each class the units held and the units left add up to all its
// units; load of a member is what it holds; holds, free, returns and saves agree with held and owned.
type network struct {
	*classes
	work     *meter
	problem  *Problem
	classN   int32
	memberN  int32
	memWords int // words of a mask over members
	claWords int // words of a mask over classes

	number []int32 // caller's member -> member here
	caller []int32 // member here -> caller's member

	rowStart, columnStart []int32
	row                   []classWord
	column                []memberWord

	units       []int32 // of a class
	left        []int32 // units of a class that are not placed
	held, owned []int32 // per pair
	load        []int32 // per member
	limit       []int32 // how far a member is filled at present
	low, high   []int32 // bounds of a member's load in its block

	capacities []int32 // distinct ones, ascending; 0 counts as 1
	capacity   []int32 // per member, index in capacities
	blocks     []block
	blockOf    []int32 // of a member, index in blocks
	stopped    Stage

	thresholdState
	searchState
	costState
}

// A block is a set of classes and members that exchange units in some optimal assignment. tie: some members may
// have either of two loads.
type block struct {
	classes, members []int32
	tie              bool
}

func newNetwork(p *Problem, k *classes, work *meter) *network {
	n := &network{classes: k, problem: p, work: work, classN: int32(k.count), memberN: int32(p.Members)}
	C, M := k.count, p.Members
	n.memWords, n.claWords = (M+63)/64, (C+63)/64
	buffer := make([]int32, 7*C+13*M+3+3*(C+M+1))
	cut := func(size int) []int32 { part := buffer[:size:size]; buffer = buffer[size:]; return part }
	n.units, n.left, n.nextRow, n.priceClass, n.rowStart = cut(C), cut(C), cut(C), cut(C), cut(C+1)
	n.load, n.limit, n.low, n.high, n.nextColumn, n.priceMember = cut(M), cut(M), cut(M), cut(M), cut(M), cut(M)
	n.capacity, n.ownedBy, n.number, n.caller, n.columnStart = cut(M), cut(M), cut(M), cut(M), cut(M+1)
	n.blockOf = cut(M)
	n.component, n.order, n.stack = cut(C+M+1), cut(C + M + 1)[:0], cut(C + M + 1)[:0]
	n.classBuffer, n.queue = cut(C), cut(C)[:0]
	n.memberBuffer = cut(M)

	masks := make([]uint64, 4*n.memWords+2*n.claWords+max(n.memWords, n.claWords))
	cutMask := func(size int) []uint64 { part := masks[:size:size]; masks = masks[size:]; return part }
	n.inMembers, n.room, n.newMembers, n.target = cutMask(n.memWords), cutMask(n.memWords), cutMask(n.memWords), cutMask(n.memWords)
	n.inClasses, n.newClasses = cutMask(n.claWords), cutMask(n.claWords)
	n.nothing = masks

	n.arrange()
	n.setCapacities()
	return n
}

// arrange numbers the members and lays out the rows of both sides.
func (n *network) arrange() {
	C, M := n.count, n.problem.Members
	given := transpose(n.sets, C, M)
	n.sortMembers(given)
	columns := rows{start: n.columnStart, words: make([]rowWord, 0, len(given.words))}
	for i, m := range n.caller {
		columns.words = append(columns.words, given.row(m)...)
		n.columnStart[i+1] = int32(len(columns.words))
	}
	n.column = make([]memberWord, len(columns.words))
	for i, w := range columns.words {
		n.column[i] = memberWord{row: w.bits, place: w.place}
	}
	r := transpose(columns, M, C)
	copy(n.rowStart, r.start)
	n.row = make([]classWord, len(r.words))
	pairs := int32(0)
	for i, w := range r.words {
		n.row[i] = classWord{row: w.bits, place: w.place, first: pairs}
		pairs += int32(bits.OnesCount64(w.bits))
	}
	n.held, n.owned = make([]int32, pairs), make([]int32, pairs)
	for c := range n.classN {
		for _, t := range n.of(c) {
			n.units[c] += n.problem.Partitions[t]
		}
		n.left[c] = n.units[c]
	}
}

// sortMembers numbers the members by ascending number of classes, then by index (counting sort).
func (n *network) sortMembers(r rows) {
	degree := make([]int32, n.memberN)
	place := make([]int32, n.classN+2)
	for m := range degree {
		for _, w := range r.row(int32(m)) {
			degree[m] += int32(bits.OnesCount64(w.bits))
		}
		place[degree[m]+1]++
	}
	for d := 1; d < len(place); d++ {
		place[d] += place[d-1]
	}
	for m, d := range degree {
		n.number[m] = place[d]
		n.caller[place[d]] = int32(m)
		place[d]++
	}
}

func (n *network) setCapacities() {
	n.capacities = []int32{1}
	if given := n.problem.Capacity; given != nil {
		n.capacities = append(n.capacities, given...)
		slices.Sort(n.capacities)
		n.capacities = slices.Compact(n.capacities)
		if n.capacities[0] == 0 {
			n.capacities = n.capacities[1:]
		}
		for m, c := range given {
			j, _ := slices.BinarySearch(n.capacities, max(c, 1))
			n.capacity[n.number[m]] = int32(j)
		}
	}
	j := len(n.capacities)
	n.members, n.level = make([]int64, j), make([]int64, j)
	n.raised, n.cheapest = make([]bool, j), make([]bool, j)
}

// own counts the owners. Those that do not subscribe are skipped.
func (n *network) own(bases []int32) {
	owner := n.problem.Owner
	if owner == nil {
		return
	}
	for c := range n.classN {
		row := n.row[n.rowStart[c]:n.rowStart[c+1]]
		dense := len(row) == n.memWords
		for _, t := range n.of(c) {
			for _, m := range owner[bases[t]:bases[t+1]] {
				if uint32(m) >= uint32(n.memberN) {
					continue
				}
				m = n.number[m]
				var w *classWord
				if dense {
					w = &row[m>>6]
				} else if w = n.wordOf(c, m>>6); w == nil {
					continue
				}
				if b := bit(m); w.row&b != 0 {
					w.free |= b
					n.owned[w.pair(m&63)]++
				}
			}
		}
	}
}

// wordOf finds the word of a class's row, nil if it is empty.
func (n *network) wordOf(c, place int32) *classWord {
	a, b := n.rowStart[c], n.rowStart[c+1]
	if int(b-a) == n.memWords {
		return &n.row[a+place]
	}
	end := b
	for a < b {
		if h := (a + b) >> 1; n.row[h].place < place {
			a = h + 1
		} else {
			b = h
		}
	}
	if a == end || n.row[a].place != place {
		return nil
	}
	return &n.row[a]
}

// columnOf finds the word of a member's row, which must not be empty.
func (n *network) columnOf(m, place int32) *memberWord {
	a, b := n.columnStart[m], n.columnStart[m+1]
	if int(b-a) == n.claWords {
		return &n.column[a+place]
	}
	for a < b {
		if h := (a + b) >> 1; n.column[h].place < place {
			a = h + 1
		} else {
			b = h
		}
	}
	return &n.column[a]
}

// add changes what member m holds of class c, in word w, and keeps the arc sets in step. It leaves load and left alone.
func (n *network) add(c, m int32, w *classWord, pair, change int32) {
	before, owned := n.held[pair], n.owned[pair]
	after := before + change
	n.held[pair] = after
	mb := bit(m)
	if after < owned {
		w.free |= mb
	} else {
		w.free &^= mb
	}
	if after > 0 {
		w.holds |= mb
	} else {
		w.holds &^= mb
	}
	if (before > 0) != (after > 0) || (before > owned) != (after > owned) {
		q := n.columnOf(m, c>>6)
		cb := bit(c)
		q.returns &^= cb
		q.saves &^= cb
		if after > owned {
			q.saves |= cb
		} else if after > 0 {
			q.returns |= cb
		}
	}
}

// voluntary counts the owned units that their owners do not hold.
func (n *network) voluntary() (count int64) {
	for e, o := range n.owned {
		count += int64(max(0, o-n.held[e]))
	}
	return count
}

// focus makes these classes and members the ones that searches see.
func (n *network) focus(classes, members []int32) {
	clear(n.inMembers)
	clear(n.inClasses)
	for _, c := range classes {
		n.inClasses[c>>6] |= bit(c)
	}
	for _, m := range members {
		n.inMembers[m>>6] |= bit(m)
	}
}
