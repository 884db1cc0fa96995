package main

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// A delivery is a record that has reached a handler, or the control reader.
type delivery struct {
	at        time.Time
	member    string // "" is the control reader
	partition int32
	offset    int64
}

// A journal keeps what the members of one group and the control reader tell. It is safe for concurrent use.
type journal struct {
	partitions int32

	mu         sync.Mutex
	deliveries []delivery // of members
	control    []delivery
	last       []delivery                // of members, by partition
	owned      map[string]map[int32]bool // by member
	changed    time.Time                 // when owned did last
	callbacks  int
	generation int32  // the highest that a member was in
	led        string // which member says that it leads, "" if none does
	sent       int    // commits that are to be answered
	answered   int
	failures   []error // of commits
	broken     error   // the first member's end that nobody asked for
}

func newJournal(partitions int32) *journal {
	return &journal{partitions: partitions, last: make([]delivery, partitions), owned: map[string]map[int32]bool{}}
}

func (j *journal) deliver(d delivery) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if d.member == "" {
		j.control = append(j.control, d)
		return
	}
	j.deliveries = append(j.deliveries, d)
	j.last[d.partition] = d
}

// own notes that partitions came to a member, or went.
func (j *journal) own(member string, partitions []int32, mine bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.callbacks++
	if j.owned[member] == nil {
		j.owned[member] = map[int32]bool{}
	}
	for _, p := range partitions {
		if mine {
			j.owned[member][p] = true
		} else {
			delete(j.owned[member], p)
		}
		j.changed = time.Now()
	}
}

// settled reports whether these members have shared the partitions among them evenly, each is being read by who has it, and nothing has
// changed for some time.
func (j *journal) settled(members []string, since time.Duration) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	owner := make(map[int32]string, j.partitions)
	fewest, most := int(j.partitions), 0
	for _, m := range members {
		fewest, most = min(fewest, len(j.owned[m])), max(most, len(j.owned[m]))
		for p := range j.owned[m] {
			if _, twice := owner[p]; twice {
				return false
			}
			owner[p] = m
		}
	}
	if len(owner) != int(j.partitions) || most-fewest > 1 || time.Since(j.changed) < since {
		return false
	}
	for p, m := range owner {
		if j.last[p].member != m || time.Since(j.last[p].at) > since {
			return false
		}
	}
	return true
}

// reads reports whether a member was the last one to deliver from some partition.
func (j *journal) reads(member string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.last, func(d delivery) bool { return d.member == member })
}

// leader is the member that leads the group, "" if none of those that would tell does.
func (j *journal) leader() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.led
}

// owners says who has what, for errors.
func (j *journal) owners() map[string][]int32 {
	j.mu.Lock()
	defer j.mu.Unlock()
	list := make(map[string][]int32, len(j.owned))
	for m, partitions := range j.owned {
		list[m] = slices.Sorted(maps.Keys(partitions))
	}
	return list
}

// positions returns, for each partition, the offset behind the highest one that was delivered.
func (j *journal) positions() []int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	next := make([]int64, j.partitions)
	for _, d := range j.deliveries {
		next[d.partition] = max(next[d.partition], d.offset+1)
	}
	return next
}

// counters are the numbers in a journal at one time.
type counters struct {
	callbacks, sent, answered int
	generation                int32
	failures                  []error
}

func (j *journal) counters() counters {
	j.mu.Lock()
	defer j.mu.Unlock()
	return counters{j.callbacks, j.sent, j.answered, j.generation, slices.Clone(j.failures)}
}

// err is the error of a member that ended by itself.
func (j *journal) err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.broken
}

// read returns copies of what was delivered to members and to the control reader.
func (j *journal) read() (members, control []delivery) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.deliveries), slices.Clone(j.control)
}
