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
	p := &difference{touched: make([]bool, len(t.tidy)), anew: make([]bool, len(t.tidy))}
	for m, tidy := range t.tidy {
		p.anew[m] = !tidy
	}
	was, changes := t.owner[:len(owner)], 0
	for i, o := range owner {
		if o != was[i] {
			changes++
		}
	}
	if p.few = changes <= len(owner)/4; p.few {
		p.changed = make([]int32, 0, changes)
	}
	for i, o := range owner {
		if o == was[i] {
			continue
		}
		if was[i] >= 0 {
			p.touched[was[i]] = true
		}
		if o >= 0 {
			p.touched[o] = true
		}
		if p.few {
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
	w := t.listWriter(owner, fresh)
	for topic := range t.Group.Topics {
		name, base := t.Group.Topics[topic].Name, t.base[topic]
		for p, o := range owner[base:t.base[topic+1]] {
			if o < 0 || !fresh[o] {
				continue
			}
			at := &w.places[o]
			if at.topic != int32(topic) {
				w.finish(at)
				at.topic, at.from = int32(topic), at.number
				w.entries[at.entry].Topic = name
				at.entry++
			}
			w.numbers[at.number] = int32(p)
			at.number++
		}
	}
	lists, from := make([][]TopicPartitions, len(fresh)), int32(0)
	for m := range lists {
		at := &w.places[m]
		w.finish(at)
		if fresh[m] {
			lists[m] = w.entries[from:at.entry:at.entry]
		}
		from = at.entry
	}
	return lists
}

// A listWriter writes the lists of several members, which stand one behind the other.
type listWriter struct {
	entries []TopicPartitions
	numbers []int32 // of partitions
	places  []place // of each member
}

// A place is how far a member's list is written.
type place struct {
	entry, number int32 // the next ones to write
	topic         int32 // of the last entry, or NoOwner
	from          int32 // where its numbers begin
}

// listWriter makes room for the lists of those members.
func (t *Table) listWriter(owner []int32, fresh []bool) *listWriter {
	w := &listWriter{places: make([]place, len(fresh))}
	for m := range w.places {
		w.places[m].topic = NoOwner
	}
	for topic := range t.Group.Topics {
		for _, o := range owner[t.base[topic]:t.base[topic+1]] {
			if o < 0 || !fresh[o] {
				continue
			}
			at := &w.places[o]
			if at.number++; at.topic != int32(topic) {
				at.topic = int32(topic)
				at.entry++
			}
		}
	}
	entries, numbers := int32(0), int32(0)
	for m := range w.places {
		at := &w.places[m]
		counted := *at
		*at = place{entry: entries, number: numbers, topic: NoOwner}
		entries, numbers = entries+counted.entry, numbers+counted.number
	}
	w.entries, w.numbers = make([]TopicPartitions, entries), make([]int32, numbers)
	return w
}

// finish sets the partitions of a member's last entry, without room behind them, so that who appends to them does not write into the next.
func (w *listWriter) finish(at *place) {
	if at.topic >= 0 {
		w.entries[at.entry-1].Partitions = w.numbers[at.from:at.number:at.number]
	}
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
