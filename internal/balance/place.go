package balance

import "slices"

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
	loads   []int32 // result
	items   []item  // partitions of members with more than their quota
	end     []int32 // per member: end of its items, -1: none; all -1 between classes

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
	from, to := s.bases[t], s.bases[t+1]
	var given []int32
	if s.problem.Owner != nil {
		given = s.problem.Owner[from:to]
	}
	quota, owner := s.quota, s.owner[from:to]
	for i := from; i < to; i++ {
		if given != nil {
			if o := given[i-from]; uint32(o) < uint32(len(quota)) && quota[o] > 0 {
				quota[o]--
				owner[i-from] = o
				continue
			}
		}
		if s.ownerOf(i) >= 0 {
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

// class places the partitions of topics with the same subscribers. The members' quotas add up to all partitions, and
// owned is what they have of these topics now.
func (s *placement) class(topics, members []int32) {
	if len(topics) == 1 && !s.racks {
		s.topic(topics[0], members)
		for _, m := range members {
			s.owned[m] = 0
		}
		return
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
	s.pooled = slices.Grow(s.pooled[:0], len(topics))[:len(topics)]
	if excess > 0 {
		s.divide(members, excess)
	}
	for k, t := range topics {
		s.pooled[k] = s.takeOver(int32(k), s.bases[t], s.bases[t+1], excess > 0)
		s.placed += int64(s.pooled[k])
	}
	if excess > 0 {
		s.giveUp(members, receivers)
	}
	s.deal(topics, members)
	for _, m := range members {
		s.owned[m], s.quota[m] = 0, 0
	}
}

// takeOver copies the present owners of a topic and lists the partitions of those with too many. It returns the
// number of partitions without an owner.
func (s *placement) takeOver(topic, from, to int32, list bool) (missing int32) {
	if s.problem.Owner == nil {
		fill(s.owner[from:to], None)
		return to - from
	}
	owner, given := s.owner[from:to], s.problem.Owner[from:to]
	everyone, members := s.problem.Start == nil, uint32(s.problem.Members)
	if !list {
		for i, o := range given[:len(owner)] {
			if uint32(o) >= members || !everyone && !has(s.member, o) {
				o = None
				missing++
			}
			owner[i] = o
		}
		return missing
	}
	end := s.end
	for i, o := range given[:len(owner)] {
		if uint32(o) >= uint32(len(end)) || !everyone && !has(s.member, o) {
			o = None
			missing++
		} else if at := end[o]; at >= 0 {
			s.items[at] = item{from + int32(i), topic}
			end[o]++
		}
		owner[i] = o
	}
	return missing
}

func fill(list []int32, value int32) {
	for i := range list {
		list[i] = value
	}
}

// fromNetwork places what the network found, class by class.
func (s *placement) fromNetwork(n *network) {
	s.loads = make([]int32, n.memberN)
	for m, load := range n.load {
		s.loads[n.caller[m]] = load
	}
	members := make([]int32, 0, n.memberN)
	for c := range n.classN {
		members = members[:0]
		for i := n.rowStart[c]; i < n.rowStart[c+1]; i++ {
			w := &n.row[i]
			for x := w.holds | w.free; x != 0; x &= x - 1 {
				b := lowest(x)
				m := n.caller[w.place*64+b]
				pair := w.pair(b)
				s.quota[m], s.owned[m] = n.held[pair], n.owned[pair]
				members = append(members, m)
			}
		}
		s.subscribed(n.sets.row(c))
		s.class(n.of(c), members)
	}
}
