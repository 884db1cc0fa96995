package balance

import (
	"math/rand/v2"
	"slices"
)

// shapes are patterns of subscriptions for larger groups.
var shapes = []string{"half", "nested", "nested tied", "suffix", "random prefix", "interval", "band", "few each", "sets"}

// shaped makes a group of topics with so many partitions each and members that subscribe in the pattern; nobody owns
// anything. capacity: 0 to this, or none.
func shaped(r *rand.Rand, topics, partitions, members int, shape string, capacity int) *Problem {
	takes := make([][]int32, topics)
	sets := make([][]int, 0, 8)
	for m := range members {
		from, to := 0, topics
		switch shape {
		case "nested", "nested tied":
			to = m*topics/members + 1
		case "suffix":
			from = m * topics / members
		case "random prefix":
			to = 1 + r.IntN(topics)
		case "interval":
			from = r.IntN(topics)
			to = from + 1 + r.IntN(topics-from)
		case "band":
			from, to = max(0, m*topics/members-3), min(topics, m*topics/members+4)
		}
		list := make([]int, 0, to-from)
		for t := from; t < to; t++ {
			if shape != "half" && shape != "sets" || r.IntN(2) == 0 {
				list = append(list, t)
			}
		}
		switch {
		case shape == "few each":
			list = list[:0]
			for range 5 {
				list = append(list, r.IntN(topics))
			}
			slices.Sort(list)
			list = slices.Compact(list)
		case shape == "nested tied" && m == 0:
			list = append(list, topics-1)
		case shape == "sets" && m >= 8:
			list = sets[m%8]
		}
		sets = append(sets, list)
		for _, t := range list {
			takes[t] = append(takes[t], int32(m))
		}
	}
	p := &Problem{Members: members, Start: []int32{0}}
	for t := range topics {
		if takes[t] == nil {
			takes[t] = []int32{int32(r.IntN(members))}
		}
		p.Partitions = append(p.Partitions, int32(partitions))
		p.Subscribers = append(p.Subscribers, slices.Compact(takes[t])...)
		p.Start = append(p.Start, int32(len(p.Subscribers)))
	}
	if capacity > 0 {
		for range members {
			p.Capacity = append(p.Capacity, int32(r.IntN(capacity+1)))
		}
	}
	return p
}

// uniform makes a group in which everybody subscribes to everything.
func uniform(topics, partitions, members int) *Problem {
	p := &Problem{Members: members, Partitions: make([]int32, topics)}
	fill(p.Partitions, int32(partitions))
	return p
}

// owned is the problem after these owners were found.
func (p *Problem) ownedBy(owner []int32) *Problem {
	q := *p
	q.Owner = owner
	return &q
}

// scattered gives each partition to a random subscriber.
func (p *Problem) scattered(r *rand.Rand) *Problem {
	all := numbers(p.Members)
	owner := make([]int32, 0, p.total())
	for t, n := range p.Partitions {
		subscribers := p.subscribers(int32(t), all)
		for range n {
			owner = append(owner, subscribers[r.IntN(len(subscribers))])
		}
	}
	return p.ownedBy(owner)
}

// without is the problem after a member left. Topics that nobody subscribes to any more stay.
func (p *Problem) without(x int32) *Problem {
	q := *p
	q.Members--
	shift := func(m int32) int32 {
		switch {
		case m == x:
			return None
		case m > x:
			return m - 1
		}
		return m
	}
	if p.Start != nil {
		q.Start, q.Subscribers = []int32{0}, nil
		for t := range p.Partitions {
			for _, m := range p.Subscribers[p.Start[t]:p.Start[t+1]] {
				if m = shift(m); m != None {
					q.Subscribers = append(q.Subscribers, m)
				}
			}
			q.Start = append(q.Start, int32(len(q.Subscribers)))
		}
	}
	q.Owner = slices.Clone(p.Owner)
	for i, m := range q.Owner {
		q.Owner[i] = shift(m)
	}
	cut := func(list []int32) []int32 {
		if list == nil {
			return nil
		}
		return slices.Delete(slices.Clone(list), int(x), int(x)+1)
	}
	q.Capacity, q.MemberRack, q.Host = cut(p.Capacity), cut(p.MemberRack), cut(p.Host)
	return &q
}

// joined is the problem before its last member joined, solved, and then with that member: owners are those of the others.
func (p *Problem) joined() *Problem {
	before := p.without(int32(p.Members - 1))
	r, err := Solve(before, Options{})
	if err != nil {
		panic(err)
	}
	return p.ownedBy(r.Owner)
}
