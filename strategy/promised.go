package strategy

import "slices"

// promised returns the group as it will be when promises are kept: a partition that just one member expects is that member's, if it may
// have it and nobody has, or its owner is releasing it. Without promises that is the table's own group.
func (t *Table) promised() *Group {
	expects := t.expectations()
	if len(expects) == 0 {
		return t.Group
	}
	owner := slices.Clone(t.owner)
	for i, m := range expects {
		owner[i] = m
	}
	will := t.Assignment(owner).Members
	g := *t.Group
	g.Members = slices.Clone(g.Members)
	for m := range g.Members {
		member := &g.Members[m]
		member.Owned, member.Releasing, member.Expecting = will[member.ID], nil, nil // no two own one, so generations do not matter
	}
	return &g
}

// expectations returns, for each partition number that is promised, the member that will have it.
func (t *Table) expectations() map[int32]int32 {
	var expects map[int32]int32
	for m := range t.Group.Members {
		if t.Group.Members[m].Draining {
			continue
		}
		t.eachOf(t.Group.Members[m].Expecting, func(i int32) {
			if expects == nil {
				expects = map[int32]int32{}
			}
			if _, twice := expects[i]; twice {
				expects[i] = Disputed
				return
			}
			expects[i] = int32(m)
		})
	}
	releasing := map[int32]bool{} // by who owns them
	for m := range t.Group.Members {
		t.eachOf(t.Group.Members[m].Releasing, func(i int32) {
			if t.Owner(int(i)) == m {
				releasing[i] = true
			}
		})
	}
	for i, m := range expects {
		topic, _ := t.Locate(int(i))
		o := t.Owner(int(i))
		if m < 0 || !t.Subscribed(int(m), topic) || o == Disputed || o >= 0 && !releasing[i] {
			delete(expects, i)
		}
	}
	return expects
}
