package weighted

import "math"

// keep leaves items with the owners that may keep them. An owner with more partitions than the limit allows loses the lightest.
func (s *solver) keep() {
	for i := len(s.item) - 1; i >= 0; i-- {
		x := &s.item[i]
		if x.home == None {
			continue
		}
		if s.count[x.home] > s.limit[x.home]-x.size {
			x.home = None
			continue
		}
		x.owner = x.home
		s.load[x.home] += x.weight
		s.count[x.home] += x.size
	}
	for i := range s.item {
		if o := s.item[i].owner; o != None {
			s.held[o] = append(s.held[o], int32(i))
			if s.item[i].own < s.item[i].size {
				s.cause[i] = cause{reason: Joined, step: s.step, member: o, giver: None}
			}
		}
	}
	s.step++
	for m := range s.ratio {
		s.ratio[m] = float64(s.load[m]) / s.capacity[m]
	}
}

// place gives items without owner away, heaviest first.
func (s *solver) place() {
	var full []int32
	next := newQueue(s)
	for i := int32(len(s.item)) - 1; i >= 0; i-- {
		x := &s.item[i]
		if x.owner != None {
			continue
		}
		if s.abandoned() {
			return
		}
		if next != nil {
			s.trial = append(s.trial[:0], hop{i, next.first()})
			s.apply(Placed, next.first(), s.trial)
			next.sink(0)
		} else if m := s.choose(i); m != None {
			s.trial = append(s.trial[:0], hop{i, m})
			s.apply(Placed, m, s.trial)
		} else if len(s.classes.list(x.class)) > 0 {
			full = append(full, i)
		}
	}
	if len(full) == 0 {
		return
	}
	room := newSearch(s)
	for _, i := range full {
		if s.abandoned() {
			return
		}
		if !room.makeRoom(i) {
			s.lastResort(i)
		}
	}
}

// placeLate tries again with what found no room: others have moved since.
func (s *solver) placeLate() {
	if !s.limited || s.cancelled {
		return
	}
	for i := int32(len(s.item)) - 1; i >= 0; i-- {
		if s.item[i].owner != None || len(s.classes.list(s.item[i].class)) == 0 {
			continue
		}
		if m := s.choose(i); m != None {
			s.trial = append(s.trial[:0], hop{i, m})
			s.apply(Placed, m, s.trial)
		} else {
			s.lastResort(i)
		}
	}
}

// choose finds the member with the least ratio after it took item i, and of those the one with the fewest partitions. Members
// that stay within their goal come by preference first.
func (s *solver) choose(i int32) int32 {
	x := &s.item[i]
	best, ratio, liking := int32(None), 0.0, int64(0)
	for _, m := range s.classes.list(x.class) {
		if s.count[m] > s.limit[m]-x.size {
			continue
		}
		r, l := s.with(m, x.weight), int64(math.MinInt64)
		if s.p.Prefer != nil && float64(s.load[m]+x.weight) <= s.goal(m) {
			l = s.liking(i, m)
		}
		if best == None || l > liking || l == liking && (r < ratio || r == ratio && s.fewer(m, best)) {
			best, ratio, liking = m, r, l
		}
	}
	return best
}

// fewer tells whether m has fewer partitions than another member, relative to their capacities.
func (s *solver) fewer(m, than int32) bool {
	return float64(float64(s.count[m])*s.capacity[than]) < float64(float64(s.count[than])*s.capacity[m])
}

// lastResort gives an item that finds no place to a draining member that may have it: the owner if it can.
func (s *solver) lastResort(i int32) {
	x := &s.item[i]
	best := int32(None)
	for m := range int32(s.p.Members) {
		if !s.drains[m] || !s.classes.allows(x.class, m) || s.count[m] > s.limit[m]-x.size {
			continue
		}
		if m == s.p.owner(s.parts[x.first]) {
			best = m
			break
		}
		if best == None || s.fewer(m, best) {
			best = m
		}
	}
	if best != None {
		s.trial = append(s.trial[:0], hop{i, best})
		s.apply(Placed, best, s.trial)
	}
}
