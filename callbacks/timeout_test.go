package callbacks_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

// bubble runs f in virtual time.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// wantTimeout checks that call takes exactly d and times out.
func wantTimeout(t *testing.T, d time.Duration, call func() error) {
	t.Helper()
	began := time.Now()
	err := call()
	if !errors.Is(err, callbacks.ErrTimeout) {
		t.Errorf("got error %v, want ErrTimeout", err)
	}
	if took := time.Since(began); took != d {
		t.Errorf("took %v, want %v", took, d)
	}
}

func TestTimeoutInTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var j journal
		for _, err := range three(t.Context(), callbacks.Timeout(j.named("a", io.EOF, false), time.Second)) {
			if !errors.Is(err, io.EOF) {
				t.Errorf("got %v, want the callback's error", err)
			}
		}
		for _, err := range three(t.Context(), callbacks.Timeout(j.named("b", io.EOF, true), 0)) {
			if _, ok := errors.AsType[*strategy.PanicError](err); !ok {
				t.Errorf("got %v, want a PanicError", err)
			}
		}
		if got, want := j.String(), "a+ a- a! b+ b- b!"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestTimeoutPassesCommitsAndStarts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		cb := callbacks.Timeout(callbacks.Funcs{
			OnAssign: func(ctx context.Context, a *callbacks.Assignment) error {
				if left, ok := ctx.Deadline(); !ok || time.Until(left) != time.Second {
					t.Errorf("deadline is %v, %v", left, ok)
				}
				time.Sleep(time.Second / 2)
				return a.SetStart(order(1), callbacks.Start{From: callbacks.FromLatest})
			},
			OnRevoke: func(ctx context.Context, r *callbacks.Revocation) error {
				return r.Commit(ctx, offsets{order(1): {Offset: r.Positions[order(1)]}, order(2): {}})
			},
		}, time.Second)
		a, r := assignment(1), revocation(1)
		r.Positions = map[strategy.TopicPartition]int64{order(1): 4}
		var sent offsets
		r.CommitFunc = func(_ context.Context, o map[strategy.TopicPartition]callbacks.Offset) error { sent = o; return nil }
		if err := cb.Assigned(t.Context(), a); err != nil {
			t.Error(err)
		}
		if got := a.End()[order(1)].From; got != callbacks.FromLatest {
			t.Errorf("starts from %v", got)
		}
		err := cb.Revoked(t.Context(), r)
		if failed, ok := errors.AsType[*callbacks.CommitError](err); !ok || len(failed.Failed) != 1 || sent[order(1)].Offset != 4 {
			t.Errorf("sent %v, error %v", sent, err)
		}
	})
}

// A host that has ended the assignment meanwhile is not told of starts.
func TestTimeoutUnderEndedAssignment(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := assignment(1)
		cb := callbacks.Timeout(callbacks.Funcs{OnAssign: func(_ context.Context, mine *callbacks.Assignment) error {
			a.End()
			return mine.SetStart(order(1), callbacks.Start{From: callbacks.FromLatest})
		}}, time.Second)
		if err := cb.Assigned(t.Context(), a); err != nil {
			t.Error(err)
		}
		if got := a.End(); len(got) != 0 {
			t.Errorf("got %v", got)
		}
	})
}

// A callback that does not return is given up, and what it does afterwards has no effect.
func TestTimeoutGivesUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var late []error
		cb := callbacks.Timeout(callbacks.Funcs{
			OnAssign: func(_ context.Context, a *callbacks.Assignment) error {
				late = append(late, a.SetStart(order(1), callbacks.Start{From: callbacks.FromLatest}))
				time.Sleep(time.Hour)
				late = append(late, a.SetStart(order(1), callbacks.Start{From: callbacks.FromLatest}))
				return io.EOF
			},
		}, time.Second)
		a := assignment(1)
		wantTimeout(t, time.Second, func() error {
			err := cb.Assigned(t.Context(), a)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v does not tell its cause", err)
			}
			return err
		})
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if len(late) != 2 || late[0] != nil || !errors.Is(late[1], callbacks.ErrEnded) {
			t.Errorf("setting starts gave %v, want nil and ErrEnded", late)
		}
		if got := a.End(); len(got) != 0 {
			t.Errorf("the result of a callback that was given up counts: %v", got)
		}
	})
}

func TestTimeoutEndsCommits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var late error
		cb := callbacks.Timeout(callbacks.Funcs{
			OnRevoke: func(ctx context.Context, r *callbacks.Revocation) error {
				time.Sleep(time.Minute)
				late = r.Commit(context.WithoutCancel(ctx), offsets{order(1): {Offset: 3}})
				return nil
			},
		}, time.Second)
		r := revocation(1)
		r.CommitFunc = func(context.Context, map[strategy.TopicPartition]callbacks.Offset) error {
			t.Error("a commit came through")
			return nil
		}
		wantTimeout(t, time.Second, func() error { return cb.Revoked(t.Context(), r) })
		time.Sleep(time.Hour)
		synctest.Wait()
		if !errors.Is(late, callbacks.ErrEnded) {
			t.Errorf("got %v, want ErrEnded", late)
		}
	})
}

func TestTimeoutByContext(t *testing.T) {
	stuck := callbacks.Funcs{OnLost: func(context.Context, *callbacks.Loss) error { time.Sleep(time.Hour); return nil }}
	for _, limit := range []time.Duration{0, time.Minute} {
		bubble(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			wantTimeout(t, time.Second, func() error { return callbacks.Timeout(stuck, limit).Lost(ctx, loss(1)) })
			time.Sleep(2 * time.Hour)
		})
		bubble(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Second, func() { cancel(io.ErrClosedPipe) })
			wantTimeout(t, time.Second, func() error {
				err := callbacks.Timeout(stuck, limit).Lost(ctx, loss(1))
				if !errors.Is(err, io.ErrClosedPipe) {
					t.Errorf("%v does not tell its cause", err)
				}
				return err
			})
			time.Sleep(2 * time.Hour)
		})
	}
}

func TestTimeoutGoexit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		cb := callbacks.Timeout(callbacks.Funcs{OnLost: func(context.Context, *callbacks.Loss) error { runtime.Goexit(); return nil }}, time.Second)
		for range 2 {
			if err := cb.Lost(t.Context(), loss(1)); err == nil || err.Error() != "callback ended its goroutine" {
				t.Errorf("got %v", err)
			}
		}
	})
}

// sleeper takes its time over assignments, whatever the context says, and notes whether calls overlap and what had ended.
func sleeper(t *testing.T, j *journal, assign time.Duration) callbacks.Callbacks {
	var running atomic.Int32
	say := func(ctx context.Context, what string) func() {
		if running.Add(1) != 1 {
			t.Error("two calls at once")
		}
		if ctx.Err() != nil {
			what += "(ended)"
		}
		j.add(what)
		return func() { running.Add(-1) }
	}
	return callbacks.Funcs{
		OnAssign: func(ctx context.Context, _ *callbacks.Assignment) error {
			defer say(ctx, "assigned")()
			time.Sleep(assign)
			return nil
		},
		OnRevoke: func(ctx context.Context, _ *callbacks.Revocation) error {
			defer say(ctx, "revoked")()
			return nil
		},
		OnLost: func(ctx context.Context, l *callbacks.Loss) error {
			defer say(ctx, "lost:"+string(l.Reason))()
			return nil
		},
	}
}

func TestTimeoutNextWaitsInItsTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var j journal
		cb := callbacks.Timeout(sleeper(t, &j, 1500*time.Millisecond), time.Second)
		wantTimeout(t, time.Second, func() error { return cb.Assigned(t.Context(), assignment(1)) })
		began := time.Now()
		if err := cb.Revoked(t.Context(), revocation(1)); err != nil || time.Since(began) != time.Second/2 {
			t.Errorf("revoked after %v: %v", time.Since(began), err)
		}
		if got, want := j.String(), "assigned revoked"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestTimeoutLateEventsComeInOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var j journal
		cb := callbacks.Timeout(sleeper(t, &j, 10*time.Second), time.Second)
		wantTimeout(t, time.Second, func() error { return cb.Assigned(t.Context(), assignment(1)) })
		wantTimeout(t, time.Second, func() error { return cb.Revoked(t.Context(), revocation(1)) })
		wantTimeout(t, time.Second, func() error { return cb.Assigned(t.Context(), assignment(1)) })
		wantTimeout(t, time.Second, func() error { return cb.Lost(t.Context(), loss(1)) })
		time.Sleep(time.Minute)
		if err := cb.Revoked(t.Context(), revocation(1)); err != nil {
			t.Errorf("once unstuck: %v", err)
		}
		if got, want := j.String(), "assigned lost:late(ended) assigned(ended) lost:expired(ended) revoked"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}
