package strategy

import "slices"

// Assignment turns owners in numbers into an answer: owner has a member for each partition number, or anything negative for a
// partition that nobody gets. Which of those had to be mentioned, and why, is for the caller to add to Unassigned.
//
// A member that keeps just what it claims is given its own list back, so that a rebalance that moves little copies little.
func (t *Table) Assignment(owner []int32) Assignment {
	members := t.Group.Members
	p := t.comparePlan(owner)
	if !p.few {
		for m := range members {
			p.anew[m] = p.anew[m] || p.touched[m]
		}
	}
	lists := t.lists(owner, p.anew)
	patched := t.patch(owner, p)
	a := Assignment{Members: make(map[string][]TopicPartitions, len(members))}
	for m := range members {
		list := members[m].Owned
		if p.anew[m] {
			list = lists[m]
		} else if p.touched[m] {
			list = patched[m]
		}
		a.Members[members[m].ID] = list
	}
	return a
}

// A difference is what an answer changes, in numbers.
type difference struct {
	touched []bool  // members that gain or lose
	anew    []bool  // members whose list has to be written anew, as their claim is not one that could be patched
	changed []int32 // partition numbers whose owner changes, if they are few
	few     bool
}

// comparePlan finds what owner changes.
func (t *Table) comparePlan(owner []int32) *difference {
	p := &difference{touched: make([]bool, len(t.tidy)), anew: make([]bool, len(t.tidy)), few: true}
	for m, tidy := range t.tidy {
		p.anew[m] = !tidy
	}
	most := len(owner) / 4
	for i, o := range owner {
		was := t.owner[i]
		if o == was {
			continue
		}
		if was >= 0 {
			p.touched[was] = true
		}
		if o >= 0 {
			p.touched[o] = true
		}
		if p.few = p.few && len(p.changed) < most; p.few {
			p.changed = append(p.changed, int32(i))
		}
	}
	return p
}

// lists writes the lists of some members from scratch, all lists together in two allocations.
func (t *Table) lists(owner []int32, fresh []bool) [][]TopicPartitions {
	if !slices.Contains(fresh, true) {
		return nil
	}
	loads, total := make([]int32, len(fresh)), 0
	for _, o := range owner {
		if o >= 0 && fresh[o] {
			loads[o]++
			total++
		}
	}
	picked := make([]int32, 0, total) // partition numbers of fresh members, so that few of them make little work
	for i, o := range owner {
		if o >= 0 && fresh[o] {
			picked = append(picked, int32(i))
		}
	}
	writers := t.writers(owner, fresh, loads, picked)
	topic := int32(0)
	for _, i := range picked {
		for i >= t.base[topic+1] {
			topic++
		}
		w := &writers[owner[i]]
		if w.topic != topic {
			w.finish()
			w.topic, w.from = topic, w.used
			w.list = append(w.list, TopicPartitions{Topic: t.Group.Topics[topic].Name})
		}
		w.numbers[w.used] = i - t.base[topic]
		w.used++
	}
	lists := make([][]TopicPartitions, len(fresh))
	for m := range writers {
		writers[m].finish()
		lists[m] = writers[m].list
	}
	return lists
}

// A listWriter writes one member's list.
type listWriter struct {
	list       []TopicPartitions
	numbers    []int32 // of all topics
	from, used int32   // of the last topic in numbers
	topic      int32   // the last one, or NoOwner
}

// finish sets the partitions of the last topic, without room behind them, so that who appends to them does not write into the next.
func (w *listWriter) finish() {
	if n := len(w.list); n > 0 {
		w.list[n-1].Partitions = w.numbers[w.from:w.used:w.used]
	}
}

// writers makes room for what is picked.
func (t *Table) writers(owner []int32, fresh []bool, loads []int32, picked []int32) []listWriter {
	writers := make([]listWriter, len(fresh))
	topics := make([]int32, len(fresh))
	for m := range writers {
		writers[m].topic = NoOwner
	}
	topic, count := int32(0), 0
	for _, i := range picked {
		for i >= t.base[topic+1] {
			topic++
		}
		if m := owner[i]; writers[m].topic != topic {
			writers[m].topic = topic
			topics[m]++
			count++
		}
	}
	entries, numbers := make([]TopicPartitions, count), make([]int32, len(picked))
	for m := range writers {
		w := &writers[m]
		w.topic = NoOwner
		if fresh[m] {
			w.list, entries = entries[:0:topics[m]], entries[topics[m]:]
			w.numbers, numbers = numbers[:loads[m]:loads[m]], numbers[loads[m]:]
		}
	}
	return writers
}

// eachOf calls f for every partition of the group in a list. What else the list may contain is passed over.
func (t *Table) eachOf(list []TopicPartitions, f func(i int32)) {
	at, step := int32(NoOwner), int32(1)
	for k := range list {
		n := t.names.guess(at+step, list[k].Topic)
		if n < 0 {
			continue
		}
		step, at = n-at, n
		base, count := t.base[n], t.base[n+1]-t.base[n]
		for _, p := range list[k].Partitions {
			if p >= 0 && p < count {
				f(base + p)
			}
		}
	}
}

// Owners is the inverse of [Table.Assignment]: for each partition number the member that a gives it to, or [NoOwner]. Of
// several members the last counts; [Validate] tells whether there are several.
func (t *Table) Owners(a *Assignment) []int32 {
	owner := t.Unowned()
	for m := range t.Group.Members {
		t.eachOf(a.Members[t.Group.Members[m].ID], func(i int32) { owner[i] = int32(m) })
	}
	return owner
}
