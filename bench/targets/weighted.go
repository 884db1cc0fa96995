package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/assignkit/assignkit/internal/balance"
	"github.com/assignkit/assignkit/internal/balance/weighted"
)

// Bounds of the solver for weights, beside time.
const (
	moved    = 0.005 // of all weight, when one member joins
	aboveAll = 1.02  // times the least that the largest load can be, when nobody has anything yet
)

// A weightedTarget is what the solver for weights is to reach on a group: 100 partitions a topic, Zipf weights, its tolerant mode.
type weightedTarget struct {
	partitions, members int
	readers             int // members that may have a partition, drawn for each; 0: all
	most                time.Duration
}

var weightedTargets = []weightedTarget{
	{partitions: 10_000, members: 500, most: 30 * time.Millisecond},
	{partitions: 10_000, members: 500, readers: 10, most: 80 * time.Millisecond},
	{partitions: 100_000, members: 1000, most: 200 * time.Millisecond},
	{partitions: 100_000, members: 1000, readers: 10, most: 600 * time.Millisecond},
}

// solved is the median of several calls, and what their answer is worth.
type solved struct {
	took            time.Duration
	moved, aboveAll float64
}

// solveWeighted prints a row for each target: from nothing, and when a member has joined.
func solveWeighted(ctx context.Context, w io.Writer) (missed int, err error) {
	fmt.Fprint(w, "| shape | step | to reach | median | of the bound | weight moved | of the least load possible | reached |\n|---|---|---|---|---|---|---|---|\n")
	for i := range weightedTargets {
		x := &weightedTargets[i]
		fresh, join, err := x.problems(ctx)
		if err != nil {
			return missed, err
		}
		for _, step := range []struct {
			name string
			p    *weighted.Problem
		}{{"fresh", fresh}, {"join", join}} {
			s, err := solve(ctx, step.p)
			if err != nil {
				return missed, err
			}
			want, of, reached := fmt.Sprintf("≤ %.2f × the least load possible", aboveAll), "–", s.aboveAll <= aboveAll
			if step.name == "join" {
				want, of = fmt.Sprintf("≤ %v, ≤ %.1f %% of the weight moved", x.most, 100*moved), fmt.Sprintf("%.2f", float64(s.took)/float64(x.most))
				reached = s.took <= x.most && s.moved <= moved
			}
			if !reached {
				missed++
			}
			fmt.Fprintf(w, "| %s | %s | %s | %.1f ms | %s | %.3f %% | %.3f | %s |\n", x.describe(), step.name, want, ms(s.took),
				of, 100*s.moved, s.aboveAll, yes(reached))
		}
	}
	return missed, nil
}

func (x *weightedTarget) describe() string {
	text := fmt.Sprintf("%d partitions × %d members", x.partitions, x.members)
	if x.readers > 0 {
		text += fmt.Sprintf(", each partition for %d of them", x.readers)
	}
	return text
}

// problems returns the group in which nobody has anything, and the one in which all have what they got there and a member has joined.
func (x *weightedTarget) problems(ctx context.Context) (fresh, join *weighted.Problem, err error) {
	r := rand.New(rand.NewPCG(65, 66))
	fresh = &weighted.Problem{
		Problem: balance.Problem{Members: x.members, Partitions: slices.Repeat([]int32{100}, x.partitions/100)}, Weight: zipf(r, x.partitions),
	}
	with := *fresh
	with.Members++
	if x.readers > 0 {
		fresh.Eligible, with.Eligible = make([]uint64, x.partitions*fresh.Words()), make([]uint64, x.partitions*with.Words())
		for i := range x.partitions {
			for range x.readers {
				m := r.IntN(x.members)
				fresh.Eligible[i*fresh.Words()+m/64] |= 1 << (m % 64)
				with.Eligible[i*with.Words()+m/64] |= 1 << (m % 64)
			}
			if r.IntN(with.Members) < x.readers {
				with.Eligible[i*with.Words()+x.members/64] |= 1 << (x.members % 64)
			}
		}
	}
	answer, err := weighted.Solve(ctx, fresh, weighted.Options{})
	with.Owner = answer.Owner
	return fresh, &with, err
}

// zipf are weights of which the n-th largest is the largest over n to the power of 1.1, in any order.
func zipf(r *rand.Rand, n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(math.Ceil(1e8 / math.Pow(float64(i+1), 1.1)))
	}
	r.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func solve(ctx context.Context, p *weighted.Problem) (s solved, err error) {
	const calls = 15
	var answer weighted.Result
	var times []time.Duration
	for range calls {
		started := time.Now()
		if answer, err = weighted.Solve(ctx, p, weighted.Options{}); err != nil {
			return s, err
		}
		times = append(times, time.Since(started))
	}
	if answer.Stopped != "" {
		return s, fmt.Errorf("the budget ended at %s", answer.Stopped)
	}
	slices.Sort(times)
	s.took = times[calls/2]
	all := 0.0
	for _, w := range p.Weight {
		all += float64(w)
	}
	s.moved = float64(answer.VoluntaryWeight) / all
	// No member can have less than the average, and somebody has the heaviest partition.
	s.aboveAll = float64(slices.Max(answer.Loads)) / max(all/float64(p.Members), float64(slices.Max(p.Weight)))
	return s, nil
}
