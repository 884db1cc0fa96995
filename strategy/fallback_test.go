package strategy

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// does is an assignor that runs a function.
type does struct {
	name string
	f    func(ctx context.Context, g *Group) (Assignment, error)
}

func (d does) Name() string { return d.name }
func (d does) Assign(ctx context.Context, g *Group) (Assignment, error) {
	return d.f(ctx, g)
}

var errBroken = errors.New("broken")

func TestFallbackCauses(t *testing.T) {
	released := make(chan struct{})
	defer close(released)
	right := does{"right", func(_ context.Context, g *Group) (Assignment, error) { return lastResort(g, ProtocolEager) }}
	for _, c := range []struct {
		name  string
		first func(ctx context.Context, g *Group) (Assignment, error)
		cause Cause
		err   error // that it is found to be, or of that type
	}{
		{"panics", func(context.Context, *Group) (Assignment, error) { panic("no") }, CausePanic, &PanicError{}},
		{"fails", func(context.Context, *Group) (Assignment, error) { return Assignment{}, errBroken }, CauseError, errBroken},
		{"heeds its time", func(ctx context.Context, _ *Group) (Assignment, error) { <-ctx.Done(); return Assignment{}, ctx.Err() }, CauseDeadline, context.DeadlineExceeded},
		{"does not heed its time", func(context.Context, *Group) (Assignment, error) { <-released; return Assignment{}, nil }, CauseDeadline, ErrUnanswered},
		{"answers nonsense", func(context.Context, *Group) (Assignment, error) { return Assignment{}, nil }, CauseInvalid, &InvalidError{}},
		{"changes the group to suit its answer", func(_ context.Context, g *Group) (Assignment, error) {
			g.Members = g.Members[:0]
			return Assignment{}, nil
		}, CauseInvalid, &InvalidError{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log bytes.Buffer
			var failures []Failure
			f := Fallback(does{"first", c.first}, right)
			f.Logger = slog.New(slog.NewTextHandler(&log, nil))
			f.OnFailure = func(x Failure) { failures = append(failures, x) }
			f.Timeout = 1e6
			if c.cause != CauseDeadline {
				f.Timeout = 60e9
			} else {
				f.Then = []Assignor{lastAsAssignor{}}
			}
			g := twoMembers()
			g.Name, g.Generation = "billing", 7
			before := g.Clone()
			got, err := f.Assign(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			if err := Validate(g, &got, ProtocolEager); err != nil {
				t.Error(err)
			}
			if !reflect.DeepEqual(g, before) {
				t.Error("the group was changed")
			}
			if len(failures) == 0 {
				t.Fatal("no failure was reported")
			}
			x := failures[0]
			var panicked *PanicError
			if errors.As(x.Err, &panicked) && (x.Err.Error() != "panic: no" || !strings.Contains(string(panicked.Stack), "TestFallbackCauses") || !strings.Contains(log.String(), "stack=")) {
				t.Errorf("the panic is told as %v with the stack %s", x.Err, panicked.Stack)
			}
			if x.Cause != c.cause || x.Assignor != "first" || x.Position != 0 || x.Group != "billing" || x.Generation != 7 || x.Next == "" {
				t.Errorf("reported %+v", x)
			}
			if !errors.Is(x.Err, c.err) && reflect.TypeOf(x.Err) != reflect.TypeOf(c.err) {
				t.Errorf("error is %T: %v", x.Err, x.Err)
			}
			for _, want := range []string{"group=billing", "generation=7", "assignor=first", "cause=" + string(c.cause)} {
				if !strings.Contains(log.String(), want) {
					t.Errorf("%q is not in the log: %s", want, log.String())
				}
			}
		})
	}
}

// lastAsAssignor is the last resort as an assignor of its own: it needs no time, so that a tiny time limit only hits the first.
type lastAsAssignor struct{}

func (lastAsAssignor) Name() string { return "last" }
func (lastAsAssignor) Assign(_ context.Context, g *Group) (Assignment, error) {
	return lastResort(g, ProtocolEager)
}

func TestFallbackUsesTheFirstRightAnswer(t *testing.T) {
	asked := 0
	right := does{"right", func(_ context.Context, g *Group) (Assignment, error) { asked++; return lastResort(g, ProtocolEager) }}
	wrong := does{"wrong", func(context.Context, *Group) (Assignment, error) { t.Error("asked in vain"); return Assignment{}, nil }}
	f := Fallback(right, wrong)
	f.OnFailure = func(x Failure) { t.Errorf("reported %+v", x) }
	if _, err := f.Assign(t.Context(), twoMembers()); err != nil || asked != 1 {
		t.Error(err, asked)
	}
}

// With every assignor broken and the context over, there still is a valid answer, under both protocols.
func TestFallbackAlwaysAnswers(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawGroup(t)
		var first Assignor = does{"first", func(context.Context, *Group) (Assignment, error) { return Assignment{}, errBroken }}
		p := ProtocolEager
		if rapid.Bool().Draw(t, "cooperative") {
			first, p = Cooperative(first), ProtocolCooperative
		}
		var reported []string
		f := Fallback(first, first)
		f.Logger = quiet
		f.OnFailure = func(x Failure) { reported = append(reported, x.Next) }
		ctx := context.Background()
		if rapid.Bool().Draw(t, "ended") {
			ctx = ended
		}
		a, err := f.Assign(ctx, g)
		if err != nil {
			t.Fatal(err)
		}
		if err := Validate(g, &a, p); err != nil {
			t.Fatal(err)
		}
		if len(reported) != 2 || reported[0] != first.Name() || reported[1] != "last resort" {
			t.Fatalf("next: %v", reported)
		}
	})
}

// Each assignor gets its share of the time that is left, and a context that ends when it has been asked.
func TestFallbackSharesTheTime(t *testing.T) {
	const minute = time.Minute
	var contexts []context.Context
	var left []time.Duration
	broken := func(ctx context.Context, _ *Group) (Assignment, error) {
		deadline, _ := ctx.Deadline()
		contexts, left = append(contexts, ctx), append(left, time.Until(deadline).Round(10*minute))
		return Assignment{}, errBroken
	}
	var positions []int
	var next []string
	f := Fallback(does{"one", broken}, does{"two", broken}, does{"three", broken})
	f.Logger = slog.New(slog.DiscardHandler)
	f.OnFailure = func(x Failure) { positions, next = append(positions, x.Position), append(next, x.Next) }
	ctx, cancel := context.WithTimeout(t.Context(), 600*minute)
	defer cancel()
	if _, err := f.Assign(ctx, twoMembers()); err != nil {
		t.Fatal(err)
	}
	if want := []time.Duration{200 * minute, 300 * minute, 600 * minute}; !slices.Equal(left, want) {
		t.Errorf("had %v, want %v", left, want)
	}
	for i, ctx := range contexts {
		if ctx.Err() == nil {
			t.Errorf("the context of assignor %d goes on", i)
		}
	}
	if !slices.Equal(positions, []int{0, 1, 2}) || !slices.Equal(next, []string{"two", "three", "last resort"}) || f.Name() != "one" {
		t.Errorf("positions %v, next %q, name %s", positions, next, f.Name())
	}
}

// The last resort fills up the least loaded, by capacity, and lets nobody have anything who is about to leave.
func TestLastResort(t *testing.T) {
	reads := []string{"t"}
	g := &Group{
		Topics: []Topic{{Name: "t", Partitions: 12}, {Name: "u", Partitions: 2}},
		Members: []Member{
			claim("a", 1, reads, 0, 1, 2, 3), claim("b", 1, reads), {ID: "c", Topics: reads, Capacity: 2},
			{ID: "d", Topics: []string{"t", "u"}, Draining: true}, {ID: "e", Topics: []string{"u"}, Draining: true},
		},
	}
	a, err := lastResort(g, ProtocolCooperative)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]TopicPartitions{
		"a": {list("t", 0, 1, 2, 3)}, "b": {list("t", 5, 8, 11)}, "c": {list("t", 4, 6, 7, 9, 10)}, "d": {list("u", 0)}, "e": {list("u", 1)},
	}
	if !reflect.DeepEqual(a.Members, want) || a.Unassigned != nil {
		t.Errorf("got %v, want %v", a.Members, want)
	}
	g.Members = append(g.Members, claim("f", 1, nil, 4, 11))
	if a, err = lastResort(g, ProtocolCooperative); err != nil {
		t.Fatal(err)
	}
	if want := []Unassigned{{Topic: "t", Partition: 4, Reason: ReasonWithheld}, {Topic: "t", Partition: 11, Reason: ReasonWithheld}}; !reflect.DeepEqual(a.Unassigned, want) || a.Count("c")+a.Count("b") != 6 {
		t.Errorf("got %v, withheld %v", a.Members, a.Unassigned)
	}
}

func TestFallbackTakesTheProtocolOfTheFirst(t *testing.T) {
	g := twoMembers() // b owns t-1
	broken := does{"broken", func(context.Context, *Group) (Assignment, error) { return Assignment{}, errBroken }}
	plan := answers{Assignment{Members: map[string][]TopicPartitions{"a": {list("t", 0, 1, 2), list("u", 0)}, "b": nil}}}
	for _, c := range []struct {
		name     string
		f        *FallbackAssignor
		withheld int
	}{
		{"cooperative first", Fallback(Cooperative(broken), plan), 1},
		{"eager first", Fallback(broken, Cooperative(plan)), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.f.Logger = slog.New(slog.DiscardHandler)
			a, err := c.f.Assign(t.Context(), g)
			if err != nil || len(a.Unassigned) != c.withheld {
				t.Errorf("%v %+v", err, a)
			}
			if got := a.Count("a"); got != 4-c.withheld {
				t.Errorf("the second assignor's plan was not used: %+v", a)
			}
		})
	}
}

func TestFallbackIsSafeForConcurrentUse(t *testing.T) {
	f := Fallback(does{"first", func(context.Context, *Group) (Assignment, error) { panic("no") }}, lastAsAssignor{})
	f.Logger = slog.New(slog.DiscardHandler)
	g := twoMembers()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := f.Assign(context.Background(), g); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestFallbackRefusesWhatNobodyCanAssign(t *testing.T) {
	var group *GroupError
	if _, err := Fallback(lastAsAssignor{}).Assign(t.Context(), &Group{Topics: []Topic{{Name: "t", Partitions: -1}}}); !errors.As(err, &group) {
		t.Error(err)
	}
}
