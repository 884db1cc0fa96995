package main

import (
	"math"
	"slices"
	"testing"
	"time"
)

// ticks are deliveries each 10 ms from one time to another.
func ticks(member string, partition int32, from, to int) []delivery {
	var list []delivery
	for ms := from; ms <= to; ms += 10 {
		list = append(list, at(ms, member, partition, int64(ms)))
	}
	return list
}

func TestRunAddsWindows(t *testing.T) {
	members := byPartition(slices.Concat(
		ticks("a", 0, 0, 1000),
		ticks("a", 1, 0, 300), ticks("b", 1, 350, 1000),
		ticks("slow", 2, 0, 300), ticks("b", 2, 600, 1000),
		ticks("a", 3, 0, 650), ticks("a", 3, 700, 1000),
	), 4)
	var control [][]delivery
	for p := range int32(4) {
		control = append(control, slices.Concat(ticks("", p, 0, 700), ticks("", p, 720, 1000)))
	}
	var r Run
	r.add(window{time.UnixMilli(105), time.UnixMilli(605)}, members, control, roles{apart: []string{"slow"}})
	r.add(window{time.UnixMilli(605), time.UnixMilli(995)}, members, control, roles{apart: []string{"slow"}})
	for _, list := range []struct {
		name      string
		got, want []float64
	}{
		{"kept", r.Kept, []float64{10, 10, 10, 10, 10, 50}},
		{"moved", r.Moved, []float64{50}},
		{"apart", r.Apart, []float64{300}},
		{"control", r.Control, []float64{10, 20}},
	} {
		if !slices.Equal(list.got, list.want) {
			t.Errorf("%s: %v, want %v", list.name, list.got, list.want)
		}
	}
	if r.Excess != 30 || r.MovedExcess != 40 {
		t.Errorf("%v and %v ms above control, want 30 and 40", r.Excess, r.MovedExcess)
	}
	if math.Abs(r.Ownerless-0.36) > 1e-9 { // 40, 290 and 30 ms
		t.Errorf("%v partition-seconds without an owner, want 0.36", r.Ownerless)
	}
	r = Run{}
	r.add(window{time.UnixMilli(105), time.UnixMilli(605)}, members, control, roles{waits: true})
	if !slices.Equal(r.Waiting, []float64{10}) || !slices.Equal(r.Moved, []float64{50, 300}) {
		t.Errorf("with one that waits: %+v", r)
	}
}
