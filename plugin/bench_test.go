package plugin

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// BenchmarkAssign asks sticky in this process and as a plugin, in turns, and reports medians and what the plugin costs more; ns/op is both
// together. bench/targets says what is to be reached, and measures memory too.
func BenchmarkAssign(b *testing.B) {
	a, err := Unlocked(context.Background(), Config{Private: b.TempDir(), CallTimeout: time.Minute}, executable(b, folder(b), "sticky"))
	if err != nil {
		b.Fatal(err)
	}
	defer a.Close()
	for _, s := range []bench.Shape{
		{Topics: 100, Partitions: 100, Members: 100, Subscriptions: bench.Equal},
		{Topics: 1000, Partitions: 1000, Members: 5000, Subscriptions: bench.Equal},
	} {
		for _, phase := range []string{"join", "fresh"} {
			b.Run(fmt.Sprintf("%s/%s", s, phase), func(b *testing.B) { benchmarkAssign(b, a, s, phase) })
		}
	}
}

func benchmarkAssign(b *testing.B, a *Assignor, s bench.Shape, phase string) {
	g, err := s.Group(b.Context(), phase, sticky.Assignor{})
	if err != nil {
		b.Fatal(err)
	}
	var here, there []time.Duration
	for b.Loop() {
		here = append(here, timed(b, sticky.Assignor{}, g))
		there = append(there, timed(b, a, g))
	}
	slices.Sort(here)
	slices.Sort(there)
	in, plugin := here[len(here)/2].Seconds()*1e3, there[len(there)/2].Seconds()*1e3
	b.ReportMetric(in, "in-process-ms")
	b.ReportMetric(plugin, "plugin-ms")
	b.ReportMetric(plugin-in, "over-ms")
	b.ReportMetric((there[0]-here[0]).Seconds()*1e3, "least-over-ms")
}

func timed(b *testing.B, a strategy.Assignor, g *strategy.Group) time.Duration {
	began := time.Now()
	answer, err := a.Assign(b.Context(), g)
	took := time.Since(began)
	if err == nil && len(answer.Members) != len(g.Members) {
		err = fmt.Errorf("%d members in the answer", len(answer.Members))
	}
	if err != nil {
		b.Fatal(err)
	}
	return took
}
