package balance

import "math/bits"

// A smoother evens out what the members hold of each class, in groups too large for exact work: where one has two
// units more of a class than another, they swap one for a unit of another class that makes nothing worse. Loads and the
// number of moves stay as they are.
type smoother struct {
	*network
	share *meter
}

// smooth improves the spread of every block with a share of the budget that grows with the size of the group. The first
// pass is for the worst: twice an even part.
func (n *network) smooth(partitions int) {
	share := min(n.work.left, int64(3*partitions+4*len(n.held)))
	s := &smoother{network: n, share: &meter{left: share}}
	for _, j := range n.blocks {
		if len(j.members) < 2 || len(j.classes) == 0 {
			continue
		}
		n.focus(j.classes, j.members)
		for pass := 0; pass < 3 && !s.share.empty(); pass++ {
			changed := false
			for _, c := range j.classes {
				if s.share.empty() {
					break
				}
				changed = s.class(c, pass == 0) || changed
			}
			if !changed && pass > 0 {
				break
			}
		}
	}
	if n.work.spend(int(share - s.share.left)); n.work.empty() {
		n.stopped = Spread
	}
}

// class swaps units of a class away from members that have more than an even part of it.
func (s *smoother) class(c int32, worst bool) (changed bool) {
	row := s.row[s.rowStart[c]:s.rowStart[c+1]]
	able := int32(0)
	for i := range row {
		able += int32(bits.OnesCount64(row[i].row & s.inMembers[row[i].place]))
	}
	s.share.spend(2 * len(row))
	if able < 2 {
		return false
	}
	even := (s.units[c] + able - 1) / able
	if worst {
		even *= 2
	}
	for i := range row {
		w := &row[i]
		for x := w.holds & s.inMembers[w.place]; x != 0; x &= x - 1 {
			b := lowest(x)
			pair := w.pair(b)
			s.share.spend(3)
			for s.held[pair] > even && !s.share.empty() {
				if !s.relieve(c, w.place*64+b, w, pair) {
					break
				}
				changed = true
			}
		}
	}
	return changed
}

// relieve takes a unit of class c from a member if somebody with two less can take it.
func (s *smoother) relieve(c, from int32, w *classWord, pair int32) bool {
	row := s.row[s.rowStart[c]:s.rowStart[c+1]]
	most := s.held[pair] - 2
	cost := s.lessCost(pair)
	first := int(uint32(from) % uint32(len(row))) // not always the same members
	for k := range row {
		v := &row[(first+k)%len(row)]
		for x := v.row & s.inMembers[v.place]; x != 0; x &= x - 1 {
			b := lowest(x)
			to, other := v.place*64+b, v.pair(b)
			if s.share.empty() {
				return false
			}
			s.share.spend(3)
			if s.held[other] > most {
				continue
			}
			moves := cost + s.moreCost(other)
			if moves <= 0 && s.passes(from, to) {
				s.load[from]--
				s.load[to]++
			} else if !s.swap(to, from, moves) {
				continue
			}
			s.add(c, from, w, pair, -1)
			s.add(c, to, v, other, 1)
			return true
		}
	}
	return false
}

// passes tells whether a member may pass a unit to another without harm to balance.
func (s *smoother) passes(from, to int32) bool {
	if s.problem.Host != nil || s.load[from] == s.low[from] || s.load[to] == s.high[to] {
		return false
	}
	a, b := int64(s.capacities[s.capacity[from]]), int64(s.capacities[s.capacity[to]])
	return (2*int64(s.load[from])-1)*b >= (2*int64(s.load[to])+1)*a
}

func (s *smoother) lessCost(pair int32) int {
	if s.held[pair] > s.owned[pair] {
		return -1
	}
	return 0
}

func (s *smoother) moreCost(pair int32) int {
	if s.held[pair] < s.owned[pair] {
		return 0
	}
	return 1
}

// swap passes a unit of some class of which from has more than to, if that keeps the number of moves.
func (s *smoother) swap(from, to int32, moves int) bool {
	a, b := s.column[s.columnStart[from]:s.columnStart[from+1]], s.column[s.columnStart[to]:s.columnStart[to+1]]
	s.share.spend(2 * min(len(a), len(b)))
	for i, j := 0, 0; i < len(a) && j < len(b); {
		u, v := &a[i], &b[j]
		if u.place != v.place {
			if u.place < v.place {
				i++
			} else {
				j++
			}
			continue
		}
		i, j = i+1, j+1
		hold := u.saves
		if moves < 2 { // else only units that save a move can make up for it
			hold |= u.returns
		}
		for x := hold & v.row & s.inClasses[u.place]; x != 0; x &= x - 1 {
			c := u.place*64 + lowest(x)
			wa, wb := s.wordOf(c, from>>6), s.wordOf(c, to>>6)
			pa, pb := wa.pair(from&63), wb.pair(to&63)
			s.share.spend(12)
			if s.held[pb] < s.held[pa] && moves+s.lessCost(pa)+s.moreCost(pb) <= 0 {
				s.add(c, from, wa, pa, -1)
				s.add(c, to, wb, pb, 1)
				return true
			}
			if s.share.empty() {
				return false
			}
		}
	}
	return false
}
