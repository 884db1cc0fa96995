package sticky_test

import (
	"context"
	"testing"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// From names to names, one call of Assign.
func BenchmarkAssign(b *testing.B) {
	for _, s := range []bench.Shape{
		{Topics: 1000, Partitions: 1000, Members: 5000, Subscriptions: bench.Equal},
		{Topics: 100, Partitions: 100, Members: 100, Subscriptions: bench.Half},
		{Topics: 1000, Partitions: 50, Members: 500, Subscriptions: bench.Nested},
		{Topics: 1000, Partitions: 100, Members: 1000, Subscriptions: bench.Half},
		{Topics: 1000, Partitions: 100, Members: 1000, Subscriptions: bench.Half, Capacities: 4},
	} {
		for _, phase := range bench.Phases {
			b.Run(s.String()+"/step="+phase, func(b *testing.B) {
				g, err := s.Group(b.Context(), phase, sticky.Assignor{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				var stopped string
				for b.Loop() {
					a, err := sticky.Assignor{}.Assign(context.Background(), g)
					if err != nil {
						b.Fatal(err)
					}
					stopped = a.Stopped
				}
				if stopped != "" {
					b.Fatal("the budget ended at", stopped)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(s.Topics*s.Partitions), "ns/partition")
			})
		}
	}
}

// A cooperative round, from names to names: what moves is withheld.
func BenchmarkCooperative(b *testing.B) {
	s := bench.Shape{Topics: 1000, Partitions: 1000, Members: 5000, Subscriptions: bench.Equal}
	g, err := s.Group(b.Context(), "join", sticky.Assignor{})
	if err != nil {
		b.Fatal(err)
	}
	a := strategy.Cooperative(sticky.Assignor{})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Assign(context.Background(), g); err != nil {
			b.Fatal(err)
		}
	}
}

// The groups that assignors are compared on, in all their phases, eager and cooperative.
func BenchmarkGrid(b *testing.B) {
	for _, s := range bench.Grid() {
		for _, phase := range bench.Phases[:len(bench.Phases)-1] {
			g, err := s.Group(b.Context(), phase, sticky.Assignor{})
			if err != nil {
				b.Fatal(err)
			}
			for _, a := range []strategy.Assignor{sticky.Assignor{}, strategy.Cooperative(sticky.Assignor{})} {
				b.Run(s.String()+"/step="+phase+"/"+a.Name(), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, err := a.Assign(context.Background(), g); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
