package weighted

import (
	"math"
	"slices"
	"sort"
)

const (
	receiverCount = 8    // members with the least load that are looked at in a step
	leastGain     = 1e-4 // a step has to lower the ratio by this share of what it should be
	divided       = 12   // so many items of two members are divided in every way
	equalTries    = 64   // items of equal weight that are looked at
)

// A proposal is the best step found so far.
type proposal struct {
	reason  Reason
	score   float64
	cost    int64
	liking  int64
	ceiling float64 // ratio that both sides have to stay below
	earned  float64 // see earned
	found   bool
}

// improve makes one step that lowers the larger ratio of an overloaded member and a receiver, or of a chain of members. Of all
// steps it takes the one that leaves the least above the goals, then the one that moves the least, then the preferred one.
func (s *solver) improve(a int32) bool {
	best := proposal{score: math.Inf(1), earned: s.earned(a), ceiling: s.ratio[a] - float64(leastGain*min(s.ratio[a], s.target[a]/s.capacity[a]))}
	excess := float64(s.load[a]) - s.target[a]
	receivers := s.lightest(a)
	for _, b := range receivers {
		s.tryMoves(&best, a, b, excess)
		s.trySwaps(&best, a, b, s.even(a, b, excess))
	}
	if !best.found && s.chain(a, best.ceiling) {
		return true
	}
	for _, b := range receivers {
		if best.found && best.reason != Divided {
			break
		}
		s.tryDivisions(&best, a, b)
	}
	if best.found {
		s.apply(best.reason, a, s.best)
	}
	return best.found
}

// even is the weight that would make the ratios of a and b equal, but no more than a has too much.
func (s *solver) even(a, b int32, excess float64) float64 {
	x := (float64(float64(s.load[a])*s.capacity[b]) - float64(float64(s.load[b])*s.capacity[a])) / (s.capacity[a] + s.capacity[b])
	if excess > 0 {
		x = min(x, max(1, excess-float64(s.target[a]*s.o.tolerance)))
	}
	return x
}

// tryMoves looks at the items of a that come nearest to what b should get.
func (s *solver) tryMoves(best *proposal, a, b int32, excess float64) {
	x := s.even(a, b, excess)
	room := min(x, s.goal(b)-float64(s.load[b]))
	for _, i := range [3]int32{s.pick(a, b, room, false), s.pick(a, b, x, false), s.pick(a, b, x, true)} {
		if i != None {
			s.trial = append(s.trial[:0], hop{i, b})
			s.try(best, Shed, a, b, s.item[i].weight, s.trial)
		}
	}
}

// trySwaps looks for each item of b at those of a that differ from it by the right weight, both just below and just above.
func (s *solver) trySwaps(best *proposal, a, b int32, x float64) {
	s.given, s.got = s.listMovable(a, b, s.given), s.listMovable(b, a, s.got)
	s.spend(len(s.held[a]) + len(s.held[b]) + 2*len(s.got))
	at := 0
	for _, j := range s.got {
		w := s.item[j].weight
		for at < len(s.given) && float64(s.item[s.given[at]].weight-w) < x {
			at++
		}
		for _, t := range [2]int{at - 1, at} {
			if t < 0 || t >= len(s.given) {
				continue
			}
			s.trial = append(s.trial[:0], hop{s.given[t], b}, hop{j, a})
			s.try(best, Swapped, a, b, s.item[s.given[t]].weight-w, s.trial)
		}
	}
}

// listMovable fills list with the items of a that b may get.
func (s *solver) listMovable(a, b int32, list []int32) []int32 {
	list = list[:0]
	for _, i := range s.held[a] {
		if s.classes.has(s.item[i].class, b) && s.movable(i) {
			list = append(list, i)
		}
	}
	return list
}

// tryDivisions looks at every way to divide what a and b have, if that is not much: a set bit is an item that changes sides.
func (s *solver) tryDivisions(best *proposal, a, b int32) {
	s.given, s.got = s.listMovable(a, b, s.given), s.listMovable(b, a, s.got)
	n := len(s.given) + len(s.got)
	if n > divided || s.left < 0 {
		return
	}
	s.spend(4 << n)
	s.sums = append(s.sums[:0], make([]int64, 1<<n)...)
	turn := func(bit int) hop {
		if bit < len(s.given) {
			return hop{s.given[bit], b}
		}
		return hop{s.got[bit-len(s.given)], a}
	}
	for mask := 1; mask < 1<<n; mask++ {
		low := lowestBit(mask)
		h := turn(low)
		w := s.item[h.item].weight
		if h.to == a {
			w = -w
		}
		s.sums[mask] = s.sums[mask&(mask-1)] + w
		if s.sums[mask] <= 0 || s.worth(best, a, b, s.sums[mask]) > best.score {
			continue
		}
		s.trial = s.trial[:0]
		for rest := mask; rest != 0; rest &= rest - 1 {
			s.trial = append(s.trial, turn(lowestBit(rest)))
		}
		s.try(best, Divided, a, b, s.sums[mask], s.trial)
	}
}

// worth is what stays above the goal of a and comes above that of b if so much weight goes from a to b: less is better.
func (s *solver) worth(best *proposal, a, b int32, w int64) float64 {
	ra, rb := s.with(a, -w), s.with(b, w)
	if w <= 0 || max(ra, rb) >= best.ceiling {
		return math.Inf(1)
	}
	above := max(0, rb-s.goal(b)/s.capacity[b])
	if above > 0 && rb >= best.earned {
		return math.Inf(1) // a hot partition would go round
	}
	if goal := s.goal(a) / s.capacity[a]; goal < best.ceiling {
		return max(ra, goal) + above
	}
	return max(ra, rb)
}

// try keeps the hops if they are better than the best so far. w is the weight that goes from a to b.
func (s *solver) try(best *proposal, why Reason, a, b int32, w int64, hops []hop) {
	score := s.worth(best, a, b, w)
	if score > best.score || math.IsInf(score, 1) || !s.fits(a, b, hops) || !s.certain(best.earned, b, w, hops) {
		return
	}
	cost, allowed := s.price(hops)
	if !allowed {
		return
	}
	liking := s.gainedLiking(hops)
	if score < best.score || cost < best.cost || cost == best.cost && liking > best.liking {
		best.reason, best.score, best.cost, best.liking, best.found = why, score, cost, liking, true
		s.best = append(s.best[:0], hops...)
	}
}

// earned is the ratio that a receiver has to stay below for what a gives up, if it comes above its own goal.
func (s *solver) earned(a int32) float64 {
	return float64(s.ratio[a] * (1 - max(s.o.tolerance, s.o.gain)))
}

// certain tells whether b, if it comes above its goal, stays below what a had even if its weights are off by the noise: else the two
// might only change their roles.
func (s *solver) certain(earned float64, b int32, w int64, hops []hop) bool {
	if s.o.noise == 0 || s.free || float64(s.load[b]+w) <= s.goal(b) {
		return true
	}
	s.spend(len(s.held[b]))
	s.after = append(s.after[:0], s.held[b]...)
	for _, h := range hops {
		if h.to == b {
			s.after = append(s.after, h.item)
		} else {
			k := slices.Index(s.after, h.item)
			s.after = slices.Delete(s.after, k, k+1)
		}
	}
	return s.with(b, w)+s.band(s.after)/s.capacity[b] < earned
}

// gainedLiking is by how much preference rises with the hops.
func (s *solver) gainedLiking(hops []hop) (sum int64) {
	if s.p.Prefer == nil {
		return 0
	}
	for _, h := range hops {
		sum += s.liking(h.item, h.to) - s.liking(h.item, s.item[h.item].owner)
	}
	return sum
}

// fits tells whether a and b keep to the limit after an exchange.
func (s *solver) fits(a, b int32, hops []hop) bool {
	if !s.limited {
		return true
	}
	n := int32(0) // more at b
	for _, h := range hops {
		if h.to == b {
			n += s.item[h.item].size
		} else {
			n -= s.item[h.item].size
		}
	}
	return s.count[b] <= s.limit[b]-n && s.count[a] <= s.limit[a]+n
}

// pick returns the heaviest item of a that b may have and that weighs x at most, or with up the lightest that weighs x at
// least; of several equal ones the one that costs least. None if there is none. Weightless items are never picked.
func (s *solver) pick(a, b int32, x float64, up bool) int32 {
	held, step := s.held[a], 1
	k := sort.Search(len(held), func(k int) bool {
		w := float64(s.item[held[k]].weight)
		return w > x || up && w == x
	})
	if !up {
		k, step = k-1, -1
	}
	best, least := int32(None), int64(0)
	tries := 0
	for ; k >= 0 && k < len(held) && tries < equalTries; k += step {
		i := held[k]
		w := s.item[i].weight
		if w == 0 || best != None && (w != s.item[best].weight || least < 0) {
			break
		}
		s.left--
		if !s.classes.has(s.item[i].class, b) || !s.movable(i) {
			continue
		}
		tries++
		if _, c := s.cost(i, b); best == None || c < least {
			best, least = i, c
		}
	}
	return best
}

// lightest lists the members with the least ratios that may take something from a and have a lower ratio than it.
func (s *solver) lightest(a int32) []int32 {
	clear(s.takers)
	last := int32(-1)
	for _, i := range s.held[a] {
		if k := s.item[i].class; k != last && s.movable(i) {
			last = k
			for j, w := range s.classes.usable[int(k)*s.classes.words : (int(k)+1)*s.classes.words] {
				s.takers[j] |= w
			}
		}
	}
	s.spend(len(s.held[a]) + s.p.Members)
	list, worst := s.receivers[:0], s.ratio[a]
	for m, r := range s.ratio {
		if r >= worst || s.takers[m>>6]>>(m&63)&1 == 0 {
			continue
		}
		at := len(list)
		for at > 0 && s.ratio[list[at-1]] > r {
			at--
		}
		list = slices.Insert(list, at, int32(m))
		if len(list) > receiverCount {
			list = list[:receiverCount]
			worst = s.ratio[list[receiverCount-1]]
		}
	}
	s.receivers = list
	return list
}
