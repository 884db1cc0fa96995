//go:build unix

package plugin

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// lasting is a group that busy takes some time for.
func lasting(d time.Duration) *strategy.Group {
	g := smallGroup()
	g.Name = d.String()
	return g
}

func TestManyGroups(t *testing.T) {
	linuxOnly(t)
	s := newStage(t)
	a := s.plugin(t, Config{StartTimeout: patience, CallTimeout: patience}, "busy")
	var asking sync.WaitGroup
	for i := range 20 {
		asking.Go(func() {
			for range 5 {
				g := lasting(time.Duration(i) * time.Millisecond)
				got, err := a.Assign(context.Background(), g)
				if err == nil {
					err = strategy.Validate(g, &got, strategy.ProtocolEager)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	asking.Wait()
	if st := a.Stats(); st.Starts != 1 || st.Answers != 100 || st.Failures != 0 {
		t.Errorf("%+v", st)
	}
	_ = a.Close()
	s.gone(t)
}

// TestHangAmongOthers has a call hang while others are answered by the same process: those are asked again where it is killed.
func TestHangAmongOthers(t *testing.T) {
	linuxOnly(t)
	s := newStage(t)
	a := s.plugin(t, Config{StartTimeout: patience, CallTimeout: patience}, "busy")
	warm(t, a)
	var asking sync.WaitGroup
	asking.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		if _, err := a.Assign(ctx, lasting(time.Hour)); !errors.Is(err, ErrUnresponsive) {
			t.Error(err)
		}
	})
	for range 4 {
		asking.Go(func() {
			if _, err := a.Assign(context.Background(), lasting(500*time.Millisecond)); err != nil {
				t.Error(err)
			}
		})
	}
	asking.Wait()
	_ = a.Close()
	s.gone(t)
}

// TestCancelled has a caller cancel while another waits: the plugin is not to blame, and the other gets its answer of the process that it asked.
func TestCancelled(t *testing.T) {
	linuxOnly(t)
	s := newStage(t)
	a := s.plugin(t, Config{StartTimeout: patience, CallTimeout: patience}, "busy")
	warm(t, a)
	first := pid(t, a)
	var asking sync.WaitGroup
	asking.Go(func() {
		if _, err := a.Assign(context.Background(), lasting(700*time.Millisecond)); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := a.Assign(ctx, lasting(time.Hour)); !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnresponsive) {
		t.Error(err)
	}
	asking.Wait()
	if _, err := a.Assign(context.Background(), smallGroup()); err != nil {
		t.Error(err)
	}
	if again := pid(t, a); again == first {
		t.Error("the process that may still be busy was asked")
	}
	if st := a.Stats(); st.Failures != 0 || st.Starts != 2 {
		t.Errorf("%+v", st)
	}
	if alarms := s.log.alarms(); len(alarms) > 0 {
		t.Error(alarms)
	}
	_ = a.Close()
	s.gone(t)
}

// TestOneStart has two callers wait for one start: the one with little time leaves, and the other is answered.
func TestOneStart(t *testing.T) {
	linuxOnly(t)
	s := newStage(t)
	a := s.plugin(t, Config{StartTimeout: patience, CallTimeout: patience}, "slowstart")
	var asking sync.WaitGroup
	asking.Go(func() {
		if _, err := a.Assign(context.Background(), smallGroup()); err != nil {
			t.Error(err)
		}
	})
	for _, end := range []context.CancelFunc{nil, func() {}} {
		asking.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			defer cancel()
			want := ErrUnresponsive
			if end != nil {
				cancel()
				want = context.Canceled
			}
			if _, err := a.Assign(ctx, smallGroup()); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		})
	}
	asking.Wait()
	if st := a.Stats(); st.Starts != 1 || st.Failures != 0 {
		t.Errorf("%+v", st)
	}
	_ = a.Close()
	s.gone(t)
}

// TestClose closes in every state, while callers ask.
func TestClose(t *testing.T) {
	linuxOnly(t)
	for name, c := range map[string]struct {
		plugin string
		before func(t *testing.T, a *Assignor)
	}{
		"never started":    {"sticky", func(*testing.T, *Assignor) {}},
		"during calls":     {"busy", warm},
		"during a start":   {"slowstart", func(*testing.T, *Assignor) {}},
		"a hanging start":  {"stops", func(*testing.T, *Assignor) {}},
		"stopped":          {"busy", func(t *testing.T, a *Assignor) { warm(t, a); stopped(t, a) }},
		"during a backoff": {"exits", backOff},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			a := s.plugin(t, Config{StartTimeout: patience, CallTimeout: patience}, c.plugin)
			c.before(t, a)
			var asking sync.WaitGroup
			var answered atomic.Int32
			if name != "never started" {
				for range 4 {
					asking.Go(func() {
						_, err := a.Assign(context.Background(), lasting(time.Minute))
						switch {
						case err == nil:
							answered.Add(1)
						case !errors.Is(err, ErrClosed) && !errors.Is(err, ErrCrashed) && !errors.Is(err, ErrBackoff):
							t.Error(err)
						}
					})
				}
				time.Sleep(50 * time.Millisecond)
			}
			for range 2 {
				asking.Go(func() {
					if err := a.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			asking.Wait()
			if answered.Load() > 0 {
				t.Error("there was an answer")
			}
			if _, err := a.Assign(context.Background(), smallGroup()); !errors.Is(err, ErrClosed) {
				t.Error(err)
			}
			if _, err := a.UserData(nil); !errors.Is(err, ErrClosed) {
				t.Error(err)
			}
			if alarms := s.log.all("does not go away"); len(alarms) > 0 {
				t.Error(alarms)
			}
			s.gone(t)
		})
	}
}

// backOff has a plugin fail until it is left alone.
func backOff(t *testing.T, a *Assignor) {
	for range 100 {
		_, err := a.Assign(context.Background(), smallGroup())
		if errors.Is(err, ErrBackoff) {
			if !errors.Is(err, ErrStart) {
				t.Errorf("the failure before is not in %v", err)
			}
			return
		}
		if !errors.Is(err, ErrStart) {
			t.Fatal(err)
		}
	}
	t.Error("the plugin is started again and again")
}

func TestBackoffEnds(t *testing.T) {
	linuxOnly(t)
	s := newStage(t)
	a := s.plugin(t, Config{StartTimeout: patience}, "exits")
	backOff(t, a)
	retry := a.Stats().Retry
	eventually(t, "the plugin is not started again", func() []string {
		if _, err := a.Assign(context.Background(), smallGroup()); errors.Is(err, ErrBackoff) {
			return []string{err.Error()}
		}
		return nil
	})
	if time.Now().Before(retry) {
		t.Error("it was started before its time")
	}
	_ = a.Close()
	s.gone(t)
}
