package plugin

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"
	"time"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// BenchmarkAssign asks sticky in this process and as a plugin, in turns, and reports medians and what the plugin costs more; ns/op is both
// together. Then it reports what this process's heap had at most, garbage included, while the plugin was asked: beside the group, and
// what of that a call in this process takes as well.
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
	before := settled()
	made, err := s.Group(b.Context(), phase, sticky.Assignor{})
	if err != nil {
		b.Fatal(err)
	}
	g := &strategy.Group{Name: made.Name, Generation: made.Generation, Topics: made.Topics, Members: made.Members} // and nothing else of how it was made
	made = nil
	input := settled() - before
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
	b.ReportMetric(float64(input)/1e6, "input-MB")
	b.ReportMetric(float64(peak(b, sticky.Assignor{}, g))/1e6, "peak-in-process-MB")
	b.ReportMetric(float64(peak(b, a, g))/1e6, "peak-MB")
}

// peak is what a call adds to the heap at most, in bytes, of three.
func peak(b *testing.B, a strategy.Assignor, g *strategy.Group) (most uint64) {
	for range 3 {
		floor := settled()
		p := sample()
		timed(b, a, g)
		most = max(most, p.stop()-floor)
	}
	return most
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

// settled is the heap in bytes, without garbage.
func settled() uint64 {
	runtime.GC()
	runtime.GC()
	return heap()
}

func heap() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// sampler looks at the heap every half a millisecond.
type sampler struct {
	end, done chan struct{}
	most      uint64
}

func sample() *sampler {
	p := &sampler{end: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(p.done)
		for {
			p.most = max(p.most, heap())
			select {
			case <-p.end:
				return
			case <-time.After(500 * time.Microsecond):
			}
		}
	}()
	return p
}

// stop returns the most that was seen.
func (p *sampler) stop() uint64 {
	close(p.end)
	<-p.done
	return max(p.most, heap())
}
