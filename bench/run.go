package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// Options say what [Run] does beside what it always does. The zero value is nothing.
type Options struct {
	// Time has the calls of the assignor measured. That is not deterministic, and what is allocated is that of the whole process:
	// nothing else should run in it.
	Time bool
	// Keep has the result keep the group and the answer of each step, which takes memory in proportion to steps and partitions.
	Keep bool
	// Assertions have to hold after each step that the assignor answers, beside those of the workload's own scenario.
	Assertions []*simulation.Assertion
}

// Run runs a workload with a seed. spec is what the result and errors call a. It does not close a, and may run several times at once,
// with one assignor as well.
//
// Errors are those of the workload, of [simulation.Run] and of [simulation.Assert], and say which workload and seed it was. Assertions
// that fail are not errors: the result has them.
func Run(ctx context.Context, w Workload, seed uint64, spec string, a strategy.Assignor, o Options) (*Result, error) {
	r, err := run(ctx, w, seed, spec, a, o)
	if err != nil {
		return nil, fmt.Errorf("%s, seed %d: %w", w.Name, seed, err)
	}
	return r, nil
}

func run(ctx context.Context, w Workload, seed uint64, spec string, a strategy.Assignor, o Options) (*Result, error) {
	q, err := w.New(seed)
	if err != nil {
		return nil, err
	}
	m := &measured{Assignor: a, other: q.Other, time: o.Time, answering: a}
	s, err := simulation.Run(ctx, q.Scenario, spec, m)
	if err != nil {
		return nil, err
	}
	r := &Result{Workload: w.Name, Strategy: spec, Seed: seed, Steps: make([]Step, len(s.Steps))}
	timed := q.At != nil && len(q.At) == len(s.Steps)-1
	calls := m.calls
	for i := range s.Steps {
		at := &r.Steps[i]
		*at = newStep(&s.Steps[i])
		if q.Other != nil && s.Steps[i].Rounds > 0 {
			if other := q.Other(s.Steps[i].Group); other != nil {
				at.By = other.Name()
			}
		}
		if timed && i > 0 {
			at.At = q.At[i-1].Seconds()
		}
		if o.Time {
			for _, c := range calls[:at.Rounds] {
				at.add(c)
			}
			calls = calls[at.Rounds:]
		}
	}
	if o.Keep {
		r.Simulation = s
	}
	r.Total = total(r.Steps)
	return r, r.assert(ctx, s, append(q.Scenario.Assertions[:len(q.Scenario.Assertions):len(q.Scenario.Assertions)], o.Assertions...))
}

// assert checks the steps that the assignor itself has answered.
func (r *Result) assert(ctx context.Context, s *simulation.Result, assertions []*simulation.Assertion) error {
	if len(assertions) == 0 {
		return nil
	}
	failures, err := simulation.Assert(ctx, s, assertions)
	if err != nil {
		return err
	}
	r.Asserted, r.Failed = assertions, failures[:0]
	for i := range failures {
		if r.Steps[failures[i].Step].By == "" {
			r.Failed = append(r.Failed, failures[i])
		}
	}
	return nil
}

// measured is the assignor in one run: it gives way to another one where members do not offer it yet, and its calls may be timed. It is
// asked by one goroutine at a time.
type measured struct {
	strategy.Assignor
	other     func(*strategy.Group) strategy.Assignor
	answering strategy.Assignor // who answered last
	time      bool
	calls     []Cost
}

func (m *measured) Unwrap() strategy.Assignor { return m.Assignor }

// Protocol is that of who answered last: each answer is judged by its own.
func (m *measured) Protocol() strategy.Protocol { return strategy.ProtocolOf(m.answering) }

func (m *measured) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	m.answering = m.Assignor
	if m.other != nil {
		if a := m.other(g); a != nil {
			m.answering = a
		}
	}
	if !m.time {
		return m.answering.Assign(ctx, g)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	answer, err := m.answering.Assign(ctx, g)
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	m.calls = append(m.calls, Cost{took.Nanoseconds(), after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc})
	return answer, err
}
