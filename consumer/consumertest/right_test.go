package consumertest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer/consumertest"
)

// A shelf is where tallies are kept while nobody has their partition. It fails every so many calls, if it is told to.
type shelf struct {
	mu     sync.Mutex
	saved  map[partition]tally
	calls  int
	faulty int
}

func (s *shelf) use(f func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls++; s.faulty > 0 && s.calls%s.faulty == 0 {
		return io.ErrUnexpectedEOF
	}
	f()
	return nil
}

// states are callbacks.PartitionState as an application uses it, starting at the offsets that it keeps itself.
func states(faulty int, wrap func(callbacks.Callbacks) callbacks.Callbacks) func(*host) subject {
	return func(*host) subject {
		s := &shelf{saved: map[partition]tally{}, faulty: faulty}
		state := &callbacks.PartitionState[*tally]{
			Load: func(_ context.Context, a *assignment, p partition) (*tally, error) {
				t := &tally{}
				if err := s.use(func() { *t = s.saved[p] }); err != nil {
					return nil, err
				}
				return t, a.SetStart(p, callbacks.Start{From: callbacks.FromOffset, Offset: t.next})
			},
			Save: func(_ context.Context, _ *revocation, p partition, t *tally) error {
				return s.use(func() { s.saved[p] = *t })
			},
		}
		return subject{
			Callbacks: wrap(state),
			State: func(p partition) (string, bool) {
				t, ok := state.Get(p)
				if !ok {
					return "", false
				}
				return fmt.Sprint(*t), true
			},
			Handle: func(p partition, offset int64) error {
				t, ok := state.Get(p)
				if !ok {
					return errors.New("no tally")
				}
				*t = tally{n: t.n + 1, next: offset + 1}
				return nil
			},
		}
	}
}

// committing is a PartitionState that starts where the group has committed, and commits what it saves.
func committing(*host) subject {
	s := &shelf{saved: map[partition]tally{}}
	state := &callbacks.PartitionState[*tally]{
		Load: func(_ context.Context, _ *assignment, p partition) (*tally, error) {
			t := &tally{}
			return t, s.use(func() { *t = s.saved[p] })
		},
		Save: func(ctx context.Context, r *revocation, p partition, t *tally) error {
			next, ok := r.Positions[p]
			if !ok {
				return nil
			}
			return errors.Join(s.use(func() { s.saved[p] = *t }), r.Commit(ctx, offset(p, next)))
		},
	}
	return subject{
		Callbacks: state,
		State: func(p partition) (string, bool) {
			t, ok := state.Get(p)
			return fmt.Sprint(t), ok
		},
		Handle: func(p partition, offset int64) error {
			t, ok := state.Get(p)
			if !ok {
				return errors.New("no tally")
			}
			t.n++
			return nil
		},
	}
}

// TestRight has nothing found in what is right.
func TestRight(t *testing.T) {
	itself := func(cb callbacks.Callbacks) callbacks.Callbacks { return cb }
	discard := slog.New(slog.DiscardHandler)
	for name, test := range map[string]struct {
		options options
		make    func(*host) subject
	}{
		"nothing":    {make: func(*host) subject { return subject{Callbacks: callbacks.Funcs{}} }},
		"functions":  {make: spoiled(func(*counter, *callbacks.Funcs, *subject) {})},
		"state":      {make: states(0, itself)},
		"committing": {options: manual, make: committing},
		"chain": {make: states(0, func(cb callbacks.Callbacks) callbacks.Callbacks {
			return callbacks.Chain(callbacks.Log(nil, discard), cb, callbacks.Funcs{})
		})},
		"timeout": {make: states(0, func(cb callbacks.Callbacks) callbacks.Callbacks { return callbacks.Timeout(cb, time.Minute) })},
		"timeout in a chain": {make: states(0, func(cb callbacks.Callbacks) callbacks.Callbacks {
			return callbacks.Chain(callbacks.Timeout(callbacks.Funcs{}, time.Minute), callbacks.Timeout(cb, time.Minute))
		})},
		"a store that fails":        {options: options{MayFail: true}, make: states(7, itself)},
		"a store that fails often":  {options: options{MayFail: true}, make: states(2, itself)},
		"another seed":              {options: options{Seed: 2}, make: states(0, itself)},
		"topics of the application": {options: options{Topics: []string{"clicks"}}, make: states(0, itself)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.options.Test(t, test.make)
		})
	}
}

// TestMakesEach has every sequence begin with a subject of its own, which is closed.
func TestMakesEach(t *testing.T) {
	made, closed := 0, 0
	err := consumertest.CheckCallbacks(func(*host) subject {
		made++
		return subject{Callbacks: callbacks.Funcs{}, Close: func() error { closed++; return nil }}
	})
	if err != nil || made < 300 || closed != made {
		t.Errorf("%v; %d were made, %d closed", err, made, closed)
	}
}

// TestLegal holds the host that is played to what hosts guarantee.
func TestLegal(t *testing.T) {
	kinds := map[string]int{}
	err := consumertest.CheckCallbacks(func(*host) subject {
		has := map[partition]bool{}
		generation := int32(0)
		event := func(e *callbacks.Event, change map[partition]bool, is bool) {
			for p := range change {
				if has[p] == is {
					t.Errorf("generation %d: %v is assigned twice, or goes and was not assigned", e.Generation, p)
				}
				if has[p] = is; !is {
					delete(has, p)
				}
			}
			current := set(e.Current)
			if !maps.Equal(current, has) || len(change) == 0 || e.Generation <= generation {
				t.Errorf("generation %d after %d: has %v, is told %v, changes %v", e.Generation, generation, has, current, change)
			}
			generation = e.Generation
		}
		return subject{Callbacks: callbacks.Funcs{
			OnAssign: func(ctx context.Context, a *assignment) error {
				kinds[fmt.Sprint("assign ", ctx.Err())]++
				event(&a.Event, set(a.Added), true)
				return nil
			},
			OnRevoke: func(ctx context.Context, r *revocation) error {
				kinds[fmt.Sprint("revoke ", ctx.Err())]++
				event(&r.Event, set(r.Removed), false)
				return nil
			},
			OnLost: func(ctx context.Context, l *loss) error {
				kinds[fmt.Sprint("lost ", ctx.Err())]++
				event(&l.Event, set(l.Removed), false)
				return nil
			},
		}, Close: func() error {
			if len(has) > 0 {
				return fmt.Errorf("%v were neither revoked nor lost", has)
			}
			return nil
		}}
	})
	if err != nil {
		t.Error(err)
	}
	for _, kind := range []string{"assign", "revoke", "lost"} {
		if kinds[kind+" <nil>"] < 200 || kinds[kind+" context canceled"] < 20 {
			t.Errorf("not enough of %q in %v", kind, kinds)
		}
	}
}

// set returns the partitions of a list.
func set(list []topicPartitions) map[partition]bool {
	m := map[partition]bool{}
	for p := range callbacks.Each(list) {
		m[p] = true
	}
	return m
}

// TestFaultsAreFew has what is wrong everywhere told a few times, with the shortest sequence first.
func TestFaultsAreFew(t *testing.T) {
	err := consumertest.CheckCallbacks(spoiled(func(_ *counter, f *callbacks.Funcs, _ *subject) { f.OnLost = nil }))
	list := faults(err)
	if len(list) < 2 || len(list) > 4 {
		t.Fatalf("%d faults: %v", len(list), err)
	}
	if want := "after OnLost, something is kept for orders-0\nin the sequence\n\tOnAssign orders-0\n\tOnLost orders-0 (expired)"; list[0].Detail != want {
		t.Errorf("the first is\n%s\nwant\n%s", list[0].Detail, want)
	}
	if last := list[len(list)-1].Detail; !strings.HasPrefix(last, "and ") || !strings.HasSuffix(last, " sequences more") {
		t.Errorf("the last is %q", last)
	}
}
