package strategy

import (
	"cmp"
	"slices"
)

// patch changes the claims of members that gain or lose a little into what they are to have: topics that nothing happens to are taken
// over. It is what makes an answer to a rebalance that moves little cheap.
func (t *Table) patch(owner []int32, p *difference) [][]TopicPartitions {
	if !p.few || len(p.changed) == 0 {
		return nil
	}
	lists := make([][]TopicPartitions, len(p.touched))
	w := patcher{table: t, owner: owner}
	for m, changes := range t.byMember(owner, p) {
		if len(changes) > 0 {
			w.member, w.changes, w.topic = int32(m), changes, 0
			lists[m] = w.list(t.Group.Members[m].Owned)
		}
	}
	return lists
}

// byMember sorts the changed partitions by the members that are patched; those that change hands between two stand with both.
func (t *Table) byMember(owner []int32, p *difference) [][]int32 {
	concerns := func(i int32, f func(m int32)) {
		if was := t.owner[i]; was >= 0 && !p.anew[was] {
			f(was)
		}
		if now := owner[i]; now >= 0 && !p.anew[now] {
			f(now)
		}
	}
	counts, total := make([]int32, len(p.touched)), int32(0)
	for _, i := range p.changed {
		concerns(i, func(m int32) { counts[m]++; total++ })
	}
	all, lists := make([]int32, total), make([][]int32, len(p.touched))
	for m, n := range counts {
		lists[m], all = all[:0:n], all[n:]
	}
	for _, i := range p.changed {
		concerns(i, func(m int32) { lists[m] = append(lists[m], i) })
	}
	return lists
}

// A patcher merges the claims of one member after the other with their changes, both in the order of topics and partitions.
type patcher struct {
	table *Table
	owner []int32
	lists numberLists

	member  int32
	changes []int32 // that are still to come
	topic   int32   // of the next one
	out     []TopicPartitions
}

func (w *patcher) list(owned []TopicPartitions) []TopicPartitions {
	w.out = make([]TopicPartitions, 0, min(len(owned)+len(w.changes), len(w.table.Group.Topics)))
	for w.seek(); len(w.changes) > 0; w.seek() {
		name := w.table.Group.Topics[w.topic].Name
		k, found := slices.BinarySearchFunc(owned, name, func(tp TopicPartitions, name string) int { return cmp.Compare(tp.Topic, name) })
		w.out = append(w.out, owned[:k]...)
		owned = owned[k:]
		var had []int32
		if found {
			had, owned = owned[0].Partitions, owned[1:]
		}
		w.merge(w.topic, had)
	}
	return append(w.out, owned...)
}

// seek finds the topic of the next change.
func (w *patcher) seek() {
	if len(w.changes) == 0 {
		return
	}
	for w.changes[0] >= w.table.base[w.topic+1] {
		w.topic++
	}
}

// merge writes one topic: the partitions that the member had, with its changes in that topic.
func (w *patcher) merge(topic int32, had []int32) {
	base, end := w.table.base[topic], w.table.base[topic+1]
	n := 0
	for n < len(w.changes) && w.changes[n] < end {
		n++
	}
	changes := w.changes[:n]
	w.changes = w.changes[n:]
	list := w.lists.empty(len(had) + n)
	for _, i := range changes {
		p := i - base
		for len(had) > 0 && had[0] < p {
			list = append(list, had[0])
			had = had[1:]
		}
		if len(had) > 0 && had[0] == p {
			had = had[1:] // it is lost
		}
		if w.owner[i] == w.member {
			list = append(list, p)
		}
	}
	if list = append(list, had...); len(list) > 0 {
		w.out = append(w.out, TopicPartitions{Topic: w.table.Group.Topics[topic].Name, Partitions: list[:len(list):len(list)]})
	}
}

// numberLists makes lists of numbers, several in one piece of memory where they are short: there are many.
type numberLists struct{ free []int32 }

// empty returns an empty list that has room for n numbers.
func (l *numberLists) empty(n int) []int32 {
	const piece = 512
	if len(l.free) < n {
		l.free = make([]int32, max(n, piece))
	}
	list := l.free[:0:n]
	l.free = l.free[n:]
	return list
}
