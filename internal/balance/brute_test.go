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
		if p.total() > 9 || p.ways(ways) > ways {
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
	testBrute(t, 1, 10000, 3000, 7, recipe{topics: 4, members: 4, partitions: 4})
}

func TestBruteCapacity(t *testing.T) {
	testBrute(t, 2, 10000, 3000, 7, recipe{topics: 4, members: 4, partitions: 4, capacity: 4})
}

func TestBruteEqual(t *testing.T) {
	testBrute(t, 3, 6000, 3000, 7, recipe{topics: 3, members: 4, partitions: 4, equal: true})
}

func TestBruteRacks(t *testing.T) {
	testBrute(t, 4, 3000, 2000, 7, recipe{topics: 3, members: 4, partitions: 4, racks: true})
	testBrute(t, 5, 2000, 2000, 7, recipe{topics: 3, members: 4, partitions: 4, racks: true, equal: true})
	testBrute(t, 6, 2000, 2000, 7, recipe{topics: 3, members: 4, partitions: 4, racks: true, capacity: 4})
}
