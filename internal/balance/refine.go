package balance

import "slices"

// refineWork is the share of the budget for exact work on racks and spread.
const refineWork = 4_000_000

// refineArcs is the number of subscriptions up to which groups are refined exactly; with racks there may be four times as
// many lanes, and there may be 32 times as many partitions.
var refineArcs = 2048

// refine makes the later objectives exact where the group is small enough, or no limit is set.
func (s *placement) refine(o Options, work *meter, bounds *limits, r *Result) {
	if o.Budget >= 0 && (s.subscriptions() > refineArcs || len(s.owner) > 32*refineArcs) {
		s.swapRacks(work, r)
		return
	}
	if o.Tolerance == 0 && s.problem.Host == nil && s.least() {
		r.Proven = true
		return
	}
	b := &exchangeBuilder{placement: s, bounds: bounds, tolerant: o.Tolerance > 0}
	if o.Budget >= 0 {
		b.most = 4 * refineArcs
	}
	x := b.build()
	if x == nil {
		s.swapRacks(work, r)
		return
	}
	share := &meter{left: work.left}
	if o.Budget >= 0 {
		share.left = min(share.left, refineWork)
	}
	allowed := share.left
	r.Proven = x.settle(share)
	work.spend(int(allowed - share.left))
	if work.empty() {
		if r.Stopped = Spread; s.racks {
			r.Stopped = Racks
		}
	}
	s.apply(x, r)
}

// subscriptions is the number of pairs of a topic with partitions and a subscriber.
func (s *placement) subscriptions() int {
	p := s.problem
	count := 0
	for t, n := range p.Partitions {
		switch {
		case n == 0:
		case p.Start == nil:
			count += p.Members
		default:
			count += int(p.Start[t+1] - p.Start[t])
		}
	}
	return count
}

// least tells by a simple bound that racks and spread are as good as can be: there are no misses, and no topic has two
// members whose parts differ by more than one.
func (s *placement) least() bool {
	p := s.problem
	if s.racks {
		for i, m := range s.owner {
			if m >= 0 && p.misses(int32(i), m) {
				return false
			}
		}
	}
	if s.seen == nil {
		s.seen = make([]int32, p.Members)
	}
	all := everyone(p)
	for t := range p.Partitions {
		owners := s.owner[s.bases[t]:s.bases[t+1]]
		subscribers := p.subscribers(int32(t), all)
		if len(subscribers) == 0 {
			continue
		}
		for _, m := range owners {
			s.seen[m]++
		}
		low := int32(len(owners) / len(subscribers))
		even := true
		for _, m := range owners {
			even = even && s.seen[m] <= low+1
		}
		for _, m := range subscribers {
			even = even && s.seen[m] >= low
		}
		for _, m := range owners {
			s.seen[m] = 0
		}
		if !even {
			return false
		}
	}
	return true
}

// apply gives out what the exchange found. Owners keep, lowest partition first, as many as their lane allows.
func (s *placement) apply(x *exchange, r *Result) {
	quota := s.quota
	clear(quota)
	r.Voluntary = 0
	clear(r.Loads)
	var pool []int32
	for i := range x.lots {
		l := &x.lots[i]
		for _, lane := range l.lanes {
			quota[lane.member] = x.arcs[lane.arc].flow
		}
		pool = pool[:0]
		for _, at := range l.partitions {
			o := int32(None)
			if s.problem.Owner != nil {
				o = s.problem.Owner[at]
			}
			if uint32(o) < uint32(len(quota)) && quota[o] > 0 {
				quota[o]--
				s.owner[at] = o
				continue
			}
			if o >= 0 && s.takes(l.topic, o) {
				r.Voluntary++
			}
			pool = append(pool, at)
		}
		next := 0
		for _, lane := range l.lanes {
			for ; quota[lane.member] > 0; quota[lane.member]-- {
				s.owner[pool[next]] = lane.member
				next++
			}
		}
		for _, lane := range l.lanes {
			r.Loads[lane.member] += x.arcs[lane.arc].flow
		}
	}
}

// takes tells whether the member subscribes to the topic.
func (s *placement) takes(t, m int32) bool {
	if int(m) >= s.problem.Members {
		return false
	}
	if s.problem.Start == nil {
		return true
	}
	_, is := slices.BinarySearch(s.problem.Subscribers[s.problem.Start[t]:s.problem.Start[t+1]], m)
	return is
}
