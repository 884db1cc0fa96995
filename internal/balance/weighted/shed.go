package weighted

import (
	"cmp"
	"math"
	"slices"
)

const (
	spread    = 3.5 // noise that is believed in, in standard deviations
	shedTimes = 4   // times that all members are gone through
)

// band is how far the sum of weights may be off where each is off by the noise, evenly distributed and by itself.
func (s *solver) band(items []int32) float64 {
	if s.o.noise == 0 {
		return 0
	}
	var sum, squares float64
	for _, i := range items {
		w := float64(s.item[i].weight)
		sum += w
		squares += float64(w * w)
	}
	return float64(s.o.noise * min(sum, float64(spread/math.Sqrt(3)*math.Sqrt(squares))))
}

// trigger is the load beyond which m gives something up.
func (s *solver) trigger(m int32) float64 {
	return float64(s.target[m]*(1+max(s.o.tolerance, s.o.gain))) + s.band(s.held[m])
}

// spreadFree improves the places of items that are not at home, which costs no move.
func (s *solver) spreadFree() {
	s.free = true
	defer func() { s.free = false }()
	for range shedTimes {
		more := false
		for _, a := range s.above(func(m int32) float64 { return s.goal(m) }) {
			for float64(s.load[a]) > s.goal(a) && !s.out("placement") && s.improve(a) {
				more = true
			}
		}
		if !more {
			return
		}
	}
}

// above lists members with more than a load, the largest ratio first.
func (s *solver) above(bound func(int32) float64) (list []int32) {
	for m := range int32(s.p.Members) {
		if float64(s.load[m]) > bound(m) {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b int32) int { return cmp.Or(cmp.Compare(s.ratio[b], s.ratio[a]), cmp.Compare(a, b)) })
	return list
}

// descend lowers the sorted ratios from the top, a step of the most loaded member at a time.
func (s *solver) descend() {
	done := make([]bool, s.p.Members)
	for pass, more := 0, true; more && pass < shedTimes; pass++ {
		clear(done)
		for more = false; ; {
			a := int32(None)
			for m, r := range s.ratio {
				if !done[m] && s.load[m] > 0 && (a == None || r > s.ratio[a]) {
					a = int32(m)
				}
			}
			s.spend(len(done))
			if a == None {
				break
			}
			if s.out("balance") {
				return
			}
			if s.improve(a) {
				more = true
			} else {
				done[a] = true
			}
		}
	}
}

// shed relieves members beyond their trigger, the most loaded first. What a member gives up stays away only if its load falls by
// more than the gain asked for and the noise in what it gave. The gain is a share of its target: one with a hot partition, far
// above it, would else keep all others as well.
func (s *solver) shed() {
	for range shedTimes {
		more := false
		for _, a := range s.above(s.trigger) {
			if s.out("balance") {
				return
			}
			if float64(s.load[a]) > s.trigger(a) && s.relieve(a) { // others may have relieved it
				more = true
			}
		}
		if !more {
			return
		}
	}
}

func (s *solver) relieve(a int32) bool {
	mark, before := len(s.journal), float64(s.load[a])
	for float64(s.load[a]) > s.goal(a) && !s.out("balance") && s.improve(a) {
	}
	s.given = s.given[:0]
	for _, e := range s.journal[mark:] {
		s.given = append(s.given, e.item)
	}
	if before-float64(s.load[a]) <= float64(s.o.gain*min(before, s.target[a]))+s.band(s.given) {
		s.undo(mark)
		return false
	}
	return true
}
