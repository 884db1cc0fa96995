package weighted

// A queue is a heap of members in the order in which choose would take them, for when all items are of one class, all members have
// one capacity, and neither limit nor preference matters: then the order does not depend on the item.
type queue struct {
	s    *solver
	heap []int32
}

// newQueue returns nil where the order does depend on the item.
func newQueue(s *solver) *queue {
	if s.classes.len() != 1 || s.limited || s.p.Prefer != nil || len(s.classes.members) == 0 {
		return nil
	}
	q := &queue{s: s, heap: append([]int32(nil), s.classes.list(0)...)}
	for _, m := range q.heap {
		if s.capacity[m] != s.capacity[q.heap[0]] {
			return nil
		}
	}
	for at := len(q.heap)/2 - 1; at >= 0; at-- {
		q.sink(at)
	}
	return q
}

// first is the member that is next.
func (q *queue) first() int32 { return q.heap[0] }

// sink restores the order after the member at a place got something.
func (q *queue) sink(at int) {
	for {
		least := at
		for child := 2*at + 1; child <= 2*at+2 && child < len(q.heap); child++ {
			if q.before(q.heap[child], q.heap[least]) {
				least = child
			}
		}
		if least == at {
			return
		}
		q.heap[at], q.heap[least] = q.heap[least], q.heap[at]
		at = least
	}
}

func (q *queue) before(a, b int32) bool {
	s := q.s
	if s.load[a] != s.load[b] {
		return s.load[a] < s.load[b]
	}
	if s.count[a] != s.count[b] {
		return s.count[a] < s.count[b]
	}
	return a < b
}
