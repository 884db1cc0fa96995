package weighted

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The strict mode against every assignment there is: how far its largest ratio lies above the least possible one.
func TestBrute(t *testing.T) {
	cases := 1000
	if testing.Short() {
		cases = 100
	}
	for _, shape := range []struct {
		name        string
		recipe      recipe
		p99, median float64
	}{
		{"equal", recipe{topics: 3, members: 4, partitions: 3}, 1.02, 1},
		{"equal, capacities", recipe{topics: 3, members: 4, partitions: 3, capacity: 4}, 1.02, 1},
		{"restricted", recipe{topics: 3, members: 4, partitions: 3, restricted: true}, 1.09, 1},
		{"restricted, capacities", recipe{topics: 3, members: 4, partitions: 3, restricted: true, capacity: 4}, 1.09, 1},
		{"single", recipe{topics: 2, members: 4, partitions: 5, single: true, capacity: 2}, 1.09, 1},
		{"draining", recipe{topics: 3, members: 4, partitions: 3, restricted: true, capacity: 3, draining: true}, 1.09, 1},
		{"together", recipe{topics: 3, members: 3, partitions: 4, capacity: 3, together: true}, 1.09, 1},
		{"limit", recipe{topics: 3, members: 4, partitions: 3, limit: 4}, 1.09, 1},
	} {
		t.Run(shape.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			var above, worstCase []float64
			var named string
			for _, kind := range weightings {
				c := shape.recipe
				c.weights = kind
				for range cases {
					p := randomProblem(r, c)
					if p.plain() {
						continue // internal/balance's, which minimises another sum where capacities differ
					}
					best, _ := p.best()
					got := mustSolve(t, p, Options{Strict: true})
					if best == 0 || len(got.Unassigned) > 0 {
						continue
					}
					above = append(above, p.worst(got.Loads)/best)
					if x := above[len(above)-1]; x >= slices.Max(above) {
						worstCase, named = append(worstCase[:0], x), p.describe()
					}
				}
			}
			slices.Sort(above)
			median, p99 := above[len(above)/2], above[len(above)*99/100]
			t.Logf("%d cases: median %.3f, p99 %.3f, worst %.3f:\n%s", len(above), median, p99, worstCase[0], named)
			if median > shape.median+1e-9 || p99 > shape.p99 {
				t.Errorf("median %.3f, p99 %.3f", median, p99)
			}
		})
	}
}
