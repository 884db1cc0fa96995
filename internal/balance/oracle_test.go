package balance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A score is what an assignment costs, in the order of the objectives: partitions on draining members, sum of
// load²·12/capacity of the others, sum of load² of draining ones, sum of the hosts' load², moves, rack misses, spread.
type score [7]int64

const (
	scoreDraining = iota
	scoreBalance
	scoreDrained
	scoreHosts
	scoreMoves
	scoreRacks
	scoreSpread
)

// describe prints a problem so that a failing case can be read and rebuilt.
func (p *Problem) describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "members %d", p.Members)
	if p.Capacity != nil {
		fmt.Fprintf(&b, " capacity %v", p.Capacity)
	}
	if p.Host != nil {
		fmt.Fprintf(&b, " host %v", p.Host)
	}
	if p.MemberRack != nil {
		fmt.Fprintf(&b, " rack %v", p.MemberRack)
	}
	b.WriteByte('\n')
	for t, n := range p.Partitions {
		base := p.Base(t)
		fmt.Fprintf(&b, "topic %d: %d partitions", t, n)
		if p.Start != nil {
			fmt.Fprintf(&b, ", subscribers %v", p.Subscribers[p.Start[t]:p.Start[t+1]])
		}
		if p.Owner != nil {
			fmt.Fprintf(&b, ", owner %v", p.Owner[base:base+int(n)])
		}
		if p.RackStart != nil {
			b.WriteString(", racks")
			for i := base; i < base+int(n); i++ {
				fmt.Fprintf(&b, " %v", p.PartitionRacks[p.RackStart[i]:p.RackStart[i+1]])
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (p *Problem) drains(m int32) bool { return p.Capacity != nil && p.Capacity[m] == 0 }

func (p *Problem) subscribes(t int, m int32) bool {
	return m >= 0 && int(m) < p.Members && slices.Contains(p.subscribers(int32(t), numbers(p.Members)), m)
}

// loadScore fills in what depends on loads alone.
func (p *Problem) loadScore(load []int32, s *score) {
	s[scoreBalance], s[scoreDrained], s[scoreHosts], s[scoreDraining] = 0, 0, 0, 0
	for m, l := range load {
		v := int64(l) * int64(l)
		switch {
		case p.drains(int32(m)):
			s[scoreDraining] += int64(l)
			s[scoreDrained] += v
		case p.Capacity != nil:
			s[scoreBalance] += 12 * v / int64(p.Capacity[m])
		default:
			s[scoreBalance] += 12 * v
		}
	}
	if p.Host != nil {
		sums := map[int32]int64{}
		for m, h := range p.Host {
			if h < 0 {
				h = -1 - int32(m)
			}
			sums[h] += int64(load[m])
		}
		for _, v := range sums {
			s[scoreHosts] += v * v
		}
	}
}

// scoreOf computes the score of an assignment from its definition.
func (p *Problem) scoreOf(owner []int32) (s score) {
	load := make([]int32, p.Members)
	i := 0
	for t, n := range p.Partitions {
		x := map[int32]int64{}
		for range n {
			m := owner[i]
			if m >= 0 {
				load[m]++
				x[m]++
				if p.Owner != nil && p.Owner[i] != m && p.subscribes(t, p.Owner[i]) {
					s[scoreMoves]++
				}
				if p.MemberRack != nil && p.RackStart != nil && p.misses(int32(i), m) {
					s[scoreRacks]++
				}
			}
			i++
		}
		for _, v := range x {
			s[scoreSpread] += v * v
		}
	}
	p.loadScore(load, &s)
	return s
}

// check verifies that a result is an assignment and reports itself rightly.
func check(t testing.TB, p *Problem, r Result) {
	t.Helper()
	load := make([]int32, p.Members)
	var placed int64
	i := 0
	all := numbers(p.Members)
	for topic, n := range p.Partitions {
		subscribers := p.subscribers(int32(topic), all)
		takes := make(map[int32]bool, len(subscribers))
		for _, m := range subscribers {
			takes[m] = true
		}
		for range n {
			m := r.Owner[i]
			if len(subscribers) == 0 && m != None || len(subscribers) > 0 && !takes[m] {
				t.Fatalf("topic %d: a partition went to %d\n%s", topic, m, p.describe())
			}
			if m >= 0 {
				load[m]++
				if p.Owner == nil || !takes[p.Owner[i]] {
					placed++
				}
			}
			i++
		}
	}
	if i != len(r.Owner) || !slices.Equal(load, r.Loads) || placed != r.Placed {
		t.Fatalf("misreported: loads %v, are %v; placed %d, are %d\n%s", r.Loads, load, r.Placed, placed, p.describe())
	}
	if moves := p.movesOf(r.Owner); moves != r.Voluntary {
		t.Fatalf("misreported: %d moves, are %d\n%s", r.Voluntary, moves, p.describe())
	}
}

func (p *Problem) movesOf(owner []int32) (moves int64) {
	all := numbers(p.Members)
	i := 0
	for topic, n := range p.Partitions {
		subscribers := p.subscribers(int32(topic), all)
		for range n {
			if p.Owner != nil && p.Owner[i] >= 0 && p.Owner[i] != owner[i] {
				if _, is := slices.BinarySearch(subscribers, p.Owner[i]); is {
					moves++
				}
			}
			i++
		}
	}
	return moves
}

// enumerate calls leaf for every assignment with its score but for what depends on loads; it reuses all arguments.
func (p *Problem) enumerate(leaf func(owner, load []int32, s *score)) {
	all := numbers(p.Members)
	total := p.total()
	owner, load := make([]int32, total), make([]int32, p.Members)
	topic := make([]int, 0, total)
	x := make([][]int64, len(p.Partitions))
	for t, n := range p.Partitions {
		x[t] = make([]int64, p.Members)
		for range n {
			topic = append(topic, t)
		}
	}
	valid := make([]bool, total)
	for i, t := range topic {
		valid[i] = p.Owner != nil && p.subscribes(t, p.Owner[i])
	}
	racks := p.MemberRack != nil && p.RackStart != nil
	var s score
	var visit func(i int)
	visit = func(i int) {
		if i == total {
			leaf(owner, load, &s)
			return
		}
		t := topic[i]
		subscribers := p.subscribers(int32(t), all)
		if len(subscribers) == 0 {
			owner[i] = None
			visit(i + 1)
			return
		}
		for _, m := range subscribers {
			before := s
			owner[i] = m
			load[m]++
			s[scoreSpread] += 2*x[t][m] + 1
			x[t][m]++
			if valid[i] && p.Owner[i] != m {
				s[scoreMoves]++
			}
			if racks && p.misses(int32(i), m) {
				s[scoreRacks]++
			}
			visit(i + 1)
			x[t][m]--
			load[m]--
			s = before
		}
	}
	visit(0)
}

// bestScore is the least score of all assignments.
func (p *Problem) bestScore() score {
	best := score{1 << 60}
	p.enumerate(func(_, load []int32, s *score) {
		p.loadScore(load, s)
		if slices.Compare(s[:], best[:]) < 0 {
			best = *s
		}
	})
	return best
}

// ways is the number of assignments, or limit+1 if there are more.
func (p *Problem) ways(limit int) int {
	n := 1
	for t, count := range p.Partitions {
		k := max(1, len(p.subscribers(int32(t), numbers(p.Members))))
		for range count {
			if n *= k; n > limit {
				return limit + 1
			}
		}
	}
	return n
}

// A recipe says what randomProblem makes.
type recipe struct {
	topics, members, partitions int // at most
	capacity                    int // capacities 0 to this; 0: none given
	equal, racks, hosts         bool
}

func randomProblem(r *rand.Rand, c recipe) *Problem {
	p := &Problem{Members: 1 + r.IntN(c.members)}
	topics := 1 + r.IntN(c.topics)
	for range topics {
		n := int32(1 + r.IntN(c.partitions))
		if r.IntN(20) == 0 {
			n = 0
		}
		p.Partitions = append(p.Partitions, n)
	}
	if !c.equal {
		p.Start = []int32{0}
		dense, nested := 0.2+0.7*r.Float64(), r.IntN(4) == 0
		for range topics {
			from, count := r.IntN(p.Members), len(p.Subscribers)
			for m := range p.Members {
				if nested && m >= from || !nested && r.Float64() < dense {
					p.Subscribers = append(p.Subscribers, int32(m))
				}
			}
			if len(p.Subscribers) == count && r.IntN(8) > 0 {
				p.Subscribers = append(p.Subscribers, int32(r.IntN(p.Members)))
			}
			p.Start = append(p.Start, int32(len(p.Subscribers)))
		}
	}
	if mode := r.IntN(5); mode > 0 {
		favourite := int32(r.IntN(p.Members))
		for range p.total() {
			o := int32(r.IntN(p.Members+1) - 1)
			if mode == 1 || mode == 2 && r.IntN(2) == 0 {
				o = favourite
			}
			p.Owner = append(p.Owner, o)
		}
	}
	if c.capacity > 0 {
		for range p.Members {
			p.Capacity = append(p.Capacity, int32(r.IntN(c.capacity+1)))
		}
	}
	if c.hosts {
		for range p.Members {
			p.Host = append(p.Host, int32(r.IntN(4)-1))
		}
	}
	if c.racks {
		p.RackStart = []int32{0}
		for range p.Members {
			p.MemberRack = append(p.MemberRack, int32(r.IntN(4)-1))
		}
		for range p.total() {
			for k := range int32(3) {
				if r.IntN(3) == 0 {
					p.PartitionRacks = append(p.PartitionRacks, k)
				}
			}
			p.RackStart = append(p.RackStart, int32(len(p.PartitionRacks)))
		}
	}
	return p
}
