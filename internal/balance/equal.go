package balance

// equal tells whether every topic that can be assigned has the same subscribers, all with capacity 1. It returns these
// subscribers and the topics.
func (p *Problem) equal(all []int32) (members, topics []int32, is bool) {
	topics = make([]int32, 0, len(p.Partitions))
	for t := range p.Partitions {
		subscribers := p.subscribers(int32(t), all)
		if p.Partitions[t] == 0 || len(subscribers) == 0 {
			continue
		}
		if p.Start != nil && members != nil && !sameMembers(subscribers, members) {
			return nil, nil, false
		}
		members = subscribers
		topics = append(topics, int32(t))
	}
	if p.Capacity != nil {
		for _, m := range members {
			if p.Capacity[m] != 1 {
				return nil, nil, false
			}
		}
	}
	return members, topics, true
}

func sameMembers(a, b []int32) bool {
	if len(a) != len(b) {
		return false
	}
	if &a[0] == &b[0] {
		return true
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// quotas finds the load of each member where all have the same subscriptions, in closed form. With total = quotient*members + rest, rest
// members get one more than the quotient; those that own more than the quotient come first, as each of them then keeps
// one more: the moves are Σ max(0, owned-quotient) - min(rest, members that own more). rest is what is not given out.
func quotas(members, owned []int32, total int64, quota []int32) (low, high int32) {
	low = int32(total / int64(len(members)))
	rest := total % int64(len(members))
	high = low
	if rest > 0 {
		high++
	}
	for _, m := range members {
		quota[m] = low
		if rest > 0 && owned[m] > low {
			quota[m]++
			rest--
		}
	}
	for _, m := range members {
		if rest == 0 {
			break
		}
		if quota[m] == low {
			quota[m]++
			rest--
		}
	}
	return low, high
}

// tolerantQuotas gives loads within [low, high] with the fewest moves, and among those the best balanced: members
// keep what they own up to high; if what is free does not lift everyone to low, the highest give the difference;
// the free units go to the lowest.
func tolerantQuotas(members, owned []int32, total int64, low, high int32, quota []int32) {
	free := total
	for _, m := range members {
		quota[m] = min(owned[m], high)
		free -= int64(quota[m])
	}
	var missing int64
	for _, m := range members {
		missing += int64(max(0, low-quota[m]))
	}
	if missing > free {
		lower(members, quota, missing-free)
		free = missing
	}
	level(members, quota, free)
}

// lower takes so many units from the highest quotas.
func lower(members, quota []int32, units int64) {
	top := func(cut int32) (above int64) {
		for _, m := range members {
			above += int64(max(0, quota[m]-cut))
		}
		return above
	}
	var a, b int32 // top(a) > units or a unset, top(b) <= units
	for _, m := range members {
		b = max(b, quota[m])
	}
	for a < b {
		if h := a + (b-a)/2; top(h) <= units {
			b = h
		} else {
			a = h + 1
		}
	}
	units -= top(b)
	for _, m := range members {
		quota[m] = min(quota[m], b)
		if units > 0 && quota[m] == b {
			quota[m]--
			units--
		}
	}
}

// level gives so many units to the lowest quotas.
func level(members, quota []int32, units int64) {
	need := func(to int32) (sum int64) {
		for _, m := range members {
			sum += int64(max(0, to-quota[m]))
		}
		return sum
	}
	a, b := int32(0), int32(1<<30) // need(a) <= units < need(b)
	for b-a > 1 {
		if h := a + (b-a)/2; need(h) <= units {
			a = h
		} else {
			b = h
		}
	}
	units -= need(a)
	for _, m := range members {
		quota[m] = max(quota[m], a)
		if units > 0 && quota[m] == a {
			quota[m]++
			units--
		}
	}
}

// hostQuotas is quotas with the hosts' loads as even as the members' numbers allow. A host takes at most one of the
// rest for each of its members. Filling the lowest hosts first leaves a choice only among hosts at
// the last height; there those come first that have one more member which owns more than the quotient, so that
// the moves are the fewest for the best hosts' loads too.
func hostQuotas(members, owned, host []int32, total int64, quota []int32) (low, high int32) {
	low = int32(total / int64(len(members)))
	rest := total % int64(len(members))
	high = low
	if rest > 0 {
		high++
	}
	groups := hostGroups(members, host)
	over := make([]int32, len(groups))
	extra := make([]int32, len(groups))
	for g, group := range groups {
		for _, m := range group {
			if quota[m] = low; owned[m] > low {
				over[g]++
			}
		}
	}
	height := func(g int) int64 { return int64(len(groups[g]))*int64(low) + int64(extra[g]) }
	// The height to which hosts are filled, by halving.
	fill := func(to int64) (sum int64) {
		for g := range groups {
			sum += max(0, min(to-height(g), int64(len(groups[g]))))
		}
		return sum
	}
	a, b := int64(0), total+2 // fill(a) <= rest < fill(b), unless everything fits
	for b-a > 1 {
		if h := a + (b-a)/2; fill(h) <= rest {
			a = h
		} else {
			b = h
		}
	}
	rest -= fill(a)
	for g := range groups {
		extra[g] = int32(max(0, min(a-height(g), int64(len(groups[g])))))
	}
	for pass := range 2 {
		for g := range groups {
			if rest > 0 && height(g) == a && int(extra[g]) < len(groups[g]) && (over[g] > extra[g]) == (pass == 0) {
				extra[g]++
				rest--
			}
		}
	}
	for g, group := range groups {
		for pass := range 2 {
			for _, m := range group {
				if extra[g] > 0 && quota[m] == low && (owned[m] > low) == (pass == 0) {
					quota[m]++
					extra[g]--
				}
			}
		}
	}
	return low, high
}

// hostGroups lists the members by host, in the order of each host's first member.
func hostGroups(members, host []int32) [][]int32 {
	var groups [][]int32
	place := make(map[int32]int)
	for _, m := range members {
		g, known := place[host[m]]
		if !known || host[m] < 0 {
			g = len(groups)
			groups = append(groups, nil)
			place[host[m]] = g
		}
		groups[g] = append(groups[g], m)
	}
	return groups
}
