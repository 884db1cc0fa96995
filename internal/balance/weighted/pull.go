package weighted

import (
	"cmp"
	"slices"
)

// pull fills members far below their targets, such as one that has just joined, the emptiest first. It is for the tolerant
// mode: nobody has to be overloaded for it. What a member takes stays only if it is more than the gain asked for and its noise.
func (s *solver) pull() {
	below := max(s.o.tolerance, s.o.gain, s.o.noise)
	var list []int32
	for b := range int32(s.p.Members) {
		if s.target[b] > 0 && float64(s.load[b])+s.band(s.held[b]) < float64(s.target[b]*(1-below)) {
			list = append(list, b)
		}
	}
	share := func(m int32) float64 { return float64(s.load[m]) / s.target[m] }
	slices.SortFunc(list, func(a, b int32) int { return cmp.Or(cmp.Compare(share(a), share(b)), cmp.Compare(a, b)) })
	givers := make([]int32, s.p.Members)
	for m := range givers {
		givers[m] = int32(m)
	}
	for _, b := range list {
		s.spend(16 * len(givers))
		if s.out("newcomers") {
			return
		}
		mark, before := len(s.journal), s.load[b]
		idle := float64(s.load[b]) < s.target[b]/2
		slices.SortFunc(givers, func(x, y int32) int { return cmp.Or(cmp.Compare(s.ratio[y], s.ratio[x]), cmp.Compare(x, y)) })
		s.fill(b, givers, s.slack)
		if idle {
			s.fill(b, givers, s.lump)
		}
		s.given = s.given[:0]
		for _, e := range s.journal[mark:] {
			s.given = append(s.given, e.item)
		}
		if float64(s.load[b]-before) <= float64(s.o.gain*s.target[b])+s.band(s.given) {
			s.undo(mark)
		}
	}
}

// fill has b take an item from each giver in turn until it has enough or nobody gives any more.
func (s *solver) fill(b int32, givers []int32, choose func(a, b int32, room float64) int32) {
	for more := true; more; {
		more = false
		for _, a := range givers {
			room := s.target[b] - float64(s.load[b])
			if room <= float64(s.target[b]*s.o.tolerance) || s.out("newcomers") {
				return
			}
			if a == b || s.ratio[a] <= s.ratio[b] {
				continue
			}
			i := choose(a, b, room)
			if i == None {
				continue
			}
			w := s.item[i].weight
			if float64(w) > room || s.with(b, w) >= s.ratio[a] || s.count[b] > s.limit[b]-s.item[i].size {
				continue
			}
			s.trial = append(s.trial[:0], hop{i, b})
			if _, allowed := s.price(s.trial); allowed {
				s.apply(Pulled, b, s.trial)
				more = true
			}
		}
	}
}

// slack chooses what a can spare: it stays close to its own target.
func (s *solver) slack(a, b int32, room float64) int32 {
	spare := float64(s.load[a]) - s.target[a] + float64(s.target[a]*max(s.o.tolerance, s.o.gain/2))
	return s.pick(a, b, min(room, spare), false)
}

// lump chooses something heavier, if a still has no less than b afterwards.
func (s *solver) lump(a, b int32, _ float64) int32 {
	i := s.pick(a, b, max(1, float64(s.load[a])-s.target[a]), true)
	if i != None && s.with(b, s.item[i].weight) > s.with(a, -s.item[i].weight) {
		return None
	}
	return i
}
