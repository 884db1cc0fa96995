package balance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// plainGreedy gives each partition to the live subscriber whose next one is cheapest, to a draining one if there is no other.
func plainGreedy(p *Problem) []int32 {
	owner := make([]int32, 0, p.total())
	load := make([]int64, p.Members)
	capacity := func(m int32) int64 {
		if p.Capacity == nil {
			return 1
		}
		return int64(max(1, p.Capacity[m]))
	}
	all := numbers(p.Members)
	for t, n := range p.Partitions {
		for range n {
			best := int32(None)
			for _, m := range p.subscribers(int32(t), all) {
				if best != None && p.drains(m) != p.drains(best) {
					if p.drains(best) {
						best = m
					}
					continue
				}
				if best == None || (2*load[m]+1)*capacity(best) < (2*load[best]+1)*capacity(m) {
					best = m
				}
			}
			if best >= 0 {
				load[best]++
			}
			owner = append(owner, best)
		}
	}
	return owner
}

var progress = []Stage{Balance, Moves, Racks, Spread, Complete}

func TestBudget(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	ended := map[Stage]int{}
	for n := range 60 {
		c := recipe{topics: 12, members: 12, partitions: 12, racks: n%4 == 0, hosts: n%5 == 0, equal: n%10 == 9}
		if n%2 == 0 {
			c.capacity = 4
		}
		p := randomProblem(r, c)
		if n%3 == 0 {
			p = shaped(r, 20+r.IntN(60), 1+r.IntN(30), 2+r.IntN(70), shapes[n/3%len(shapes)], n%2*4).scattered(r)
		}
		greedy := p.scoreOf(plainGreedy(p))
		last := 0
		for budget := int64(1); budget < 1<<24; budget += 1 + budget/3 {
			got, err := Solve(p, Options{Budget: budget})
			if err != nil {
				t.Fatal(err)
			}
			check(t, p, got)
			is := p.scoreOf(got.Owner)
			if slices.Compare(is[:scoreHosts], greedy[:scoreHosts]) > 0 {
				t.Fatalf("case %d, budget %d: score %v, greedy %v\n%s", n, budget, is, greedy, p.describe())
			}
			again, _ := Solve(p, Options{Budget: budget})
			if !slices.Equal(again.Owner, got.Owner) {
				t.Fatalf("case %d, budget %d: not deterministic", n, budget)
			}
			at := slices.Index(progress, got.Stopped)
			if at < last {
				t.Fatalf("case %d: %v with budget %d, but %v with less", n, got.Stopped, budget, progress[last])
			}
			last = at
			ended[got.Stopped]++
		}
		if progress[last] != Complete {
			t.Fatalf("case %d: not complete but %v", n, progress[last])
		}
	}
	for _, s := range progress {
		if ended[s] == 0 {
			t.Errorf("never stopped at %v", s)
		}
	}
}

// chain is a group in which topic t is for members t and t+1 and the last member joins: every unit that it gets is
// passed on by all the others.
func chain(length int) *Problem {
	p := &Problem{Members: length + 1, Start: []int32{0}}
	for t := range length {
		p.Partitions = append(p.Partitions, int32(length))
		p.Subscribers = append(p.Subscribers, int32(t), int32(t+1))
		p.Start = append(p.Start, int32(len(p.Subscribers)))
		for range length {
			p.Owner = append(p.Owner, int32(t))
		}
	}
	return p
}

func TestChain(t *testing.T) {
	got, err := Solve(chain(60), Options{Budget: -1})
	if err != nil || got.Stopped != Complete || slices.Max(got.Loads)-slices.Min(got.Loads) > 1 {
		t.Fatal(got.Stopped, got.Loads, err)
	}
	p := chain(700)
	got, err = Solve(p, Options{Budget: 1_000_000})
	if err != nil || got.Stopped != Balance {
		t.Fatal(got.Stopped, err)
	}
	check(t, p, got)
}

func BenchmarkChain(b *testing.B) {
	for _, length := range []int{300, 1000, 2000} {
		p := chain(length)
		b.Run(fmt.Sprintf("length=%d", length), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Solve(p, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
