package balance

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A ledger counts what each subscriber holds and owns of each topic.
type ledger struct {
	start       []int32
	member      []int32
	held, owned []int32
	topic       []int32
	load        []int64
	open        []bool // some live member may take the topic
}

func (p *Problem) ledger(owner []int32) *ledger {
	l := &ledger{start: []int32{0}, load: make([]int64, p.Members)}
	place := make([]int32, p.Members)
	all := numbers(p.Members)
	i := 0
	for t, n := range p.Partitions {
		fill(place, -1)
		live := false
		for _, m := range p.subscribers(int32(t), all) {
			place[m] = int32(len(l.member))
			l.member, l.topic = append(l.member, m), append(l.topic, int32(t))
			l.held, l.owned = append(l.held, 0), append(l.owned, 0)
			live = live || !p.drains(m)
		}
		l.start, l.open = append(l.start, int32(len(l.member))), append(l.open, live)
		for range n {
			if owner != nil && owner[i] >= 0 {
				l.held[place[owner[i]]]++
				l.load[owner[i]]++
			}
			if p.Owner != nil {
				if o := p.Owner[i]; o >= 0 && int(o) < p.Members && place[o] >= 0 {
					l.owned[place[o]]++
				}
			}
			i++
		}
	}
	return l
}

// certified proves balance and moves optimal at any size: with (load, moves) as costs of the arcs, the residual
// network of topics, members and a sink each for live and draining members has no negative cycle.
func certified(p *Problem, owner []int32) bool {
	const multiple, unit = 12, int64(1) << 24 // multiple of all capacities; more than the moves on any path
	l := p.ledger(owner)
	T, M := len(p.Partitions), p.Members
	distance := make([]int64, T+M+2)
	for rounds, changed := 0, true; changed; rounds++ {
		if rounds > T+M+3 {
			return false
		}
		changed = false
		lower := func(v int, to int64) {
			if to < distance[v] {
				distance[v], changed = to, true
			}
		}
		for e, m := range l.member {
			t, v := int(l.topic[e]), T+int(m)
			if l.open[t] && p.drains(m) {
				if l.held[e] > 0 {
					return false
				}
				continue
			}
			cost := int64(1)
			if l.held[e] < l.owned[e] {
				cost = 0
			}
			lower(v, distance[t]+cost)
			if l.held[e] > 0 {
				cost = 0
				if l.held[e] > l.owned[e] {
					cost = -1
				}
				lower(t, distance[v]+cost)
			}
		}
		for m := range M {
			each, sink := multiple*unit, T+M
			switch {
			case p.drains(int32(m)):
				sink++
			case p.Capacity != nil:
				each /= int64(p.Capacity[m])
			}
			lower(sink, distance[T+m]+(2*l.load[m]+1)*each)
			if l.load[m] > 0 {
				lower(T+m, distance[sink]-(2*l.load[m]-1)*each)
			}
		}
	}
	return true
}

func mustSolve(t testing.TB, p *Problem, o Options) Result {
	t.Helper()
	r, err := Solve(p, o)
	if err != nil {
		t.Fatal(err)
	}
	check(t, p, r)
	return r
}

func TestCertificate(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	count := 0
	prove := func(p *Problem, name string) Result {
		got := mustSolve(t, p, Options{})
		if got.Stopped != Complete || !certified(p, got.Owner) {
			t.Fatalf("%s: not optimal, stopped at %v", name, got.Stopped)
		}
		if again := mustSolve(t, p.ownedBy(got.Owner), Options{}); !slices.Equal(again.Owner, got.Owner) {
			t.Fatalf("%s: not a fixed point", name)
		}
		count++
		return got
	}
	for n := range 120 {
		shape := shapes[n%len(shapes)]
		p := shaped(r, 1+r.IntN(120), 1+r.IntN(60), 2+r.IntN(120), shape, n%2*4).scattered(r)
		for range 3 { // arbitrary owners, then one member leaves, then another
			got := prove(p, shape)
			if p.Members == 1 {
				break
			}
			p = p.ownedBy(got.Owner).without(int32(r.IntN(p.Members)))
		}
	}
	for n, shape := range shapes {
		prove(shaped(r, 500, 40, 500, shape, n%2*4).scattered(r), shape)
	}
	prove(uniform(30, 40, 70).scattered(r), "equal")
	t.Logf("%d optima certified", count)
}

// The certificate must reject whatever is not optimal.
func TestCertificateRejects(t *testing.T) {
	p := &Problem{Members: 2, Partitions: []int32{4}, Capacity: []int32{1, 3}, Owner: []int32{0, 1, 1, 1}}
	for x := range 5 {
		owner := []int32{1, 1, 1, 1}
		fill(owner[:x], 0)
		if certified(p, owner) != (x == 1) {
			t.Error("certificate wrong at", x)
		}
	}
}

// reference places one unit after the other along a shortest path of the residual network, which is slow and plain.
func reference(p *Problem) (balance int64, moves int64) {
	const far = int64(1) << 40
	l := p.ledger(nil)
	T, M := len(p.Partitions), p.Members
	marginal := func(m int) [2]int64 {
		v := 2*l.load[m] + 1
		switch {
		case p.Capacity == nil:
			return [2]int64{0, 12 * v}
		case p.Capacity[m] == 0:
			return [2]int64{1, v}
		}
		return [2]int64{0, 12 * v / int64(p.Capacity[m])}
	}
	distance, before := make([]int64, T+M), make([]int32, T+M)
	for t0, n := range p.Partitions {
		for range n {
			if l.start[t0] == l.start[t0+1] {
				continue
			}
			for v := range distance {
				distance[v] = far
			}
			distance[t0] = 0
			for changed := true; changed; {
				changed = false
				for e, m := range l.member {
					t, v := l.topic[e], T+int(m)
					cost := int64(1)
					if l.held[e] < l.owned[e] {
						cost = 0
					}
					if distance[t] < far && distance[t]+cost < distance[v] {
						distance[v], before[v], changed = distance[t]+cost, int32(e), true
					}
					if cost = 0; l.held[e] > l.owned[e] {
						cost = -1
					}
					if l.held[e] > 0 && distance[v] < far && distance[v]+cost < distance[t] {
						distance[t], before[t], changed = distance[v]+cost, int32(e), true
					}
				}
			}
			best := -1
			for m := range M {
				if distance[T+m] == far {
					continue
				}
				if best >= 0 {
					a, b := marginal(m), marginal(best)
					if c := slices.Compare(a[:], b[:]); c > 0 || c == 0 && distance[T+m] >= distance[T+best] {
						continue
					}
				}
				best = m
			}
			l.load[best]++
			for v := T + best; v != t0; {
				e := before[v]
				if v >= T {
					l.held[e]++
					v = int(l.topic[e])
				} else {
					l.held[e]--
					v = T + int(l.member[e])
				}
			}
		}
	}
	for m, v := range l.load {
		switch {
		case p.Capacity == nil:
			balance += 12 * v * v
		case p.Capacity[m] > 0:
			balance += 12 * v * v / int64(p.Capacity[m])
		}
	}
	for e, o := range l.owned {
		moves += int64(max(0, o-l.held[e]))
	}
	return balance, moves
}

func TestReference(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for n := range 500 {
		c := recipe{topics: 14, members: 14, partitions: 10}
		if n%2 == 0 {
			c.capacity = 4
		}
		p := randomProblem(r, c)
		got := mustSolve(t, p, Options{})
		balance, moves := reference(p)
		if is := p.scoreOf(got.Owner); is[scoreBalance] != balance || is[scoreMoves] != moves {
			t.Fatalf("case %d: %v, reference %d and %d\n%s", n, is, balance, moves, p.describe())
		}
	}
}
