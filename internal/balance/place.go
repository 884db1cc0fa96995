package balance

import (
	"cmp"
	"math/bits"
	"slices"
)

// A placement turns loads and counts into owners of partitions. Owners keep as many of their partitions as they may;
// what they give up and who gets it is chosen for racks first and then for the spread of each topic.
type placement struct {
	problem *Problem
	bases   []int32
	racks   bool
	owner   []int32 // result
	quota   []int32 // per member: what it may still get in the class at hand; zero between classes
	owned   []int32 // per member: what it has in the class at hand; zero between classes
	seen    []int32 // per member: what it has of the topic at hand; zero between topics
	pooled  []int32 // per topic of the class at hand: partitions to be dealt
	member  []uint64
	ring    []int32 // next receiver of each member
	pool    []int32

	voluntary, placed int64
}

func newPlacement(p *Problem, bases []int32) *placement {
	s := &placement{
		problem: p, bases: bases, racks: p.MemberRack != nil && p.RackStart != nil,
		owner: make([]int32, bases[len(bases)-1]),
		quota: make([]int32, p.Members), owned: make([]int32, p.Members),
	}
	return s
}

// offsets returns where each topic starts in Owner, and the end.
func (p *Problem) offsets() []int32 {
	bases := make([]int32, len(p.Partitions)+1)
	for t, n := range p.Partitions {
		bases[t+1] = bases[t] + n
	}
	return bases
}

// misses tells whether the partition at i would have a known rack other than the member's, also known.
func (p *Problem) misses(i, m int32) bool {
	rack := p.MemberRack[m]
	if rack < 0 {
		return false
	}
	from, to := p.RackStart[i], p.RackStart[i+1]
	return from < to && !slices.Contains(p.PartitionRacks[from:to], rack)
}

// unassigned clears the owners of topics that nobody subscribes to.
func (s *placement) unassigned(all []int32) {
	for t := range s.problem.Partitions {
		if len(s.problem.subscribers(int32(t), all)) == 0 {
			for i := s.bases[t]; i < s.bases[t+1]; i++ {
				s.owner[i] = None
			}
		}
	}
}

// subscribed makes the row the subscribers of the class at hand.
func (s *placement) subscribed(row []rowWord) {
	if s.member == nil {
		s.member = make([]uint64, (s.problem.Members+63)/64)
	}
	clear(s.member)
	for _, w := range row {
		s.member[w.place] = w.bits
	}
}

// ownerOf is the present owner of the partition at i, None if it is not a subscriber.
func (s *placement) ownerOf(i int32) int32 {
	if s.problem.Owner == nil {
		return None
	}
	if o := s.problem.Owner[i]; uint32(o) < uint32(s.problem.Members) && (s.problem.Start == nil || has(s.member, o)) {
		return o
	}
	return None
}

// topic places the partitions of one topic: members are those with a quota, which add up to all its partitions.
func (s *placement) topic(t int32, members []int32) {
	pool := s.pool[:0]
	for i := s.bases[t]; i < s.bases[t+1]; i++ {
		o := s.ownerOf(i)
		if o >= 0 && s.quota[o] > 0 {
			s.quota[o]--
			s.owner[i] = o
			continue
		}
		if o >= 0 {
			s.voluntary++
		} else {
			s.placed++
		}
		pool = append(pool, i)
	}
	s.pool = pool
	next := 0
	for _, m := range members {
		for ; s.quota[m] > 0; s.quota[m]-- {
			s.owner[pool[next]] = m
			next++
		}
	}
}

// class places the partitions of topics with the same subscribers. The members' quotas add up to all partitions.
func (s *placement) class(topics, members []int32) {
	if len(topics) == 1 && !s.racks {
		s.topic(topics[0], members)
		return
	}
	s.pooled = slices.Grow(s.pooled[:0], len(topics))[:len(topics)]
	for k, t := range topics {
		s.pooled[k] = s.takeOver(s.bases[t], s.bases[t+1])
	}
	excess, receivers := 0, int32(0)
	for _, m := range members {
		switch {
		case s.owned[m] > s.quota[m]:
			excess += int(s.owned[m])
		case s.owned[m] < s.quota[m]:
			receivers++
		}
	}
	if excess > 0 {
		s.giveUp(topics, members, excess, receivers)
	}
	s.deal(topics, members)
	for _, m := range members {
		s.owned[m], s.quota[m] = 0, 0
	}
}

// takeOver copies present owners and returns the number of partitions without one.
func (s *placement) takeOver(from, to int32) (missing int32) {
	if s.problem.Owner == nil {
		fill(s.owner[from:to], None)
		s.placed += int64(to - from)
		return to - from
	}
	owner, given := s.owner[from:to], s.problem.Owner[from:to]
	everyone := s.problem.Start == nil
	for i, o := range given[:len(owner)] {
		if uint32(o) >= uint32(len(s.owned)) || !everyone && !has(s.member, o) {
			o = None
			missing++
		} else {
			s.owned[o]++
		}
		owner[i] = o
	}
	s.placed += int64(missing)
	return missing
}

func fill(list []int32, value int32) {
	for i := range list {
		list[i] = value
	}
}

// A run is what a member has of one topic.
type run struct {
	topic, from, to int32 // place in the class's list of topics; places in the member's list of partitions
}

// giveUp makes members with more than their quota give up the difference.
func (s *placement) giveUp(topics, members []int32, excess int, receivers int32) {
	start := make([]int32, s.problem.Members+1) // end of each member's list; -1: keeps everything
	fill(start, -1)
	at := int32(0)
	for _, m := range members {
		if s.owned[m] > s.quota[m] {
			start[m] = at
			at += s.owned[m]
		}
	}
	list := make([]int32, excess)
	for _, t := range topics {
		for i := s.bases[t]; i < s.bases[t+1]; i++ {
			if o := s.owner[i]; o >= 0 {
				if at := start[o]; at >= 0 {
					list[at] = i
					start[o]++
				}
			}
		}
	}
	var runs []run
	for _, m := range members {
		if start[m] < 0 {
			continue
		}
		mine := list[start[m]-s.owned[m] : start[m]]
		off := s.owned[m] - s.quota[m]
		s.voluntary += int64(off)
		s.owned[m] -= off
		if s.racks {
			mine = s.dropMisses(topics, mine, m, &off)
		}
		runs = s.runs(topics, mine, runs[:0])
		if off > 8 {
			off = s.dropLevel(topics, mine, runs, off)
		}
		for ; off > 0; off-- {
			s.dropBest(mine, runs, receivers)
		}
	}
}

// dropMisses gives up partitions in the wrong rack first; it returns what the member still has.
func (s *placement) dropMisses(topics, mine []int32, m int32, off *int32) []int32 {
	kept := mine[:0]
	k := 0
	for _, i := range mine {
		for i >= s.bases[topics[k]+1] || i < s.bases[topics[k]] {
			k++
		}
		if *off > 0 && s.problem.misses(i, m) {
			s.owner[i] = None
			s.pooled[k]++
			*off--
		} else {
			kept = append(kept, i)
		}
	}
	return kept
}

// runs divides a member's partitions by topic.
func (s *placement) runs(topics, mine []int32, runs []run) []run {
	for i := int32(0); i < int32(len(mine)); {
		from := 0
		if len(runs) > 0 {
			from = int(runs[len(runs)-1].topic) + 1
		}
		k, _ := slices.BinarySearchFunc(topics[from:], mine[i], func(t, at int32) int {
			if s.bases[t+1] <= at {
				return -1
			}
			return 1
		})
		k += from
		j := i
		for j < int32(len(mine)) && mine[j] < s.bases[topics[k]+1] {
			j++
		}
		runs = append(runs, run{int32(k), i, j})
		i = j
	}
	return runs
}

// dropBest gives up one partition of the topic that the member has most of; where it makes little difference, of the
// topic of which little is pooled, so that the receivers get a bit of everything.
func (s *placement) dropBest(mine []int32, runs []run, receivers int32) {
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

func (s *placement) drop(mine []int32, r *run) {
	r.to--
	s.owner[mine[r.to]] = None
	s.pooled[r.topic]++
}

// dropLevel gives up partitions so that no topic has more than a level, as low as can be, and returns how many are
// still to be given up: fewer than there are topics at the level. Those come from the topics with the fewest pooled.
func (s *placement) dropLevel(topics, mine []int32, runs []run, off int32) int32 {
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

// deal gives the pooled partitions, topic by topic, to the members below their quota in turn.
func (s *placement) deal(topics, members []int32) {
	if s.ring == nil {
		s.ring, s.seen = make([]int32, s.problem.Members), make([]int32, s.problem.Members)
	}
	first, last := int32(-1), int32(-1)
	for _, m := range members {
		if s.owned[m] < s.quota[m] {
			if last >= 0 {
				s.ring[last] = m
			} else {
				first = m
			}
			last = m
		}
	}
	if first < 0 {
		return
	}
	s.ring[last] = first
	for k, t := range topics {
		if s.pooled[k] == 0 {
			continue
		}
		from, to := s.bases[t], s.bases[t+1]
		if s.pooled[k] == to-from && !s.racks {
			last = s.dealAll(from, to, last)
		} else {
			last = s.dealSome(from, to, last)
		}
	}
}

// dealAll deals a topic of which nobody has anything. before is the member whose turn was last.
func (s *placement) dealAll(from, to, before int32) int32 {
	owner := s.owner[from:to]
	for i := range owner {
		m := s.ring[before]
		owner[i] = m
		if s.owned[m]++; s.owned[m] == s.quota[m] {
			s.ring[before] = s.ring[m]
		} else {
			before = m
		}
	}
	return before
}

// dealSome deals what is pooled of a topic. It looks a little ahead for a receiver in the right rack that has little of it.
func (s *placement) dealSome(from, to, before int32) int32 {
	for _, m := range s.owner[from:to] {
		if m >= 0 {
			s.seen[m]++
		}
	}
	ahead := 16
	if s.racks {
		ahead = 64
	}
	for i := from; i < to; i++ {
		if s.owner[i] != None {
			continue
		}
		best, value := before, int32(1<<30)
		for b, n := before, 0; n < ahead && value > 0; n++ {
			m := s.ring[b]
			v := s.seen[m]
			if s.racks && s.problem.misses(i, m) {
				v += 1 << 28
			}
			if v < value {
				best, value = b, v
			}
			if b = m; b == before {
				break
			}
		}
		m := s.ring[best]
		s.owner[i] = m
		s.seen[m]++
		if s.owned[m]++; s.owned[m] == s.quota[m] {
			s.ring[best] = s.ring[m]
			before = best
		} else {
			before = m
		}
	}
	for _, m := range s.owner[from:to] {
		s.seen[m] = 0
	}
	return before
}

// fromNetwork places what the network found, class by class.
func (s *placement) fromNetwork(n *network) {
	members := make([]int32, 0, n.memberN)
	for c := int32(0); c < n.classN; c++ {
		members = members[:0]
		for i := n.rowStart[c]; i < n.rowStart[c+1]; i++ {
			w := &n.row[i]
			for x := w.holds | w.free; x != 0; x &= x - 1 {
				b := lowest(x)
				m := n.caller[w.place*64+b]
				s.quota[m] = n.held[w.first+int32(bits.OnesCount64(w.row&(1<<uint(b)-1)))]
				members = append(members, m)
			}
		}
		s.subscribed(n.sets.row(c))
		s.class(n.of(c), members)
	}
}
