// Package sample has some of each kind of what is mutated.
package sample

type Pair struct {
	Low, High int32
	Swapped   bool
}

// Order is tested well, but for what it does with equals.
func Order(a, b int32) Pair {
	if a > b {
		return Pair{Low: b, High: a, Swapped: true}
	}
	return Pair{Low: a, High: b}
}

// Sum is tested with one list.
func Sum(list []int, most int) (sum int) {
	for i, n := range list {
		if n == 0 {
			continue
		}
		if i >= most && most > 0 {
			break
		}
		sum += max(n, -1)
		sum -= 0
	}
	return sum
}

// Kind is tested but for what it is called by.
func Kind(n int, calls *int) string {
	*calls++
	switch {
	case n < 0:
		return "negative"
	case n%2 == 0:
		return "even"
	}
	return "odd"
}

// Unused is not tested at all.
func Unused(done func()) error {
	defer done()
	return nil
}

// Endless does not end without its count.
func Endless(n int) {
	for n > 0 {
		n--
	}
}
