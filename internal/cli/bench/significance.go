package bench

import (
	"cmp"
	"math"
	"slices"
)

// alpha is what a probability has to be below for a difference of times to count, as in benchstat.
const alpha = 0.05

// mannWhitney returns the probability that two samples lie apart as far as a and b, or further, if both are of one distribution: the
// two-sided test of Mann, Whitney and Wilcoxon. It assumes nothing about the distribution, and counts equal values with their mean rank.
//
// Of small samples it counts all ways to divide the values, so it is exact, with ties as well; of large ones it takes the normal
// distribution.
func mannWhitney(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 1
	}
	ranks, sum := doubledRanks(a, b)
	if len(ranks) > 50 {
		return normalTail(ranks, sum, len(a))
	}
	return exactTail(ranks, sum, len(a))
}

// doubledRanks are twice the ranks of all values, whole numbers where ties share the mean, and their sum over those of a.
func doubledRanks(a, b []float64) (ranks []int, sum int) {
	type value struct {
		x   float64
		ofA bool
	}
	values := make([]value, 0, len(a)+len(b))
	for _, x := range a {
		values = append(values, value{x, true})
	}
	for _, x := range b {
		values = append(values, value{x, false})
	}
	slices.SortFunc(values, func(v, w value) int { return cmp.Compare(v.x, w.x) })
	for from := 0; from < len(values); {
		to := from + 1
		for to < len(values) && values[to].x == values[from].x {
			to++
		}
		for _, v := range values[from:to] {
			rank := from + 1 + to // twice the mean of from+1 to to
			ranks = append(ranks, rank)
			if v.ofA {
				sum += rank
			}
		}
		from = to
	}
	return ranks, sum
}

// exactTail counts the ways to choose n of the ranks by the sum that they have, and returns the share of those that are as far from the mean.
func exactTail(ranks []int, sum, n int) float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	ways := make([][]float64, n+1) // by how many are chosen, and their sum
	for k := range ways {
		ways[k] = make([]float64, total+1)
	}
	ways[0][0] = 1
	for _, r := range ranks {
		for k := n; k > 0; k-- {
			for s := total; s >= r; s-- {
				ways[k][s] += ways[k-1][s-r]
			}
		}
	}
	// Twice the distance from the mean, total*n/len, in whole numbers.
	distance := func(s int) int { return max(s*len(ranks)-total*n, total*n-s*len(ranks)) }
	all, apart := 0.0, 0.0
	for s, w := range ways[n] {
		all += w
		if distance(s) >= distance(sum) {
			apart += w
		}
	}
	return apart / all
}

// normalTail approximates the same, with the variance that ties leave.
func normalTail(ranks []int, sum, n int) float64 {
	count := float64(len(ranks))
	mean, squares := 0.0, 0.0
	for _, r := range ranks {
		mean += float64(r) / count
	}
	for _, r := range ranks {
		squares += (float64(r) - mean) * (float64(r) - mean)
	}
	m := count - float64(n)
	variance := float64(n) * m / (count * (count - 1)) * squares
	if variance == 0 {
		return 1
	}
	z := math.Max(0, math.Abs(float64(sum)-mean*float64(n))-1) / math.Sqrt(variance) // less half a rank, as sums are whole numbers
	return math.Erfc(z / math.Sqrt2)
}
