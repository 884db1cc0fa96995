package wire

import (
	"fmt"

	"github.com/assignkit/assignkit/strategy"
)

// owners is the column of what members own beyond doubt, nil if that is nothing. It is half the size of lists for each member, and needs neither a look at
// their names nor an allocation for each.
func owners(t *strategy.Table) []int32 {
	var column []int32
	for i, m := range t.Keepers() {
		if m >= 0 && t.Tidy(int(m)) {
			column = set(column, t.Len(), i, m+1)
		}
	}
	return column
}

// own has members claim what a column says, before what they claim already. It makes the lists of [strategy.Assignment].
func own(g *strategy.Group, column []int32) error {
	if len(column) == 0 {
		return nil
	}
	base, err := bases(g)
	if err != nil {
		return err
	}
	if total := int(base[len(g.Topics)]); len(column) != total {
		return fmt.Errorf("owners of %d partitions, where the group has %d", len(column), total)
	}
	writers, numbers, err := newWriters(g, base, column)
	if err != nil {
		return err
	}
	for t := range g.Topics {
		for p, o := range column[base[t]:base[t+1]] {
			if o == 0 {
				continue
			}
			w := &writers[o-1]
			if w.topic != int32(t)+1 {
				w.finish(numbers)
				w.topic = int32(t) + 1
				w.list = append(w.list, strategy.TopicPartitions{Topic: g.Topics[t].Name})
			}
			numbers[w.end] = int32(p)
			w.end++
		}
	}
	for m := range writers {
		w := &writers[m]
		w.finish(numbers)
		if len(w.list) > 0 {
			g.Members[m].Owned = append(w.list, g.Members[m].Owned...)
		}
	}
	return nil
}

// A writer makes the list of one member.
type writer struct {
	topic         int32 // the last one, plus 1; 0 before the first
	lists, counts int32 // how much room there has to be
	list          []strategy.TopicPartitions
	begin, end    int32 // of the last topic's partitions, in the numbers of all members
}

// newWriters makes room for what a column says, in two allocations for all members.
func newWriters(g *strategy.Group, base, column []int32) (writers []writer, numbers []int32, err error) {
	writers = make([]writer, len(g.Members))
	total := 0
	for t := range g.Topics {
		for p, o := range column[base[t]:base[t+1]] {
			if o == 0 {
				continue
			}
			if o < 0 || int(o) > len(writers) {
				return nil, nil, fmt.Errorf("partition %d of topic %q is owned by member number %d of %d", p, g.Topics[t].Name, int64(o)-1, len(writers))
			}
			w := &writers[o-1]
			w.counts++
			if w.topic != int32(t)+1 {
				w.topic = int32(t) + 1
				w.lists++
				total++
			}
		}
	}
	entries, used := make([]strategy.TopicPartitions, total), int32(0)
	for m := range writers {
		w := &writers[m]
		w.topic = 0
		w.list, entries = entries[:0:w.lists], entries[w.lists:]
		w.begin, w.end = used, used
		used += w.counts
	}
	return writers, make([]int32, used), nil
}

// finish enters the partitions of the last topic, so that who appends to them does not write into the next one's.
func (w *writer) finish(numbers []int32) {
	if n := len(w.list); n > 0 {
		w.list[n-1].Partitions = numbers[w.begin:w.end:w.end]
		w.begin = w.end
	}
}
