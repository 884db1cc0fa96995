package strategy

// Assignment turns owners in numbers into an answer: owner has a member for each partition number, or anything negative for a
// partition that nobody gets. Which of those had to be mentioned, and why, is for the caller to add to Unassigned.
//
// A member that keeps just what it claims is given its own list back, so that a rebalance that moves little copies little.
func (t *Table) Assignment(owner []int32) Assignment {
	members := t.Group.Members
	fresh := make([]bool, len(members)) // its list has to be written
	for m, tidy := range t.tidy {
		fresh[m] = !tidy
	}
	for i, o := range owner {
		if was := t.owner[i]; o != was {
			if was >= 0 {
				fresh[was] = true
			}
			if o >= 0 {
				fresh[o] = true
			}
		}
	}
	lists := t.lists(owner, fresh)
	a := Assignment{Members: make(map[string][]TopicPartitions, len(members))}
	for m := range members {
		if fresh[m] {
			a.Members[members[m].ID] = lists[m]
		} else {
			a.Members[members[m].ID] = members[m].Owned
		}
	}
	return a
}

// lists writes the lists of the members that are fresh, all in two allocations.
func (t *Table) lists(owner []int32, fresh []bool) [][]TopicPartitions {
	type size struct{ topics, partitions, last int32 }
	sizes := make([]size, len(fresh))
	var topics, partitions int
	for n := range t.Group.Topics {
		for _, o := range owner[t.base[n]:t.base[n+1]] {
			if o < 0 || !fresh[o] {
				continue
			}
			s := &sizes[o]
			s.partitions++
			partitions++
			if s.last != int32(n)+1 {
				s.last = int32(n) + 1
				s.topics++
				topics++
			}
		}
	}
	entries := make([]TopicPartitions, topics)
	numbers := make([]int32, partitions)
	lists := make([][]TopicPartitions, len(fresh))
	room := make([][]int32, len(fresh)) // what is left of a member's part of numbers
	for m, s := range sizes {
		lists[m], entries = entries[:0:s.topics], entries[s.topics:]
		room[m], numbers = numbers[:0:s.partitions], numbers[s.partitions:]
	}
	for n := range t.Group.Topics {
		for p, o := range owner[t.base[n]:t.base[n+1]] {
			if o < 0 || !fresh[o] {
				continue
			}
			s := &sizes[o]
			if s.last != -int32(n)-1 { // the first of this topic
				s.last = -int32(n) - 1
				from := len(room[o])
				lists[o] = append(lists[o], TopicPartitions{Topic: t.Group.Topics[n].Name, Partitions: room[o][from:from]})
			}
			room[o] = append(room[o], int32(p))
			list := &lists[o][len(lists[o])-1]
			list.Partitions = list.Partitions[:len(list.Partitions)+1]
		}
	}
	for m := range lists {
		for k := range lists[m] { // so that who appends to one list does not write into the next
			l := &lists[m][k]
			l.Partitions = l.Partitions[:len(l.Partitions):len(l.Partitions)]
		}
	}
	return lists
}

// each calls f for every partition of the group that a gives to a member of the group, in the order of the members. What else a
// may contain is passed over.
func (t *Table) each(a *Assignment, f func(member, i int32)) {
	for m := range t.Group.Members {
		at, step := int32(NoOwner), int32(1)
		for _, tp := range a.Members[t.Group.Members[m].ID] {
			n := t.names.findAfter(tp.Topic, at, step)
			if n < 0 {
				continue
			}
			step, at = n-at, n
			base, count := t.base[n], t.Group.Topics[n].Partitions
			for _, p := range tp.Partitions {
				if p >= 0 && p < count {
					f(int32(m), base+p)
				}
			}
		}
	}
}

// Owners is the inverse of [Table.Assignment]: for each partition number the member that a gives it to, or [NoOwner]. Of
// several members the last counts; [Validate] tells whether there are several.
func (t *Table) Owners(a *Assignment) []int32 {
	owner := make([]int32, t.Len())
	for i := range owner {
		owner[i] = NoOwner
	}
	t.each(a, func(member, i int32) { owner[i] = member })
	return owner
}
