package balance

import "slices"

// swapRacks lowers the rack misses of groups too large for exact work. Two members swap partitions of one topic, so
// that loads and spread stay, if that makes fewer misses and no more moves. Then a member that would lose a partition
// to one in the wrong rack keeps it and gives another in its place.
func (s *placement) swapRacks(work *meter, r *Result) {
	if !s.racks {
		return
	}
	share := &meter{left: min(work.left, int64(50_000+20*len(s.owner)))}
	allowed := share.left
	missed := false
	for t := range s.problem.Partitions {
		for i := s.bases[t]; i < s.bases[t+1] && !share.empty(); i++ {
			share.spend(4)
			if m := s.owner[i]; m >= 0 && s.problem.misses(i, m) {
				missed = !s.swapRack(int32(t), i, share, r) || missed
			}
		}
	}
	if missed && s.problem.Owner != nil {
		s.replaceRacks(share)
	}
	if work.spend(int(allowed - share.left)); work.empty() {
		r.Stopped = Racks
	}
}

// swapRack looks for a partition of the topic to swap the one at i with.
func (s *placement) swapRack(t, i int32, share *meter, r *Result) bool {
	a := s.owner[i]
	for j := s.bases[t]; j < s.bases[t+1] && !share.empty(); j++ {
		b := s.owner[j]
		share.spend(12)
		if a == b || s.problem.misses(i, b) || s.problem.misses(j, a) && !s.problem.misses(j, b) {
			continue
		}
		moves := s.moved(t, i, b) + s.moved(t, j, a) - s.moved(t, i, a) - s.moved(t, j, b)
		if moves <= 0 {
			s.owner[i], s.owner[j] = b, a
			r.Voluntary += moves
			return true
		}
	}
	return false
}

// moved is 1 if the partition at i moves away from a subscribed owner when m has it.
func (s *placement) moved(t, i, m int32) int64 {
	if s.problem.Owner == nil {
		return 0
	}
	if o := s.problem.Owner[i]; o < 0 || o == m || !s.takes(t, o) {
		return 0
	}
	return 1
}

// replaceRacks gives partitions in the wrong rack back to their owners, who give another of theirs that they still have: loads
// and moves stay. Of several the one is taken of whose topic the other member has least.
func (s *placement) replaceRacks(share *meter) {
	lists := make([][]int32, s.problem.Members)
	topic := make([]int32, len(s.owner))
	for t := range s.problem.Partitions {
		for i := s.bases[t]; i < s.bases[t+1]; i++ {
			topic[i] = int32(t)
			if m := s.owner[i]; m >= 0 {
				lists[m] = append(lists[m], i)
			}
		}
	}
	have := make([]int32, len(s.problem.Partitions))
	for i := range int32(len(s.owner)) {
		b, a := s.owner[i], s.problem.Owner[i]
		share.spend(4)
		if share.empty() {
			return
		}
		if b < 0 || a < 0 || a == b || !s.problem.misses(i, b) || !s.takes(topic[i], a) || s.problem.misses(i, a) {
			continue
		}
		for _, j := range lists[b] {
			have[topic[j]]++
		}
		best := -1
		for k, j := range lists[a] {
			share.spend(12)
			if s.problem.Owner[j] == a && s.takes(topic[j], b) && !s.problem.misses(j, b) &&
				(best < 0 || have[topic[j]] < have[topic[lists[a][best]]]) {
				best = k
			}
		}
		for _, j := range lists[b] {
			have[topic[j]] = 0
		}
		if best >= 0 {
			j := lists[a][best]
			s.owner[i], s.owner[j] = a, b
			lists[a][best] = i
			lists[b][slices.Index(lists[b], i)] = j
		}
	}
}
