package rules

import "math"

// The solver counts in whole numbers: weights below 2^53 in sum, capacities below 2^20. Whole numbers that fit are taken as they
// are. Others are multiplied by a power of two, which is exact, and rounded; what is more than nothing stays more than nothing.
const (
	weightBits   = 45
	capacityBits = 20
)

// scaleWeights returns whole weights. Equal ones stay equal, which the solver sees.
func scaleWeights(weights []float64) []int64 {
	whole, sum := true, 0.0
	for _, w := range weights {
		whole = whole && w == math.Trunc(w)
		sum += w
	}
	shift := 0
	if !whole || sum >= 1<<weightBits {
		_, exponent := math.Frexp(sum)
		shift = weightBits - exponent
	}
	scaled := make([]int64, len(weights))
	for i, w := range weights {
		scaled[i] = int64(scale(w, shift))
	}
	return scaled
}

// scaleCapacities returns whole capacities, nil if all are 1.
func scaleCapacities(capacities []float64) []int32 {
	ones, whole, most := true, true, 0.0
	for _, c := range capacities {
		ones = ones && c == 1
		whole = whole && c == math.Trunc(c)
		most = max(most, c)
	}
	if ones {
		return nil
	}
	shift := 0
	if !whole || most >= 1<<capacityBits {
		_, exponent := math.Frexp(most)
		shift = capacityBits - 1 - exponent
	}
	scaled := make([]int32, len(capacities))
	for i, c := range capacities {
		scaled[i] = int32(scale(c, shift))
	}
	return scaled
}

func scale(x float64, shift int) float64 {
	if x <= 0 {
		return 0
	}
	return max(1, math.Round(math.Ldexp(x, shift)))
}
