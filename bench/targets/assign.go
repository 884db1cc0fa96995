package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A target is what sticky is to reach on a shape, from names to names.
type target struct {
	shape        bench.Shape
	phases       []string
	most         time.Duration // of one call of Assign
	bytes        float64       // allocated a partition; 0: not asked for
	perPartition bool          // show the time for one partition
}

var targets = []target{
	{shape: bench.Shape{Topics: 1000, Partitions: 1000, Members: 5000, Subscriptions: bench.Equal}, phases: []string{"join"},
		most: 20 * time.Millisecond, bytes: 40, perPartition: true},
	{shape: bench.Shape{Topics: 100, Partitions: 100, Members: 100, Subscriptions: bench.Half}, phases: []string{"join"}, most: 500 * time.Microsecond},
	{shape: bench.Shape{Topics: 1000, Partitions: 50, Members: 500, Subscriptions: bench.Nested}, phases: bench.Phases, most: 30 * time.Millisecond},
	{shape: bench.Shape{Topics: 1000, Partitions: 100, Members: 1000, Subscriptions: bench.Half}, phases: bench.Phases, most: 25 * time.Millisecond},
	{shape: bench.Shape{Topics: 1000, Partitions: 100, Members: 1000, Subscriptions: bench.Half, Capacities: 4}, phases: bench.Phases, most: 50 * time.Millisecond},
}

// measured is the median of several calls.
type measured struct {
	took  time.Duration
	bytes float64 // a partition
	exact bool
}

// assign prints a row for each target and phase.
func assign(ctx context.Context, w io.Writer) (missed int, err error) {
	fmt.Fprint(w, "| shape | step | to reach | median | allocated | exact | reached |\n|---|---|---|---|---|---|---|\n")
	for _, x := range targets {
		for _, phase := range x.phases {
			m, err := x.measure(ctx, phase)
			if err != nil {
				return missed, err
			}
			reached := m.took <= x.most && m.exact && (x.bytes == 0 || m.bytes <= x.bytes)
			if !reached {
				missed++
			}
			want, got := fmt.Sprintf("≤ %v", x.most), fmt.Sprintf("%.2f ms", m.took.Seconds()*1e3)
			if n := float64(x.shape.Topics * x.shape.Partitions); x.perPartition {
				want = fmt.Sprintf("≤ %.0f ns, ≤ %.0f B a partition", float64(x.most.Nanoseconds())/n, x.bytes)
				got = fmt.Sprintf("%.1f ns a partition", float64(m.took.Nanoseconds())/n)
			}
			fmt.Fprintf(w, "| %s | %s | %s | %s | %.1f B a partition | %s | %s |\n", x.describe(), phase, want, got, m.bytes, yes(m.exact), yes(reached))
		}
	}
	return missed, nil
}

func (x *target) describe() string {
	s := x.shape
	text := fmt.Sprintf("%d topics × %d partitions × %d members, %s subscriptions", s.Topics, s.Partitions, s.Members, s.Subscriptions)
	if s.Capacities > 0 {
		text += fmt.Sprintf(", capacities 0..%d", s.Capacities)
	}
	return text
}

func (x *target) measure(ctx context.Context, phase string) (measured, error) {
	g, err := x.shape.Group(ctx, phase, sticky.Assignor{})
	if err != nil {
		return measured{}, err
	}
	const calls = 31
	m := measured{}
	var answer strategy.Assignment
	times := make([]time.Duration, 0, calls)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range calls {
		started := time.Now()
		if answer, err = (sticky.Assignor{}).Assign(ctx, g); err != nil {
			return measured{}, err
		}
		times = append(times, time.Since(started))
	}
	runtime.ReadMemStats(&after)
	slices.Sort(times)
	m.took = times[calls/2]
	m.bytes = float64(after.TotalAlloc-before.TotalAlloc) / calls / float64(x.shape.Topics*x.shape.Partitions)
	metrics, err := strategy.Measure(g, &answer)
	if err != nil {
		return measured{}, err
	}
	m.exact = answer.Stopped == "" && metrics.Regret == 0 && metrics.Excess == 0 && !metrics.Bound
	return m, strategy.Validate(g, &answer, strategy.ProtocolEager)
}

func yes(ok bool) string {
	if ok {
		return "yes"
	}
	return "**no**"
}
