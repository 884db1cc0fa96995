package bench

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/assignkit/assignkit/strategy"
)

// A Strategy is an assignor and how it was named.
type Strategy struct {
	Spec     string
	Assignor strategy.Assignor
}

// A Suite is many runs: each workload under each strategy with each seed.
type Suite struct {
	Workloads  []Workload
	Strategies []Strategy
	First      uint64 // seed
	Seeds      int    // how many, from First on; 0 counts as 1

	// Parallel is how many runs go on at a time; 0 is one for each processor. It makes no difference to the results. With Options.Time
	// it is always one.
	Parallel int
	Options  Options // of each run
}

// Runs returns how many runs the suite is.
func (s *Suite) Runs() int { return len(s.Workloads) * len(s.Strategies) * s.seeds() }

func (s *Suite) seeds() int { return max(1, s.Seeds) }

// Run makes all runs and hands the results to each, one at a time and in order: by workload, of one by strategy, of these by seed. It
// ends with the first error in that order, be it that of [Run] or of each. When it returns, no run goes on but that of an assignor
// which does not heed its context.
func (s *Suite) Run(ctx context.Context, each func(*Result) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n, workers := s.Runs(), s.workers()
	ahead := make(chan struct{}, 8*workers)  // runs whose results have not been handed over: these take memory
	done := make([]chan outcome, cap(ahead)) // of these, by number
	for i := range done {
		done[i] = make(chan outcome, 1)
	}
	var next atomic.Int64
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	for range workers {
		running.Go(func() {
			for {
				select {
				case ahead <- struct{}{}:
				case <-ctx.Done():
					return
				}
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				r, err := s.run(ctx, i)
				done[i%len(done)] <- outcome{r, err}
			}
		})
	}
	for i := range n {
		select {
		case o := <-done[i%len(done)]:
			if o.err == nil {
				o.err = each(o.result)
			}
			if o.err != nil {
				return o.err
			}
			<-ahead
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

type outcome struct {
	result *Result
	err    error
}

func (s *Suite) workers() int {
	n := s.Parallel
	switch {
	case s.Options.Time:
		n = 1
	case n <= 0:
		n = runtime.GOMAXPROCS(0)
	}
	return min(n, s.Runs())
}

// run makes the run with a number.
func (s *Suite) run(ctx context.Context, number int) (*Result, error) {
	seed := number % s.seeds()
	number /= s.seeds()
	c := &s.Strategies[number%len(s.Strategies)]
	return Run(ctx, s.Workloads[number/len(s.Strategies)], s.First+uint64(seed), c.Spec, c.Assignor, s.Options)
}
