package main

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A sample is long enough for the clock, and short enough to go through between two interruptions on a busy machine.
const sample = 200 * time.Microsecond

// A measuring is what is known of one cell so far. It gets better with each round, never worse.
type measuring struct {
	assignor         strategy.Assignor
	group            *strategy.Group
	calls            int // of a sample
	fastest          time.Duration
	reference        time.Duration // the fastest
	allocs, allBytes float64
}

func newMeasuring(ctx context.Context, c cell) (*measuring, error) {
	g, err := c.shape.Group(ctx, c.phase, sticky.Assignor{})
	if err != nil {
		return nil, err
	}
	m := &measuring{assignor: c.assignor, group: g, calls: 1, fastest: math.MaxInt64, reference: math.MaxInt64}
	for {
		took, err := m.call(ctx)
		if err != nil || took >= sample {
			return m, err
		}
		m.calls *= 2
	}
}

// call makes the calls of one sample.
func (m *measuring) call(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	for range m.calls {
		g := *m.group // a copy has not been looked at yet
		if _, err := m.assignor.Assign(ctx, &g); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// measure times the assignor and the reference in turns. Garbage is collected between rounds, not in them.
func (m *measuring) measure(ctx context.Context, rounds int) error {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	for i := range rounds {
		if i%16 == 0 {
			runtime.GC()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		m.reference = min(m.reference, timeReference())
		if i == 0 {
			runtime.ReadMemStats(&before)
		}
		took, err := m.call(ctx)
		if err != nil {
			return err
		}
		if i == 0 {
			runtime.ReadMemStats(&after)
		}
		m.fastest = min(m.fastest, took)
	}
	n := float64(m.calls)
	m.allocs, m.allBytes = float64(after.Mallocs-before.Mallocs)/n, float64(after.TotalAlloc-before.TotalAlloc)/n
	return nil
}

func (m *measuring) figure() figure {
	return figure{
		Time:   math.Round(float64(m.fastest)/float64(m.calls)/float64(m.reference)*1000) / 1000,
		Allocs: math.Round(m.allocs), Bytes: math.Round(m.allBytes),
	}
}

// timeReference times a computation that is like an assignor's, and depends on nothing that may be changed: it takes memory, sorts what it has
// drawn into buckets, and looks things up.
func timeReference() time.Duration {
	const n, buckets = 8192, 256
	began := time.Now()
	drawn, sorted, slots := make([]uint64, n), make([]uint64, n), make([]int32, 2*n)
	x := uint64(88172645463325252)
	for i := range drawn {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		drawn[i] = x
	}
	for shift := range 2 {
		var next [buckets + 1]int
		for _, v := range drawn {
			next[v>>(8*shift)%buckets+1]++
		}
		for b := range buckets {
			next[b+1] += next[b]
		}
		for _, v := range drawn {
			b := v >> (8 * shift) % buckets
			sorted[next[b]] = v
			next[b]++
		}
		drawn, sorted = sorted, drawn
	}
	for i, v := range drawn {
		at := v >> 20 % uint64(len(slots))
		for slots[at] != 0 {
			at = (at + 1) % uint64(len(slots))
		}
		slots[at] = int32(i) + 1
	}
	sum := uint64(0)
	for i, s := range slots {
		sum += uint64(i) * uint64(s)
	}
	took := time.Since(began)
	runtime.KeepAlive(sum) // so that nothing is left out
	return took
}
