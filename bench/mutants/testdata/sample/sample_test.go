package sample

import "testing"

func TestOrder(t *testing.T) {
	if got := Order(2, 1); got != (Pair{1, 2, true}) {
		t.Error(got)
	}
	if got := Order(1, 2); got != (Pair{1, 2, false}) {
		t.Error(got)
	}
}

func TestSum(t *testing.T) {
	if got := Sum([]int{4, 0, -5, 1}, 3); got != 3 {
		t.Error(got)
	}
}

func TestKind(t *testing.T) {
	var calls int
	if Kind(-1, &calls) != "negative" || Kind(4, &calls) != "even" || Kind(3, &calls) != "odd" {
		t.Error("wrong")
	}
}

func TestEndless(*testing.T) { Endless(3) }
