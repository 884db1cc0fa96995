package rules

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/assignkit/assignkit/internal/balance/weighted"
)

func TestScale(t *testing.T) {
	for _, c := range []struct {
		weights []float64
		want    []int64
	}{
		{nil, []int64{}}, {[]float64{0, 0}, []int64{0, 0}}, {[]float64{3, 0, 5}, []int64{3, 0, 5}},
		{[]float64{0.5, 0.25, 0}, []int64{1 << 45 * 2 / 4, 1 << 45 / 4, 0}},
		{[]float64{1e100, 1}, []int64{20107646833859, 1}},
	} {
		if got := scaleWeights(c.weights); !slices.Equal(got, c.want) {
			t.Errorf("%v become %v, want %v", c.weights, got, c.want)
		}
	}
	for _, c := range []struct {
		capacities []float64
		want       []int32
	}{
		{nil, nil}, {[]float64{1, 1}, nil}, {[]float64{1, 0}, []int32{1, 0}}, {[]float64{7, 2}, []int32{7, 2}}, {[]float64{0.5, 0.25}, []int32{1 << 18, 1 << 17}},
		{[]float64{1e300, 1}, []int32{391439, 1}},
	} {
		if got := scaleCapacities(c.capacities); !slices.Equal(got, c.want) {
			t.Errorf("%v become %v, want %v", c.capacities, got, c.want)
		}
	}
}

// What the solver is given is within its bounds, keeps the order, and is 0 only where there was nothing.
func TestScaleBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.Float64Range(0, 1e100), 1, 50).Draw(t, "weights")
		for i := range weights {
			if rapid.Bool().Draw(t, "whole") {
				weights[i] = math.Trunc(weights[i])
			}
		}
		sum, scaled, capacities := int64(0), scaleWeights(weights), scaleCapacities(weights)
		for i, w := range scaled {
			sum += w
			if w < 0 || (w == 0) != (weights[i] == 0) || sum >= weighted.MaxWeight {
				t.Fatalf("%v become %v", weights, scaled)
			}
			if capacities != nil && (capacities[i] < 0 || capacities[i] >= 1<<20 || (capacities[i] == 0) != (weights[i] == 0)) {
				t.Fatalf("%v become %v", weights, capacities)
			}
			for k := range i {
				if (weights[k] < weights[i]) && scaled[k] > w {
					t.Fatalf("%v become %v", weights, scaled)
				}
			}
		}
	})
}
