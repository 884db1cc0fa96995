package balance

import (
	"cmp"
	"slices"
)

// An item is a partition that its owner might have to give up, with the place of its topic in the class's list.
type item struct{ at, topic int32 }

// divide makes room in the list for the partitions of each member with more than its quota.
func (s *placement) divide(members []int32, excess int) {
	if s.end == nil {
		s.end = make([]int32, s.problem.Members)
		fill(s.end, -1)
	}
	at := int32(0)
	for _, m := range members {
		if s.owned[m] > s.quota[m] {
			s.end[m] = at
			at += s.owned[m]
		}
	}
	s.items = slices.Grow(s.items[:0], excess)[:excess]
}

// A run is what a member has of one topic.
type run struct {
	topic, from, to int32 // place in the class's list of topics; places in the member's list of partitions
}

// giveUp makes members with more than their quota give up the difference.
func (s *placement) giveUp(members []int32, receivers int32) {
	var runs []run
	for _, m := range members {
		if s.owned[m] <= s.quota[m] {
			continue
		}
		mine := s.items[s.end[m]-s.owned[m] : s.end[m]]
		off := s.owned[m] - s.quota[m]
		s.voluntary += int64(off)
		s.owned[m] -= off
		if s.racks {
			mine = s.dropMisses(mine, m, &off)
		}
		runs = runs[:0]
		for i, it := range mine {
			if i == 0 || it.topic != mine[i-1].topic {
				runs = append(runs, run{it.topic, int32(i), int32(i)})
			}
			runs[len(runs)-1].to++
		}
		if off > 8 {
			off = s.dropLevel(mine, runs, off)
		}
		for ; off > 0; off-- {
			s.dropBest(mine, runs, receivers)
		}
		s.end[m] = -1
	}
}

// dropMisses gives up partitions in the wrong rack first; it returns what the member still has.
func (s *placement) dropMisses(mine []item, m int32, off *int32) []item {
	kept := mine[:0]
	for _, it := range mine {
		if *off > 0 && s.problem.misses(it.at, m) {
			s.owner[it.at] = None
			s.pooled[it.topic]++
			*off--
		} else {
			kept = append(kept, it)
		}
	}
	return kept
}

// dropBest gives up one partition of the topic that the member has most of; where it makes little difference, of the
// topic of which little is pooled, so that the receivers get a bit of everything.
func (s *placement) dropBest(mine []item, runs []run, receivers int32) {
	best, value := -1, int64(0)
	for j := range runs {
		r := &runs[j]
		if r.from == r.to {
			continue
		}
		if v := int64(r.to-r.from)*int64(max(receivers, 1)) - int64(s.pooled[r.topic]); best < 0 || v > value {
			best, value = j, v
		}
	}
	s.drop(mine, &runs[best])
}

func (s *placement) drop(mine []item, r *run) {
	r.to--
	s.owner[mine[r.to].at] = None
	s.pooled[r.topic]++
}

// dropLevel gives up partitions so that no topic has more than a level, as low as can be, and returns how many are
// still to be given up: fewer than there are topics at the level. Those come from the topics with the fewest pooled.
func (s *placement) dropLevel(mine []item, runs []run, off int32) int32 {
	a, b := int32(0), int32(0) // dropping to b takes at most off
	for _, r := range runs {
		b = max(b, r.to-r.from)
	}
	for a < b {
		h := a + (b-a)/2
		sum := int64(0)
		for _, r := range runs {
			sum += int64(max(0, r.to-r.from-h))
		}
		if sum <= int64(off) {
			b = h
		} else {
			a = h + 1
		}
	}
	var highest []int
	for j := range runs {
		r := &runs[j]
		for r.to-r.from > b {
			s.drop(mine, r)
			off--
		}
		if r.to-r.from == b && b > 0 {
			highest = append(highest, j)
		}
	}
	if off > 8 {
		slices.SortStableFunc(highest, func(x, y int) int {
			return cmp.Compare(s.pooled[runs[x].topic], s.pooled[runs[y].topic])
		})
		for _, j := range highest[:off] {
			s.drop(mine, &runs[j])
		}
		off = 0
	}
	return off
}
