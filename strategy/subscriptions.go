package strategy

import (
	"cmp"
	"slices"
)

// subscriptions says who subscribes to what, in numbers.
type subscriptions struct {
	// topics lists each member's topics, ascending, nil if all members subscribe to all topics. Then everybody is all members and
	// ready those that are not draining; otherwise topic t has subscribers[start[t]:start[t+1]].
	topics             [][]int32
	everybody, ready   []int32
	start, subscribers []int32
	draining           bool // some member is
}

// Subscribed says whether a member subscribes to a topic.
func (t *Table) Subscribed(member, topic int) bool {
	if t.reads.topics == nil {
		return true
	}
	_, ok := slices.BinarySearch(t.reads.topics[member], int32(topic))
	return ok
}

// Subscribers returns who subscribes to a topic, ascending. The list is the table's own and must not be changed.
func (t *Table) Subscribers(topic int) []int32 {
	if t.reads.topics == nil {
		return t.reads.everybody
	}
	return t.reads.subscribers[t.reads.start[topic]:t.reads.start[topic+1]]
}

// Readers returns who may get the partitions of a topic: its subscribers without those that are draining, or all of them if all
// are draining. The list must not be changed.
func (t *Table) Readers(topic int) []int32 {
	if t.reads.topics == nil {
		return t.reads.ready
	}
	list := t.Subscribers(topic)
	if !t.reads.draining {
		return list
	}
	return t.notDraining(list)
}

// Subscriptions returns all of [Table.Subscribers] in one list: topic t has members[start[t]:start[t+1]]. Both are nil if every member
// subscribes to every topic. The lists are the table's own and must not be changed.
func (t *Table) Subscriptions() (start, members []int32) { return t.reads.start, t.reads.subscribers }

func (t *Table) notDraining(list []int32) []int32 {
	live := make([]int32, 0, len(list))
	for _, m := range list {
		if !t.Group.Members[m].Draining {
			live = append(live, m)
		}
	}
	if len(live) == 0 {
		return list
	}
	return live
}

// subscribe numbers each member's topics. It returns false, and has done nothing, if a subscription is not sorted. Members mostly
// share their subscriptions, often the very list, so that each list is looked up once.
func (t *Table) subscribe() (sorted bool) {
	members := t.Group.Members
	numbers := make([][]int32, len(members))
	search := nameSearch{names: &t.names}
	var distinct []int // members whose lists are told apart from the others' at once
	uniform, draining := true, false
	for i := range members {
		draining = draining || members[i].Draining
		list := members[i].Topics
		if i > 0 && sameList(list, members[i-1].Topics) {
			numbers[i] = numbers[i-1]
			continue
		}
		if k := slices.IndexFunc(distinct, func(k int) bool { return oneList(list, members[k].Topics) }); k >= 0 {
			numbers[i] = numbers[distinct[k]]
			continue
		}
		var ok bool
		if numbers[i], ok = search.all(list); !ok {
			if !isSubscription(list) {
				return false
			}
			numbers[i] = t.names.known(list)
		}
		if len(distinct) < 8 {
			distinct = append(distinct, i)
		}
		uniform = uniform && len(numbers[i]) == len(t.Group.Topics)
	}
	t.reads.draining = draining
	if !uniform {
		t.reads.topics = numbers
		t.invert()
		return true
	}
	t.reads.everybody = make([]int32, len(members))
	for i := range t.reads.everybody {
		t.reads.everybody[i] = int32(i)
	}
	t.reads.ready = t.notDraining(t.reads.everybody)
	return true
}

// sameList says whether two lists are equal, at once if they are one list.
func sameList(a, b []string) bool { return oneList(a, b) || slices.Equal(a, b) }

// oneList says whether two lists are the same memory.
func oneList(a, b []string) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// isSubscription says whether a list is in order and without duplicates.
func isSubscription(list []string) bool {
	return slices.IsSortedFunc(list, func(a, b string) int { return strictly(cmp.Compare(a, b)) })
}

// known returns the numbers of those names of a sorted list that are topics.
func (n *topicNames) known(list []string) []int32 {
	numbers := make([]int32, 0, min(len(list), len(n.names)))
	at := int32(NoOwner)
	for _, name := range list {
		if i := n.guess(at+1, name); i >= 0 {
			numbers = append(numbers, i)
			at = i
		}
	}
	return numbers
}

// invert lists the subscribers of each topic.
func (t *Table) invert() {
	topics := len(t.Group.Topics)
	start := make([]int32, topics+1)
	for _, list := range t.reads.topics {
		for _, topic := range list {
			start[topic+1]++
		}
	}
	for i := range topics {
		start[i+1] += start[i]
	}
	subscribers := make([]int32, start[topics])
	next := slices.Clone(start[:topics])
	for m, list := range t.reads.topics {
		for _, topic := range list {
			subscribers[next[topic]] = int32(m)
			next[topic]++
		}
	}
	t.reads.start, t.reads.subscribers = start, subscribers
}

// A reader tells which topics a member subscribes to, quickly if it is asked for them in ascending order.
type reader struct {
	all    bool
	topics []int32
	at     int // in topics, where the last one asked for stands or would stand
}

func (t *Table) reader(member int32) reader {
	if t.reads.topics == nil {
		return reader{all: true}
	}
	return reader{topics: t.reads.topics[member]}
}

// next guesses which topic will be asked for, if the last one was topic and the one before step less.
func (r *reader) next(topic, step int32) int32 {
	switch {
	case r.all:
		return topic + step
	case topic < 0 && len(r.topics) > 0:
		return r.topics[0]
	case r.at+1 < len(r.topics):
		return r.topics[r.at+1]
	}
	return topic + step
}

func (r *reader) topic(n int32) bool {
	if r.all {
		return true
	}
	if r.at > 0 && r.topics[r.at-1] >= n {
		r.at = 0
	}
	for range 8 {
		if r.at == len(r.topics) || r.topics[r.at] >= n {
			break
		}
		r.at++
	}
	if r.at < len(r.topics) && r.topics[r.at] < n {
		ahead, _ := slices.BinarySearch(r.topics[r.at:], n)
		r.at += ahead
	}
	return r.at < len(r.topics) && r.topics[r.at] == n
}
