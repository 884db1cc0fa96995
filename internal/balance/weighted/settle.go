package weighted

// settle takes back moves that turned out not to be needed, heaviest first: an item returns to its home, alone or for another
// one there that is not at its own, if the larger ratio of both members does not rise or stays within the tolerance.
func (s *solver) settle() {
	for i := int32(len(s.item)) - 1; i >= 0; i-- {
		x := &s.item[i]
		if x.home == None || x.home == x.owner || x.owner == None {
			continue
		}
		if s.out("return") {
			return
		}
		home, now := x.home, x.owner
		if s.returns(home, now, x.weight) && s.count[home] <= s.limit[home]-x.size {
			s.goHome(hop{i, home})
			continue
		}
		s.spend(len(s.held[home]))
		best := int32(None)
		for _, j := range s.held[home] {
			y := &s.item[j]
			if y.home == home || !s.classes.has(y.class, now) || !s.returns(home, now, x.weight-y.weight) {
				continue
			}
			if best == None || y.home == now && s.item[best].home != now {
				best = j
			}
		}
		if best == None {
			continue
		}
		s.trial = append(s.trial[:0], hop{i, home}, hop{best, now})
		if cost, allowed := s.price(s.trial); cost <= 0 && allowed && s.fits(now, home, s.trial) {
			s.apply(Returned, home, s.trial)
		}
	}
}

// goHome takes an item back to where it was.
func (s *solver) goHome(h hop) {
	s.trial = append(s.trial[:0], h)
	s.apply(0, h.to, s.trial)
	if x := &s.item[h.item]; x.own < x.size {
		s.cause[h.item].reason = Joined // the others still are where home is
	}
}

// returns tells whether so much weight may go home.
func (s *solver) returns(home, now int32, w int64) bool {
	rh, rn := s.with(home, w), s.with(now, -w)
	t := s.o.tolerance
	if t > 0 && s.load[now]-w < s.load[now] && float64(s.load[now]-w) < float64(s.target[now]*(1-t)) && rn < s.ratio[home] {
		return false // it would rob one that needs it
	}
	if max(rh, rn) <= max(s.ratio[home], s.ratio[now]) {
		return true
	}
	return t > 0 && float64(s.load[home]+w) <= s.goal(home) && float64(s.load[now]-w) <= s.goal(now)
}
