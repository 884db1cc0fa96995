package weighted

import (
	"math"
	"slices"
)

const (
	fillRounds  = 24   // times that giants are looked for
	fillSweeps  = 8    // times that every class is filled anew in a round
	innerSweeps = 30   // times that those which changed are filled anew in between
	fillCoarse  = 0.05 // change of a share, relative to the level, that ends a round while giants are looked for
	fillPrecise = 1e-3 // the same when none is left
)

// A filling spreads the weight of each class over its members as if partitions could be divided, so that the sum of load²/capacity
// is least: the ratio is the same wherever a class has anything, and no lower where it might.
type filling struct {
	s       *solver
	weight  []float64 // of each class, without giants
	level   []float64 // ratio of the members that a class fills
	widest  []float64 // largest load without giants of the members of a class
	share   []float64 // of a class at each of its members, as classes.members
	base    []float64 // of each member: giants
	load    []float64 // of each member: giants and shares
	giant   []bool
	order   []int32 // classes, the heaviest first: what is light fills what they leave
	active  []int32 // classes whose shares changed
	clock   int32   // fills so far
	filled  []int32 // when each class was filled
	moved   []int32 // when the load of each member last changed by more than precise
	precise float64 // change of a share, relative to the level, that does not matter
}

// setTargets computes the load that each member should have. An item heavier than what any member that may have it should carry
// cannot be divided either: such giants are put where they weigh least, and the rest is spread again over what they leave.
func (s *solver) setTargets() {
	k, n := s.classes.len(), s.p.Members
	f := &filling{
		s: s, weight: make([]float64, k), level: make([]float64, k), widest: make([]float64, k),
		share: make([]float64, len(s.classes.members)), base: make([]float64, n), load: make([]float64, n),
		giant: make([]bool, len(s.item)), filled: make([]int32, k), moved: make([]int32, n),
	}
	for i := range s.item {
		if x := &s.item[i]; len(s.classes.list(x.class)) > 0 {
			f.weight[x.class] += float64(x.weight)
		}
	}
	for c, w := range f.weight {
		if w > 0 {
			f.order = append(f.order, int32(c))
		}
	}
	f.precise = fillCoarse
	for range fillRounds {
		f.settle()
		if s.out("targets") {
			break
		}
		if f.giants() {
			continue
		}
		if f.precise == fillPrecise {
			break
		}
		f.precise = fillPrecise
		clear(f.filled) // look at all of them again
	}
	f.finish()
}

// settle fills classes in turn until shares hardly change. In between it sees only to those whose shares changed last.
func (f *filling) settle() {
	for range fillSweeps {
		active, worst := f.sweep(f.order)
		if len(active) == 0 || len(f.order) == 1 {
			return
		}
		for n := 0; n < innerSweeps && len(active) > 0 && worst > f.precise; n++ {
			if f.s.out("targets") {
				return
			}
			active, worst = f.sweep(active)
		}
	}
}

// sweep fills those of the classes that are stale. It returns those whose shares changed, and by how much at most.
func (f *filling) sweep(classes []int32) (changed []int32, worst float64) {
	list := f.active[:0] // may be what classes is: it is written behind what is read
	for _, k := range classes {
		if f.weight[k] <= 0 || !f.stale(k) {
			continue
		}
		if f.s.abandoned() {
			break
		}
		if c := f.fill(k); c > f.precise {
			list = append(list, k)
			worst = max(worst, c)
		}
	}
	f.active = list
	return list, worst
}

// stale tells whether the load of a member of a class has changed since the class was filled, or its weight.
func (f *filling) stale(k int32) bool {
	at := f.filled[k]
	if at == 0 {
		return true
	}
	for _, m := range f.s.classes.list(k) {
		if f.moved[m] > at {
			return true
		}
	}
	return false
}

// fill spreads a class over its members again and returns the largest change of a share, relative to the level.
func (f *filling) fill(k int32) (change float64) {
	s := f.s
	from, to := s.classes.start[k], s.classes.start[k+1]
	members, shares := s.classes.members[from:to], f.share[from:to]
	s.spend(4 * len(members))
	for at, m := range members {
		f.load[m] -= shares[at]
	}
	level := f.waterLevel(members, f.weight[k], f.level[k])
	f.level[k] = level
	f.clock++
	f.filled[k] = f.clock
	for at, m := range members {
		full := float64(level * s.capacity[m])
		share := max(0, full-f.load[m])
		c := math.Abs(share-shares[at]) / full
		if c > f.precise {
			f.moved[m] = f.clock
		}
		change = max(change, c)
		shares[at] = share
		f.load[m] += share
	}
	return change
}

// waterLevel is the ratio to which a weight fills members that have some load already: Newton's method on a convex function,
// which overshoots at most once. It starts from a guess.
func (f *filling) waterLevel(members []int32, weight, level float64) float64 {
	c := f.s.capacity
	for round := range 60 {
		var load, capacity float64
		for _, m := range members {
			if float64(level*c[m]) > f.load[m] {
				load += f.load[m]
				capacity += c[m]
			}
		}
		if capacity == 0 { // below them all
			level = math.Inf(1)
			for _, m := range members {
				level = min(level, (f.load[m]+weight)/c[m])
			}
			continue
		}
		next := (weight + load) / capacity
		if round > 0 && next >= float64(level*(1-1e-12)) && next <= float64(level*(1+1e-12)) {
			return next
		}
		level = next
	}
	return level
}

// giants finds items heavier than what any of their members should carry, and tells whether there were any.
func (f *filling) giants() (found bool) {
	s := f.s
	least := math.Inf(1)
	for k, w := range f.weight {
		if w <= 0 {
			continue
		}
		f.widest[k] = 0
		for _, m := range s.classes.list(int32(k)) {
			f.widest[k] = max(f.widest[k], f.load[m]-f.base[m])
		}
		least = min(least, f.widest[k])
	}
	for i := len(s.item) - 1; i >= 0; i-- {
		x := &s.item[i]
		w := float64(x.weight)
		if w <= least {
			break
		}
		members := s.classes.list(x.class)
		if f.giant[i] || len(members) == 0 || w <= float64(f.widest[x.class]*(1+1e-9)) {
			continue
		}
		best, lowest := members[0], math.Inf(1)
		for _, m := range members {
			if r := (f.base[m] + w) / s.capacity[m]; r < lowest || r == lowest && m == x.home {
				best, lowest = m, r
			}
		}
		f.base[best] += w
		f.load[best] += w
		f.clock++
		f.moved[best] = f.clock
		f.filled[x.class] = 0
		f.weight[x.class] -= w
		f.giant[i], found = true, true
		if f.weight[x.class] <= 0 {
			f.drop(x.class)
		}
		s.spend(len(members))
	}
	return found
}

// drop takes the shares of a class away that has only giants.
func (f *filling) drop(k int32) {
	from, to := f.s.classes.start[k], f.s.classes.start[k+1]
	for at, m := range f.s.classes.members[from:to] {
		f.load[m] -= f.share[int(from)+at]
		f.share[int(from)+at] = 0
		f.moved[m] = f.clock
	}
}

// finish sets the targets. A member that has a giant should have what it would without: the level of what else it may have.
func (f *filling) finish() {
	s := f.s
	for m := range s.target {
		s.target[m] = max(0, f.load[m])
	}
	if !slices.ContainsFunc(f.base, func(b float64) bool { return b > 0 }) {
		return
	}
	other := make([]float64, len(f.base))
	for k, w := range f.weight {
		if w <= 0 {
			continue
		}
		for _, m := range s.classes.list(int32(k)) {
			other[m] = max(other[m], f.level[k])
		}
	}
	for m, b := range f.base {
		if b > 0 && f.load[m] <= float64(b*(1+1e-9)) {
			s.target[m] = min(s.target[m], float64(other[m]*s.capacity[m]))
		}
	}
}
