package main

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"
)

// outcome is what became of a mutant.
type outcome struct {
	*mutant
	by      string // the tests that found it, "" if none did
	timeout bool   // it did not end
	reached int    // tests that came by it
}

// runAll runs the tests for each mutant, two mutants or more at a time, and reports them in their order until ctx ends.
func (b *built) runAll(ctx context.Context, mutants []*mutant, report func(outcome)) {
	outcomes := make([]chan outcome, len(mutants))
	for i := range outcomes {
		outcomes[i] = make(chan outcome, 1)
	}
	var workers sync.WaitGroup
	next := make(chan int)
	for range max(2, runtime.NumCPU()/2) {
		workers.Go(func() {
			for i := range next {
				outcomes[i] <- b.run(ctx, mutants[i])
			}
		})
	}
	workers.Go(func() {
		defer close(next)
		for i := range mutants {
			next <- i
		}
	})
	for _, o := range outcomes {
		if o := <-o; ctx.Err() == nil { // otherwise it was not tried to the end
			report(o)
		}
	}
	workers.Wait()
}

// run runs the tests that come by a mutant, quick ones before slow ones, until one fails.
func (b *built) run(ctx context.Context, m *mutant) outcome {
	var tests []*test
	for _, t := range b.tests {
		if t.reaches[m.id] {
			tests = append(tests, t)
		}
	}
	slices.SortStableFunc(tests, func(x, y *test) int { return cmp.Compare(x.took, y.took) })
	o := outcome{mutant: m, reached: len(tests)}
	for _, g := range together(tests) {
		if ctx.Err() != nil {
			return o
		}
		limited, cancel := context.WithTimeout(ctx, b.patience+5*g.took)
		err := g.command(limited, chosenVariable+"="+strconv.Itoa(m.id)).Run()
		o.timeout = errors.Is(limited.Err(), context.DeadlineExceeded)
		cancel()
		var failed *exec.ExitError
		if errors.As(err, &failed) || o.timeout {
			o.by = g.name + " of " + g.suite.path
			return o
		}
	}
	return o
}

// together makes one of quick tests that one program has, as to start a program takes longer than many a test.
func together(tests []*test) []*test {
	var groups []*test
	for _, t := range tests {
		i := slices.IndexFunc(groups, func(g *test) bool { return g.suite == t.suite && g.took+t.took < 2*time.Second })
		if i < 0 {
			one := *t
			groups = append(groups, &one)
			continue
		}
		groups[i].name += "|" + t.name
		groups[i].took += t.took
	}
	return groups
}
