package weighted

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/assignkit/assignkit/internal/balance"
)

// shapes are patterns of eligibility for larger groups.
var shapes = []string{"equal", "half", "few each", "single"}

// shaped makes a group with 100 partitions a topic and weights of a kind; nobody owns anything.
// half: each topic has half of the members; few each: each member takes five topics; single: each partition has ten members.
func shaped(r *rand.Rand, shape, weights string, partitions, members int) *Problem {
	topics := partitions / 100
	p := &Problem{Problem: balance.Problem{Members: members, Partitions: slices.Repeat([]int32{100}, topics)}}
	p.Weight = randomWeights(r, partitions, weights, 1e6)
	takes := make([][]int32, topics)
	switch shape {
	case "equal":
		return p
	case "half":
		for t := range takes {
			for m := range members {
				if r.IntN(2) == 0 {
					takes[t] = append(takes[t], int32(m))
				}
			}
		}
	case "few each":
		for m := range members {
			for range 5 {
				t := r.IntN(topics)
				takes[t] = append(takes[t], int32(m))
			}
		}
	case "single":
		p.Eligible = make([]uint64, partitions*p.Words())
		for i := range partitions {
			for range 10 {
				p.allow(i, r.IntN(members))
			}
		}
		return p
	}
	p.subscribe(takes)
	return p
}

// subscribe sets who subscribes to each topic.
func (p *Problem) subscribe(takes [][]int32) {
	p.Start, p.Subscribers = []int32{0}, nil
	for t, list := range takes {
		if len(list) == 0 {
			list = []int32{int32(t % p.Members)}
		}
		p.Subscribers = append(p.Subscribers, slices.Compact(list)...)
		p.Start = append(p.Start, int32(len(p.Subscribers)))
	}
}

// allow makes a member eligible for a partition.
func (p *Problem) allow(i, m int) { p.Eligible[i*p.Words()+m/64] |= 1 << (m % 64) }

// ownedBy is the problem after these owners were found.
func (p *Problem) ownedBy(owner []int32) *Problem {
	q := *p
	q.Owner = owner
	return &q
}

// joined is the problem with one member more, of as many classes as others.
func (p *Problem) joined(r *rand.Rand, shape string) *Problem {
	q := *p
	m := p.Members
	q.Members++
	if p.Capacity != nil {
		q.Capacity = append(slices.Clone(p.Capacity), 1)
	}
	if p.Start != nil {
		takes := make([][]int32, len(p.Partitions))
		for t := range takes {
			takes[t] = slices.Clone(p.Subscribers[p.Start[t]:p.Start[t+1]])
			if shape == "half" && r.IntN(2) == 0 {
				takes[t] = append(takes[t], int32(m))
			}
		}
		if shape == "few each" {
			for range 5 {
				t := r.IntN(len(takes))
				takes[t] = append(takes[t], int32(m))
			}
		}
		q.subscribe(takes)
	}
	if p.Eligible != nil {
		q.Eligible = make([]uint64, p.total()*q.Words())
		for i := range p.total() {
			copy(q.Eligible[i*q.Words():], p.Eligible[i*p.Words():(i+1)*p.Words()])
			if r.IntN(q.Members) < 10 {
				q.allow(i, m)
			}
		}
	}
	return &q
}

// left is the problem after a member has gone: it may have nothing and drains.
func (p *Problem) left(m int32) *Problem {
	q := *p
	q.Owner = slices.Clone(p.Owner)
	for i, o := range q.Owner {
		if o == m {
			q.Owner[i] = None
		}
	}
	q.Capacity = make([]int32, p.Members)
	for i := range q.Capacity {
		q.Capacity[i] = 1
		if p.Capacity != nil {
			q.Capacity[i] = p.Capacity[i]
		}
	}
	q.Capacity[m] = 0
	return &q
}

// bound is a load over capacity that the most loaded member cannot stay below, for groups where nothing is together: the average
// over each set of members of what only they may have, as the targets order them, and the heaviest partition of each.
func (p *Problem) bound(targets []float64) (bound float64) {
	live := p.live(p.may())
	var order []int
	for m := range p.Members {
		if !p.drained(m) {
			order = append(order, m)
		}
	}
	ratio := func(m int) float64 { return targets[m] / p.capacityOf(m) }
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(ratio(b), ratio(a)), cmp.Compare(a, b)) })
	inside := make([]float64, len(order))
	for i, row := range live {
		last, largest := -1, 0.0
		for at, m := range order {
			if row[m] {
				last, largest = at, max(largest, p.capacityOf(m))
			}
		}
		if last >= 0 {
			inside[last] += float64(p.weight(int32(i)))
			bound = max(bound, float64(p.weight(int32(i)))/largest)
		}
	}
	var weight, capacity float64
	for at, m := range order {
		weight += inside[at]
		capacity += p.capacityOf(m)
		bound = max(bound, weight/capacity)
	}
	return bound
}
