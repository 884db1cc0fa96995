package bench_test

import (
	"testing"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/strategies/sticky"
)

// What a run takes, with all that is measured in it: a profile with many steps, and one of the grid with many partitions.
func BenchmarkRun(b *testing.B) {
	for _, w := range []bench.Workload{
		bench.Profiles()[0],
		bench.Shape{Topics: 100, Partitions: 100, Members: 200, Subscriptions: bench.Nested, Skewed: true}.Workload(),
	} {
		b.Run(w.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := bench.Run(b.Context(), w, 1, "sticky", sticky.Assignor{}, bench.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// All profiles under three strategies with five seeds.
func BenchmarkSuite(b *testing.B) {
	s := bench.Suite{Workloads: bench.Profiles(), Strategies: strategies(), First: 1, Seeds: 5}
	for b.Loop() {
		if err := s.Run(b.Context(), func(*bench.Result) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
