package strategy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"
)

// Cause says why an assignor's answer was not used.
type Cause string

// The causes there are.
const (
	CausePanic    Cause = "panic"
	CauseError    Cause = "error"
	CauseDeadline Cause = "deadline" // it did not answer in its time, and may still be running
	CauseInvalid  Cause = "invalid"  // Validate rejected its answer
)

// ErrUnanswered is the error of a [Failure] whose assignor did not answer in its time.
var ErrUnanswered = errors.New("no answer in time")

// A Failure is one assignor whose answer a [FallbackAssignor] did not use.
type Failure struct {
	Group      string
	Generation int32
	Assignor   string // its name
	Position   int    // among the assignors, 0 is First
	Next       string // the name of what is asked instead, "last resort" behind the last
	Cause      Cause
	Err        error // an [*InvalidError], a [*PanicError], [ErrUnanswered], or what Assign returned
	Took       time.Duration
}

// FallbackAssignor asks assignors in turn until one answers right; see [Fallback]. Its fields are set before it is first used and
// not changed afterwards.
type FallbackAssignor struct {
	First Assignor
	Then  []Assignor

	// Timeout bounds each assignor's time. 0: an even share of what is left until the context's deadline; without a deadline,
	// 5 s.
	Timeout time.Duration
	// Logger is told of each failure at level Warn. Nil: slog.Default().
	Logger *slog.Logger
	// OnFailure is called for each failure, on the goroutine that called Assign, before the next assignor is asked. It must not
	// block. May be nil.
	OnFailure func(Failure)
}

// Fallback returns an assignor that asks first, and where that panics, fails, does not answer in its time or answers what
// [Validate] rejects, the next of then. Behind the last stands a resort that always answers: members keep what is theirs, and
// everything else goes to the least loaded. Every failure is logged and reported, see [FallbackAssignor].
//
// Name, protocol and optional interfaces are those of first. The others are made cooperative if first is, and plain if it is not.
// Each assignor is given a copy of the group, as one that runs on past its time could change it. Such a one holds its goroutine until
// it returns; its answer is dropped.
func Fallback(first Assignor, then ...Assignor) *FallbackAssignor {
	return &FallbackAssignor{First: first, Then: then}
}

// Name returns the name of First.
func (f *FallbackAssignor) Name() string { return f.First.Name() }

// Unwrap returns First.
func (f *FallbackAssignor) Unwrap() Assignor { return f.First }

// Protocol returns the protocol of First.
func (f *FallbackAssignor) Protocol() Protocol { return ProtocolOf(f.First) }

// Close closes the assignors that stand behind First; [Close] reaches First through Unwrap.
func (f *FallbackAssignor) Close() error {
	var errs []error
	for _, a := range f.Then {
		errs = append(errs, Close(a))
	}
	return errors.Join(errs...)
}

var _ io.Closer = (*FallbackAssignor)(nil)

// Assign returns the first right answer. It fails only for a group that cannot be assigned, and otherwise answers even after ctx
// has ended.
func (f *FallbackAssignor) Assign(ctx context.Context, g *Group) (Assignment, error) {
	if err := g.Check(); err != nil {
		return Assignment{}, err
	}
	protocol := f.Protocol()
	assignors := f.assignors(protocol)
	for i, a := range assignors {
		started := time.Now()
		answer, cause, err := f.ask(ctx, a, g, protocol, len(assignors)-i)
		if err == nil {
			return answer, nil
		}
		next := lastResortName
		if i+1 < len(assignors) {
			next = assignors[i+1].Name()
		}
		f.report(Failure{
			Group: g.Name, Generation: g.Generation, Assignor: a.Name(), Position: i, Next: next,
			Cause: cause, Err: err, Took: time.Since(started),
		})
	}
	return lastResort(g, protocol)
}

// assignors lists all, with the protocol of the first.
func (f *FallbackAssignor) assignors(p Protocol) []Assignor {
	all := make([]Assignor, 0, 1+len(f.Then))
	all = append(all, f.First)
	for _, a := range f.Then {
		if p == ProtocolCooperative {
			a = Cooperative(a)
		} else if c, ok := a.(cooperative); ok {
			a = c.inner
		}
		all = append(all, a)
	}
	return all
}

// ask has one assignor answer, on a goroutine that can be left behind.
func (f *FallbackAssignor) ask(ctx context.Context, a Assignor, g *Group, p Protocol, left int) (Assignment, Cause, error) {
	ctx, cancel := context.WithTimeout(ctx, f.timeout(ctx, left))
	defer cancel()
	type result struct {
		answer Assignment
		err    error
	}
	done := make(chan result, 1)
	own := g.Clone()
	go func() {
		var r result
		defer func() { done <- r }()
		defer Recover(&r.err)
		r.answer, r.err = a.Assign(ctx, own)
	}()
	select {
	case r := <-done:
		var panicked *PanicError
		switch {
		case errors.As(r.err, &panicked):
			return Assignment{}, CausePanic, r.err
		case ctx.Err() != nil && errors.Is(r.err, ctx.Err()):
			return Assignment{}, CauseDeadline, r.err
		case r.err != nil:
			return Assignment{}, CauseError, r.err
		}
		if err := Validate(g, &r.answer, p); err != nil {
			return Assignment{}, CauseInvalid, err
		}
		return r.answer, "", nil
	case <-ctx.Done():
		return Assignment{}, CauseDeadline, fmt.Errorf("%w: %w", ErrUnanswered, ctx.Err())
	}
}

// timeout is the time for one of left assignors.
func (f *FallbackAssignor) timeout(ctx context.Context, left int) time.Duration {
	if f.Timeout > 0 {
		return f.Timeout
	}
	if deadline, ok := ctx.Deadline(); ok {
		return time.Until(deadline) / time.Duration(left)
	}
	return 5 * time.Second
}

func (f *FallbackAssignor) report(x Failure) {
	logger := f.Logger
	if logger == nil {
		logger = slog.Default()
	}
	attrs := []slog.Attr{
		slog.String("group", x.Group), slog.Int("generation", int(x.Generation)), slog.String("assignor", x.Assignor),
		slog.String("next", x.Next), slog.String("cause", string(x.Cause)), slog.Any("error", x.Err), slog.Duration("took", x.Took),
	}
	var panicked *PanicError
	if errors.As(x.Err, &panicked) {
		attrs = append(attrs, slog.String("stack", string(panicked.Stack)))
	}
	logger.LogAttrs(context.Background(), slog.LevelWarn, "assignor failed, asking the next", attrs...)
	if f.OnFailure != nil {
		f.OnFailure(x)
	}
}
