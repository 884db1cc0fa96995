package balance

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func testBrute(t *testing.T, seed uint64, cases, ways, objectives int, c recipe) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 8))
	for n := 0; n < cases; {
		p := randomProblem(r, c)
		if w := p.ways(ways); p.total() > 10 || w < 20 || w > ways {
			continue
		}
		n++
		got, err := Solve(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		check(t, p, got)
		want, is := p.bestScore(), p.scoreOf(got.Owner)
		if !slices.Equal(is[:objectives], want[:objectives]) {
			t.Fatalf("case %d: score %v, best %v\n%sgot %v", n, is, want, p.describe(), got.Owner)
		}
		best, err := Optimum(p, Options{})
		if err != nil || best.Voluntary != want[scoreMoves] {
			t.Fatalf("case %d: optimum says %d moves, are %d (%v)\n%s", n, best.Voluntary, want[scoreMoves], err, p.describe())
		}
		var s score
		if p.loadScore(best.Loads, &s); !slices.Equal(s[:scoreMoves], want[:scoreMoves]) {
			t.Fatalf("case %d: optimum loads %v score %v, best %v\n%s", n, best.Loads, s, want, p.describe())
		}
	}
}

func TestBruteUnequal(t *testing.T) {
	testBrute(t, 1, 15000, 8000, 7, recipe{topics: 4, members: 4, partitions: 4})
}

func TestBruteCapacity(t *testing.T) {
	testBrute(t, 2, 15000, 8000, 7, recipe{topics: 4, members: 4, partitions: 4, capacity: 4})
}

func TestBruteEqual(t *testing.T) {
	testBrute(t, 3, 8000, 8000, 7, recipe{topics: 3, members: 4, partitions: 4, equal: true})
}

func TestBruteRacks(t *testing.T) {
	testBrute(t, 4, 5000, 4000, 7, recipe{topics: 3, members: 4, partitions: 4, racks: true})
	testBrute(t, 5, 3000, 4000, 7, recipe{topics: 3, members: 4, partitions: 4, racks: true, equal: true})
	testBrute(t, 6, 3000, 4000, 7, recipe{topics: 3, members: 4, partitions: 4, racks: true, capacity: 4})
}

func TestBruteHosts(t *testing.T) {
	testBrute(t, 7, 4000, 4000, 7, recipe{topics: 4, members: 4, partitions: 4, hosts: true})
	testBrute(t, 8, 3000, 4000, 7, recipe{topics: 4, members: 4, partitions: 4, hosts: true, capacity: 4, racks: true})
	testBrute(t, 9, 3000, 4000, 7, recipe{topics: 4, members: 4, partitions: 4, hosts: true, equal: true})
}

// The fewest moves within the tolerance of the range of each member's optimal loads; among those the best balance,
// then racks, then spread.
func TestBruteTolerance(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 8))
	for n := 0; n < 6000; {
		c := recipe{topics: 4, members: 4, partitions: 4, equal: n%3 == 0, racks: n%5 == 0}
		if n%2 == 0 {
			c.capacity = 4
		}
		p := randomProblem(r, c)
		if w := p.ways(2500); p.total() > 10 || w < 20 || w > 2500 {
			continue
		}
		n++
		tolerance := int32(1 + r.IntN(3))
		best := p.bestScore()
		low, high := make([]int32, p.Members), make([]int32, p.Members)
		fill(low, 1<<20)
		p.enumerate(func(_, load []int32, s *score) {
			if p.loadScore(load, s); slices.Equal(s[:scoreHosts], best[:scoreHosts]) {
				for m, l := range load {
					low[m], high[m] = min(low[m], l), max(high[m], l)
				}
			}
		})
		// Draining members are held to the same bounds among themselves.
		order := func(s score) [6]int64 {
			return [6]int64{s[scoreDraining], s[scoreMoves], s[scoreBalance], s[scoreDrained], s[scoreRacks], s[scoreSpread]}
		}
		want := [6]int64{1 << 60}
		within := func(load []int32) bool {
			for m, l := range load {
				if l < low[m]-tolerance || l > high[m]+tolerance {
					return false
				}
			}
			return true
		}
		p.enumerate(func(_, load []int32, s *score) {
			if within(load) {
				p.loadScore(load, s)
				if o := order(*s); slices.Compare(o[:], want[:]) < 0 {
					want = o
				}
			}
		})
		got, err := Solve(p, Options{Tolerance: tolerance})
		if err != nil {
			t.Fatal(err)
		}
		check(t, p, got)
		if is := order(p.scoreOf(got.Owner)); is != want || !within(got.Loads) {
			t.Fatalf("case %d, tolerance %d: score %v, best %v, low %v high %v\n%sgot %v loads %v",
				n, tolerance, is, want, low, high, p.describe(), got.Owner, got.Loads)
		}
		if o, err := Optimum(p, Options{Tolerance: tolerance}); err != nil || o.Voluntary != want[1] || !within(o.Loads) {
			t.Fatalf("case %d: optimum %v", n, o)
		}
	}
}
