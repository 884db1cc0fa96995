package weighted

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func benchmark(b *testing.B, name string, p *Problem, o Options) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		var got Result
		for b.Loop() {
			var err error
			if got, err = Solve(b.Context(), p, o); err != nil {
				b.Fatal(err)
			}
		}
		b.StopTimer()
		if got.Stopped != "" {
			b.Log("stopped at", got.Stopped)
		}
		total := 0.0
		for _, w := range p.Weight {
			total += float64(w)
		}
		b.ReportMetric(100*float64(got.VoluntaryWeight)/total, "%moved")
		if got.Targets != nil {
			b.ReportMetric(p.worst(got.Loads)/p.bound(got.Targets), "max/bound")
			b.ReportMetric(p.excess(got), "max/target")
		}
	})
}

// excess is how far a member with more than one partition is above its target, relative to it.
func (p *Problem) excess(r Result) (worst float64) {
	for m, l := range r.Loads {
		if r.Counts[m] > 1 && !p.drained(m) && r.Targets[m] > 0 {
			worst = max(worst, float64(l)/r.Targets[m])
		}
	}
	return worst
}

// A group from nothing, unchanged, one join, one leave.
func BenchmarkSolve(b *testing.B) {
	for _, size := range [][2]int{{10_000, 500}, {100_000, 1000}} {
		for _, shape := range shapes {
			for _, weights := range []string{"zipf", "uniform", "lognormal"} {
				b.Run(fmt.Sprintf("partitions=%d/members=%d/shape=%s/weights=%s", size[0], size[1], shape, weights), func(b *testing.B) {
					r := rand.New(rand.NewPCG(1, 2))
					p := shaped(r, shape, weights, size[0], size[1])
					first, err := Solve(b.Context(), p, Options{})
					if err != nil {
						b.Fatal(err)
					}
					benchmark(b, "step=fresh", p, Options{})
					owned := p.ownedBy(first.Owner)
					benchmark(b, "step=stable", owned, Options{})
					benchmark(b, "step=join", owned.joined(r, shape), Options{})
					benchmark(b, "step=leave", owned.left(7), Options{})
				})
			}
		}
	}
}
