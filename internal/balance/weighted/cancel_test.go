package weighted

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
)

// ending is a context that ends after so many looks at it.
type ending struct {
	context.Context
	looks, after int
}

func (e *ending) Err() error {
	e.looks++
	if e.looks > e.after {
		return context.Canceled
	}
	return nil
}

// Whenever the context ends, Solve ends with its error and looks at it no more; where it does not end, the answer is the same as ever.
func TestCancel(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	limited := shaped(r, "half", "zipf", 600, 30)
	limited.Limit = 20
	for name, p := range map[string]*Problem{
		"equal": shaped(r, "equal", "lognormal", 1000, 100), "half": shaped(r, "half", "lognormal", 1000, 100),
		"single": shaped(r, "single", "uniform", 1000, 100), "limited": limited,
	} {
		for _, o := range []Options{{}, {Strict: true, Budget: -1}} {
			want := mustSolve(t, p, o)
			all := &ending{Context: t.Context(), after: 1 << 40}
			if got, err := Solve(all, p, o); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: another answer with a context that is looked at, or %v", name, err)
			}
			if all.looks < 100 {
				t.Errorf("%s: only %d looks at the context", name, all.looks)
			}
			for after := 0; after < all.looks; after += 1 + all.looks/50 {
				e := &ending{Context: t.Context(), after: after}
				if _, err := Solve(e, p, o); !errors.Is(err, context.Canceled) || e.looks > after+2 {
					t.Errorf("%s: %v, after %d looks of %d", name, err, e.looks, after)
				}
			}
		}
	}
}
