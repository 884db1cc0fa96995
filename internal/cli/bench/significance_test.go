package bench

import (
	"math"
	"math/rand/v2"
	"testing"
)

// byEnumeration divides the values in all ways and counts those whose U is as far from its mean.
func byEnumeration(a, b []float64) float64 {
	values := append(append([]float64(nil), a...), b...)
	statistic := func(chosen uint) float64 {
		u := 0.0
		for i := range values {
			for k := range values {
				if chosen>>i&1 == 1 && chosen>>k&1 == 0 {
					switch {
					case values[i] > values[k]:
						u++
					case values[i] == values[k]:
						u += 0.5
					}
				}
			}
		}
		return math.Abs(u - float64(len(a)*len(b))/2)
	}
	found := statistic(1<<len(a) - 1)
	all, apart := 0, 0
	for chosen := range uint(1) << len(values) {
		n := 0
		for i := range values {
			n += int(chosen >> i & 1)
		}
		if n != len(a) {
			continue
		}
		all++
		if statistic(chosen) >= found {
			apart++
		}
	}
	return float64(apart) / float64(all)
}

func TestMannWhitney(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) []float64 {
		list := make([]float64, n)
		for i := range list {
			list[i] = float64(r.IntN(6)) // many ties
		}
		return list
	}
	for range 300 {
		a, b := draw(1+r.IntN(5)), draw(1+r.IntN(6))
		if got, want := mannWhitney(a, b), byEnumeration(a, b); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v and %v: %v, want %v", a, b, got, want)
		}
	}
	for _, x := range []struct {
		a, b []float64
		p    float64
	}{
		{[]float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 2.0 / 252},
		{[]float64{1, 2, 3}, []float64{1, 2, 3}, 1},
		{nil, []float64{1}, 1},
	} {
		if got := mannWhitney(x.a, x.b); math.Abs(got-x.p) > 1e-12 {
			t.Errorf("%v and %v: %v, want %v", x.a, x.b, got, x.p)
		}
	}
}

// Of large samples the normal distribution is as good.
func TestLargeSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, shift := range []float64{0, 0.3, 0.6} {
		var a, b []float64
		for range 25 {
			a, b = append(a, r.NormFloat64()), append(b, r.NormFloat64()+shift)
		}
		ranks, sum := doubledRanks(a, b)
		if exact, normal := exactTail(ranks, sum, len(a)), normalTail(ranks, sum, len(a)); math.Abs(exact-normal) > 0.005 {
			t.Errorf("shift %v: %v exactly, %v by the normal distribution", shift, exact, normal)
		}
	}
	same := make([]float64, 40)
	if p := mannWhitney(same, same); p != 1 {
		t.Errorf("all are equal: %v", p)
	}
}
