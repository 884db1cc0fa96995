package page

import (
	"math"
	"slices"
	"testing"

	"github.com/assignkit/assignkit/strategy"
)

// A row of several partitions has the colour of who owns most of them; of several that own as many, of who has the one in the middle.
func TestMost(t *testing.T) {
	for _, x := range []struct {
		owners []int32
		owner  int32
		n      int64
	}{
		{[]int32{1, 2, 2, 0}, 2, 2},
		{[]int32{3, 1, 2, 0}, 2, 1},
		{[]int32{3, 3, 0, 2, 2}, 2, 2},
		{[]int32{Nobody, Nobody, 1}, Nobody, 2},
		{[]int32{Nobody, 1}, 1, 1},
		{[]int32{Gone, Gone}, Gone, 0},
		{[]int32{Gone, 1, Gone}, 1, 1},
	} {
		h := &history{columns: 1, owners: x.owners}
		list, tally := make([]int32, len(x.owners)), make([]int64, 4)
		for i := range list {
			list[i] = int32(i)
		}
		if owner, n := h.most(list, 0, tally); owner != x.owner || n != x.n || slices.Max(tally) > 0 {
			t.Errorf("%v: %d has %d; %v is left", x.owners, owner, n, tally)
		}
	}
}

// Many partitions lie with those of the same owners, members first.
func TestOrder(t *testing.T) {
	h := &history{columns: 2}
	want := [][2]int32{{0, 0}, {0, 1}, {0, Gone}, {1, 0}, {Nobody, 2}, {Gone, 0}, {Gone, Nobody}}
	for range fewPartitions {
		for i := range want {
			h.owners = append(h.owners, want[len(want)-1-i][:]...)
		}
	}
	order := h.order(len(h.owners) / 2)
	for i, p := range order {
		if got := h.ofPartition(p); !slices.Equal(got, want[i/fewPartitions][:]) {
			t.Fatalf("at %d: %v, not %v", i, got, want[i/fewPartitions])
		}
	}
	h.columns = 1
	if few := h.order(fewPartitions); !slices.IsSorted(few) {
		t.Errorf("few are not in the order of topics: %v", few)
	}
}

// Moves of several steps are summed up, and evenness is the worst of them.
func TestColumns(t *testing.T) {
	step := func(moves int, skew, low float64) Step {
		return Step{Rounds: 1, Metrics: strategy.Metrics{Members: moves, Voluntary: moves, Excess: 1, Forced: 2, Skew: skew, Max: skew, Min: low, Regret: skew}}
	}
	c := &Case{Events: []string{"start", "one", "two"}, Optimum: []float64{math.NaN(), 7, 8}}
	s := &Series{Steps: []Step{step(5, 1, 3), step(6, 9, 2), step(7, 4, 4)}}
	got := columnsOf(c, s, []int{0, 1, 3})
	if m := got[1].metrics; len(got) != 2 || got[1].name() != "steps 1 to 2" || got[1].event != "two" || m.Members != 7 || m.Voluntary != 13 || m.Excess != 2 || m.Forced != 4 ||
		m.Skew != 9 || m.Max != 9 || m.Min != 2 || m.Regret != 9 || got[1].optimum != 7 || got[1].rounds != 2 {
		t.Errorf("%+v", got)
	}
	if got[0].name() != "step 0" || got[0].metrics.Voluntary != 5 || !math.IsNaN(got[0].optimum) {
		t.Errorf("%+v", got[0])
	}
}

func TestLoadClass(t *testing.T) {
	for _, x := range []struct {
		load Load
		want string
	}{{Load{Load: 0}, "l0"}, {Load{Load: 0.01}, "l1"}, {Load{Load: 5}, "l4"}, {Load{Load: 10}, "l8"}, {Load{Load: 10, Draining: true}, "ld"}} {
		if got := loadClass(&x.load, 10); got != x.want {
			t.Errorf("%+v: %s", x.load, got)
		}
	}
}
