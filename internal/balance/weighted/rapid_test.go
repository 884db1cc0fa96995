package weighted

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/assignkit/assignkit/internal/balance"
)

// drawProblem makes any problem that is well formed.
func drawProblem(t *rapid.T) *Problem {
	p := &Problem{Problem: balance.Problem{Members: rapid.IntRange(0, 9).Draw(t, "members")}}
	p.Partitions = rapid.SliceOfN(rapid.Int32Range(0, 9), 0, 4).Draw(t, "partitions")
	total, n := p.total(), int32(p.Members)
	list := func(name string, length int, g *rapid.Generator[int32]) []int32 {
		if rapid.Bool().Draw(t, "with "+name) {
			return rapid.SliceOfN(g, length, length).Draw(t, name)
		}
		return nil
	}
	p.Weight = rapid.SliceOfN(rapid.OneOf(
		rapid.Int64Range(0, 3), rapid.Int64Range(1, 1000), rapid.Just(MaxWeight/100)), total, total).Draw(t, "weights")
	p.Owner = list("owners", total, rapid.Int32Range(-2, n+1))
	p.Capacity = list("capacities", p.Members, rapid.OneOf(rapid.Just(int32(1)), rapid.Int32Range(0, 4), rapid.Int32Range(0, 1<<20-1)))
	p.Together = list("keys", total, rapid.Int32Range(-1, 6))
	p.Limit = rapid.OneOf(rapid.Just(int32(0)), rapid.Int32Range(1, 6)).Draw(t, "limit")
	p.Limits = list("limits", p.Members, rapid.OneOf(rapid.Int32Range(0, 6), rapid.Just(int32(math.MaxInt32))))
	if rapid.Bool().Draw(t, "by topic") {
		p.Start = []int32{0}
		for range p.Partitions {
			for m := range n {
				if rapid.Bool().Draw(t, "takes") {
					p.Subscribers = append(p.Subscribers, m)
				}
			}
			p.Start = append(p.Start, int32(len(p.Subscribers)))
		}
	}
	if rapid.Bool().Draw(t, "by partition") {
		length := total * p.Words()
		p.Eligible = rapid.SliceOfN(rapid.Uint64Range(0, 1<<10-1), length, length).Draw(t, "eligible")
	}
	if rapid.Bool().Draw(t, "with preference") {
		p.PreferClass = list("classes", total, rapid.Int32Range(0, 3))
		length := max(4, len(p.Partitions)) * p.Members
		p.Prefer = rapid.SliceOfN(rapid.Int32Range(-2, 2), length, length).Draw(t, "scores")
	}
	return p
}

func drawOptions(t *rapid.T) Options {
	share := rapid.SampledFrom([]int32{0, -1, 1, 20, 300, 5000, math.MaxInt32})
	return Options{
		Strict: rapid.Bool().Draw(t, "strict"), Tolerance: share.Draw(t, "tolerance"), Gain: share.Draw(t, "gain"),
		Noise: share.Draw(t, "noise"), MaxMoves: rapid.Int32Range(-1, 4).Draw(t, "moves"),
		MaxWeight: rapid.Int64Range(-1, 2000).Draw(t, "weight"),
		Budget:    rapid.SampledFrom([]int64{0, 0, -1, 1, 1000, 20000}).Draw(t, "budget"),
	}
}

// Whatever the problem: the answer is an assignment, keeps to every bound, and reports itself rightly.
func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, o := drawProblem(t), drawOptions(t)
		before := p.describe()
		got, err := Solve(t.Context(), p, o)
		if err != nil {
			t.Fatalf("%v\n%s", err, before)
		}
		check(t, p, o, got)
		if p.describe() != before {
			t.Fatal("the problem was changed")
		}
		if again, _ := Solve(t.Context(), p, o); !reflect.DeepEqual(again, got) {
			t.Fatal("not deterministic")
		}
	})
}

// What is asked in another order is answered in the same way, whoever is who: each member has as much as before.
func TestTopicsInAnotherOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfNDistinct(rapid.Int64Range(1, 1<<40), 1, 30, rapid.ID).Draw(t, "weights")
		members := rapid.IntRange(1, 6).Draw(t, "members")
		p := &Problem{Problem: balance.Problem{Members: members, Partitions: []int32{int32(len(weights))}}, Weight: weights, Limit: 30}
		q := *p
		q.Weight = slices.Clone(weights)
		slices.Reverse(q.Weight)
		a, errA := Solve(t.Context(), p, Options{})
		b, errB := Solve(t.Context(), &q, Options{})
		if errA != nil || errB != nil || !slices.Equal(a.Loads, b.Loads) {
			t.Fatal(a.Loads, b.Loads, errA, errB)
		}
	})
}
