package rangeassign

import (
	"context"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// alignRacks divides all topics evenly with an eye to racks, if there is any topic for which that makes a difference. Otherwise it
// does nothing and done is false.
//
// The details are those of Kafka's assignor, as members of one group must answer alike whoever leads: one topic for which racks
// matter makes all topics that are divided alike go by racks, and a member that names no rack is at home in every one.
func (d *division) alignRacks(ctx context.Context) (done bool, err error) {
	if !slices.ContainsFunc(d.table.Group.Members, func(m strategy.Member) bool { return m.Rack != "" }) {
		return false, nil
	}
	cohorts := d.cohorts()
	for _, c := range cohorts {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		for _, n := range c.topics {
			if racksMatter(&d.table.Group.Topics[n], c.racks) {
				c.matters, done = true, true
				break
			}
		}
	}
	if !done {
		return false, nil
	}
	for _, c := range cohorts {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		d.divideCohort(c)
	}
	return true, nil
}

// A cohort is topics that are divided alike: of the same number of partitions, among the same members.
type cohort struct {
	topics  []int
	readers []int32
	racks   map[string]bool // of the readers
	matters bool            // for at least one of the topics it matters in which rack a reader is
}

// cohorts sorts the topics that have partitions and readers into cohorts.
func (d *division) cohorts() []*cohort {
	type shape struct{ partitions, readers int }
	var all []*cohort
	byShape := map[shape][]*cohort{}
	for n, readers := range d.readers {
		s := shape{len(d.part(n)), len(readers)}
		if s.partitions == 0 || s.readers == 0 {
			continue
		}
		i := slices.IndexFunc(byShape[s], func(c *cohort) bool { return &c.readers[0] == &readers[0] || slices.Equal(c.readers, readers) })
		if i >= 0 {
			byShape[s][i].topics = append(byShape[s][i].topics, n)
			continue
		}
		c := &cohort{topics: []int{n}, readers: readers, racks: map[string]bool{}}
		for _, m := range readers {
			if rack := d.table.Group.Members[m].Rack; rack != "" {
				c.racks[rack] = true
			}
		}
		all = append(all, c)
		byShape[s] = append(byShape[s], c)
	}
	return all
}

// racksMatter says whether it matters who gets which partition: some reader is in a rack of the topic, and not every partition
// is in all of its racks.
func racksMatter(topic *strategy.Topic, readers map[string]bool) bool {
	if len(readers) == 0 || len(topic.Racks) == 0 {
		return false
	}
	last := map[string]int{} // every rack of the topic, with the partition that it was last seen at
	fewest := -1             // racks of any one partition
	for p, racks := range topic.Racks {
		distinct := 0
		for _, rack := range racks {
			if at, known := last[rack]; !known || at != p {
				last[rack] = p
				distinct++
			}
		}
		if fewest < 0 || distinct < fewest {
			fewest = distinct
		}
	}
	if fewest == len(last) {
		return false
	}
	for rack := range last {
		if readers[rack] {
			return true
		}
	}
	return false
}

// divideCohort finds one division for all topics of a cohort: first what racks allow, then the rest as if there were no racks.
func (d *division) divideCohort(c *cohort) {
	s := newShares(d, c)
	switch {
	case len(c.topics) > 1:
		s.alignTogether()
	case c.matters:
		s.alignAlone()
	}
	s.fill()
	for _, n := range c.topics {
		copy(d.part(n), s.place)
	}
}

// shares keeps to the even division while partitions are given away in another order: each reader gets size, and extra of
// them one more, whoever comes first.
type shares struct {
	*cohort
	topicRacks  [][][]string // of each topic of the cohort
	readerRacks []string     // of each reader
	place       []int32      // of each partition the member it goes to
	has         []int        // of each reader: partitions so far
	size, extra int
}

func newShares(d *division, c *cohort) *shares {
	n := len(d.part(c.topics[0]))
	s := &shares{
		cohort:      c,
		readerRacks: make([]string, len(c.readers)),
		place:       make([]int32, n),
		has:         make([]int, len(c.readers)),
		size:        n / len(c.readers),
		extra:       n % len(c.readers),
	}
	for _, topic := range c.topics {
		s.topicRacks = append(s.topicRacks, d.table.Group.Topics[topic].Racks)
	}
	for i, m := range c.readers {
		s.readerRacks[i] = d.table.Group.Members[m].Rack
	}
	for p := range s.place {
		s.place[p] = strategy.NoOwner
	}
	return s
}

// room returns how many more partitions a reader may get. It never grows.
func (s *shares) room(reader int) int {
	room := s.size - s.has[reader]
	if s.extra > 0 {
		room++
	}
	return max(0, room)
}

func (s *shares) give(p int, reader int) {
	s.place[p] = s.readers[reader]
	s.has[reader]++
	if s.has[reader] > s.size {
		s.extra--
	}
}

// alignTogether gives each partition number to the first reader that has room and is in a rack of that partition of every topic.
func (s *shares) alignTogether() {
	waiting := map[string][]int{} // readers by rack, in order; those at the front may have no room left
	for i, rack := range s.readerRacks {
		waiting[rack] = append(waiting[rack], i)
	}
	first := func(rack string) int {
		queue := waiting[rack]
		for len(queue) > 0 && s.room(queue[0]) == 0 {
			queue = queue[1:]
		}
		waiting[rack] = queue
		if len(queue) == 0 {
			return len(s.readers)
		}
		return queue[0]
	}
	for p := range s.place {
		best := first("")
		for _, rack := range s.common(p) {
			best = min(best, first(rack))
		}
		if best < len(s.readers) {
			s.give(p, best)
		}
	}
}

// common returns the readers' racks in which partition number p of every topic has a replica.
func (s *shares) common(p int) []string {
	var common []string
	for k, racks := range s.topicRacks {
		if len(racks) == 0 {
			return nil
		}
		if k == 0 {
			common = slices.DeleteFunc(slices.Clone(racks[p]), func(rack string) bool { return !s.racks[rack] })
			continue
		}
		common = slices.DeleteFunc(common, func(rack string) bool { return !slices.Contains(racks[p], rack) })
	}
	return common
}

// alignAlone gives each reader, in order, the first partitions of the one topic that are in its rack, as many as it has room for.
func (s *shares) alignAlone() {
	within := map[string][]int{} // partitions by rack, in order; some may be gone
	for p, racks := range s.topicRacks[0] {
		for _, rack := range racks {
			if s.racks[rack] {
				within[rack] = append(within[rack], p)
			}
		}
	}
	next := 0 // no partition below is left
	for i, rack := range s.readerRacks {
		if rack == "" {
			next = s.take(i, next)
			continue
		}
		list := within[rack]
		for room := s.room(i); room > 0 && len(list) > 0; list = list[1:] {
			if s.place[list[0]] == strategy.NoOwner {
				s.give(list[0], i)
				room--
			}
		}
		within[rack] = list
	}
}

// fill gives away what is left, whatever the racks.
func (s *shares) fill() {
	next := 0
	for i := range s.readers {
		next = s.take(i, next)
	}
}

// take gives a reader the partitions from number next on that are left, as many as it has room for, and returns where it stopped.
func (s *shares) take(reader, next int) int {
	for room := s.room(reader); room > 0 && next < len(s.place); next++ {
		if s.place[next] == strategy.NoOwner {
			s.give(next, reader)
			room--
		}
	}
	return next
}
