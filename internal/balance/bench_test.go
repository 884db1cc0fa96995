package balance

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func benchmark(b *testing.B, name string, p *Problem) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Solve(p, Options{}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.total()), "ns/partition")
	})
}

// phases benchmarks a group from nothing, unchanged, one join, one leave, and with owners at random.
func phases(b *testing.B, p *Problem) {
	r := rand.New(rand.NewPCG(3, 4))
	benchmark(b, "step=fresh", p)
	first, err := Solve(p, Options{})
	if err != nil {
		b.Fatal(err)
	}
	benchmark(b, "step=stable", p.ownedBy(first.Owner))
	benchmark(b, "step=join", p.joined())
	benchmark(b, "step=leave", p.ownedBy(first.Owner).without(int32(p.Members/3)))
	benchmark(b, "step=arbitrary", p.scattered(r))
}

func BenchmarkEqual(b *testing.B) {
	for _, size := range [][3]int{{100, 100, 100}, {1000, 1000, 5000}} {
		b.Run(fmt.Sprintf("topics=%d/partitions=%d/members=%d", size[0], size[1], size[2]), func(b *testing.B) {
			phases(b, uniform(size[0], size[1], size[2]))
		})
	}
}

func BenchmarkUnequal(b *testing.B) {
	for _, c := range []struct {
		topics, partitions, members int
		shape                       string
		capacity                    int
	}{
		{100, 100, 100, "half", 0},
		{1000, 50, 500, "nested", 0},
		{1000, 50, 500, "suffix", 0},
		{1000, 100, 1000, "half", 0},
		{1000, 100, 1000, "half", 4},
	} {
		name := fmt.Sprintf("topics=%d/partitions=%d/members=%d/shape=%s/capacity=%d", c.topics, c.partitions, c.members, c.shape, c.capacity)
		b.Run(name, func(b *testing.B) {
			phases(b, shaped(rand.New(rand.NewPCG(1, 2)), c.topics, c.partitions, c.members, c.shape, c.capacity))
		})
	}
}

func BenchmarkRacks(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	phases(b, shaped(r, 1000, 100, 1000, "half", 0).withRacks(r))
}

func BenchmarkHosts(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	p := shaped(r, 1000, 100, 1000, "half", 0)
	for range p.Members {
		p.Host = append(p.Host, r.Int32N(300))
	}
	phases(b, p)
}

func BenchmarkTolerance(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, shape := range []string{"half", "nested"} {
		p := shaped(r, 1000, 50, 500, shape, 0).scattered(r)
		b.Run("shape="+shape, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Solve(p, Options{Tolerance: 5}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkOptimum(b *testing.B) {
	p := shaped(rand.New(rand.NewPCG(1, 2)), 1000, 100, 1000, "half", 0).joined()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Optimum(p, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
