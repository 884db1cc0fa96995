package balance

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
			last = s.dealSome(from, to, s.pooled[k], last)
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
func (s *placement) dealSome(from, to, pooled, before int32) int32 {
	owner := s.owner[from:to]
	alone := s.ring[before] == before
	if !alone {
		for _, m := range owner {
			if m >= 0 {
				s.seen[m]++
			}
		}
	}
	for i, o := range owner {
		if o != None {
			continue
		}
		best := before
		if !alone {
			best = s.choose(from+int32(i), before)
		}
		m := s.ring[best]
		owner[i] = m
		s.seen[m]++
		if s.owned[m]++; s.owned[m] == s.quota[m] {
			s.ring[best] = s.ring[m]
			before = best
		} else {
			before = m
		}
		if pooled--; pooled == 0 && alone {
			s.seen[m] = 0
			break
		}
	}
	if !alone {
		for _, m := range owner {
			s.seen[m] = 0
		}
	}
	return before
}

// choose returns the member before the one in the ring that should get the partition at i.
func (s *placement) choose(i, before int32) int32 {
	ahead := 16
	if s.racks {
		ahead = 64
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
	return best
}
