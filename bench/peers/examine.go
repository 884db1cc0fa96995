package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/strategy"
)

// limits bound what a peer may take, and how often it is asked.
type limits struct {
	Time      time.Duration `json:"time_ns"` // of one call
	Calls     int           `json:"calls"`
	Megabytes int           `json:"megabytes"`
	Warm      time.Duration `json:"warm_ns"` // of calls that are not counted, for peers that are compiled while they run
}

// mostRounds is how often a cooperative peer may be asked until it has handed out everything. Two rounds do it.
const mostRounds = 5

// examine asks a peer again and again, checks and measures every answer that differs, and never fails: what goes wrong is in the result.
// It calls calling, if there is one, with true before each call and with false behind it.
func examine(ctx context.Context, p *Peer, g *strategy.Group, l limits, calling func(bool)) Result {
	e := examination{peer: p, limits: l, calling: calling, seen: map[uint64]bool{}}
	e.result = Result{Library: p.Library, Assignor: p.Assignor, Status: Valid, Rounds: 1}
	t, err := strategy.Tabulate(g)
	if err == nil {
		err = e.warm(ctx, t.Group)
	}
	if err == nil {
		err = e.repeat(ctx, t)
	}
	if err != nil {
		e.result.Status, e.result.Detail = statusOf(err), err.Error()
		if e.result.Status == Late {
			e.result.Detail = unanswered(l)
		}
	}
	if n := len(e.times); n > 0 {
		slices.Sort(e.times)
		e.result.Took, e.result.Fastest = e.times[n/2], e.times[0]
	}
	e.result.Calls, e.result.Distinct = len(e.times), len(e.seen)
	return e.result
}

type examination struct {
	peer    *Peer
	limits  limits
	calling func(bool)

	result Result
	times  []time.Duration
	seen   map[uint64]bool
	known  bool // Best, Worst and loads hold something
}

// Errors that are a status of their own.
var (
	errMissing = errors.New("missing")
	errMemory  = errors.New("out of memory")
)

type (
	panicError     struct{ value any }
	unsettledError struct{ withheld int }
)

func (e panicError) Error() string { return fmt.Sprint(e.value) }
func (e unsettledError) Error() string {
	return fmt.Sprintf("%d partitions are still withheld after %d rounds", e.withheld, mostRounds)
}

// unanswered is the detail of a peer that is [Late].
func unanswered(l limits) string { return fmt.Sprintf("no answer in %v", l.Time) }

func statusOf(err error) Status {
	var invalid *strategy.InvalidError
	var panicked panicError
	var unsettled unsettledError
	switch {
	case errors.As(err, &invalid):
		return Invalid
	case errors.As(err, &panicked):
		return Panicked
	case errors.As(err, &unsettled):
		return Unending
	case errors.Is(err, context.DeadlineExceeded):
		return Late
	case errors.Is(err, errMemory):
		return Memory
	case errors.Is(err, errMissing):
		return Missing
	}
	return Failed
}

// warm calls what is compiled while it runs, until the compiler had time.
func (e *examination) warm(ctx context.Context, g *strategy.Group) error {
	if !e.peer.Outside {
		return nil
	}
	const most = 50
	started := time.Now()
	for n := 0; n < most && (n == 0 || time.Since(started) < e.limits.Warm); n++ {
		if _, _, err := e.call(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

// repeat makes the calls that count. A faulty answer does not end them, an error does.
func (e *examination) repeat(ctx context.Context, t *strategy.Table) error {
	var faulty error
	started := time.Now()
	for len(e.times) < e.limits.Calls && (len(e.times) == 0 || time.Since(started) < e.limits.Time/2) {
		p, took, err := e.call(ctx, t.Group)
		if err != nil {
			return err
		}
		e.times = append(e.times, took)
		a := p.assignment(t, e.peer.protocol())
		d := digest(&a)
		if e.seen[d] {
			continue
		}
		e.seen[d] = true
		if err := e.judge(ctx, t, &a); err != nil {
			var invalid *strategy.InvalidError
			if !errors.As(err, &invalid) {
				return err
			}
			if faulty == nil {
				faulty = first(invalid)
			}
		}
	}
	return faulty
}

// first is the error with the first violation only; the others are counted.
func first(e *strategy.InvalidError) *strategy.InvalidError {
	return &strategy.InvalidError{Violations: e.Violations[:1], More: e.More + len(e.Violations) - 1}
}

// call prepares and makes one call.
func (e *examination) call(ctx context.Context, g *strategy.Group) (p plan, took time.Duration, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicError{v}
		}
	}()
	call, err := e.peer.Prepare(ctx, g)
	if err != nil {
		return nil, 0, err
	}
	runtime.GC() // what preparing left behind is not the peer's to clean up
	if e.calling != nil {
		e.calling(true)
		defer e.calling(false)
	}
	ctx, cancel := context.WithTimeout(ctx, e.limits.Time)
	defer cancel()
	return call(ctx)
}

// judge checks an answer and measures it, that of a cooperative peer when it has settled.
func (e *examination) judge(ctx context.Context, t *strategy.Table, a *strategy.Assignment) error {
	if err := t.Validate(a, e.peer.protocol()); err != nil {
		return errors.Join(err, e.note(t, a))
	}
	last, rounds := a, 1
	for before := t.Group; len(last.Unassigned) > 0; rounds++ {
		if rounds == mostRounds {
			return unsettledError{len(last.Unassigned)}
		}
		next, err := strategy.Tabulate(bench.Own(before, last))
		if err != nil {
			return err
		}
		p, _, err := e.call(ctx, next.Group)
		if err != nil {
			return fmt.Errorf("round %d: %w", rounds+1, err)
		}
		answer := p.assignment(next, e.peer.protocol())
		if err := next.Validate(&answer, e.peer.protocol()); err != nil {
			return fmt.Errorf("round %d: %w", rounds+1, err)
		}
		before, last = next.Group, &answer
	}
	e.result.Rounds = max(e.result.Rounds, rounds)
	return e.note(t, last)
}

// note takes in the measures of an answer.
func (e *examination) note(t *strategy.Table, a *strategy.Assignment) error {
	m, err := t.Measure(a)
	if err != nil {
		return err
	}
	r, q := &e.result, Quality{m.Regret, m.Voluntary}
	if !e.known {
		r.Best, r.Worst, r.Min, r.Max, r.Minimum, e.known = q, q, m.Min, m.Max, m.VoluntaryMinimum, true
	}
	if q.compare(r.Best) < 0 {
		r.Best = q
	}
	if q.compare(r.Worst) > 0 {
		r.Worst = q
	}
	r.Min, r.Max = min(r.Min, m.Min), max(r.Max, m.Max)
	return nil
}
