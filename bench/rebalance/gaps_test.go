package main

import (
	"slices"
	"testing"
	"time"
)

// at is a delivery some milliseconds after the beginning of time.
func at(ms int, member string, partition int32, offset int64) delivery {
	return delivery{time.UnixMilli(int64(ms)), member, partition, offset}
}

func TestSilences(t *testing.T) {
	w := window{time.UnixMilli(100), time.UnixMilli(200)}
	for _, test := range []struct {
		name       string
		deliveries []delivery
		want       silence
	}{
		{"nothing", nil, silence{longest: 100 * time.Millisecond}},
		{"only before", []delivery{at(90, "a", 0, 1)}, silence{longest: 110 * time.Millisecond}},
		{"begins before the window", []delivery{at(60, "a", 0, 1), at(130, "a", 0, 2), at(190, "a", 0, 3)}, silence{longest: 70 * time.Millisecond}},
		{"at the end", []delivery{at(95, "a", 0, 1), at(110, "a", 0, 2)}, silence{longest: 90 * time.Millisecond}},
		{"in between, told late", []delivery{at(150, "a", 0, 2), at(95, "a", 0, 1), at(195, "a", 0, 3), at(900, "a", 0, 4)}, silence{longest: 55 * time.Millisecond}},
		{"moved", []delivery{at(95, "a", 0, 1), at(150, "b", 0, 2), at(195, "b", 0, 3)}, silence{55 * time.Millisecond, true, "a"}},
		{"moved twice", []delivery{at(95, "a", 0, 1), at(120, "b", 0, 2), at(195, "a", 0, 3)}, silence{75 * time.Millisecond, true, "a"}},
		{"moved before", []delivery{at(50, "b", 0, 0), at(95, "a", 0, 1), at(150, "a", 0, 2), at(195, "a", 0, 3)}, silence{longest: 55 * time.Millisecond}},
		{"moved after", []delivery{at(95, "a", 0, 1), at(150, "a", 0, 2), at(195, "a", 0, 3), at(201, "b", 0, 4)}, silence{longest: 55 * time.Millisecond}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := silences(byPartition(test.deliveries, 1), w)[0]; got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
	both := silences(byPartition([]delivery{at(150, "a", 1, 1), at(120, "a", 0, 1), at(199, "b", 1, 2)}, 2), w)
	if want := []silence{{longest: 80 * time.Millisecond}, {50 * time.Millisecond, true, "a"}}; !slices.Equal(both, want) || longest(both) != 80*time.Millisecond {
		t.Errorf("of two partitions: %v, want %v", both, want)
	}
}

// Of a time without a delivery, what is in the window counts, and of that what is longer than usual.
func TestBeyond(t *testing.T) {
	w := window{time.UnixMilli(100), time.UnixMilli(200)}
	for _, test := range []struct {
		name       string
		deliveries []delivery
		want       int
	}{
		{"nothing", nil, 90},
		{"as usual", []delivery{at(99, "a", 0, 1), at(110, "a", 0, 2), at(120, "a", 0, 3), at(130, "a", 0, 4), at(140, "a", 0, 5), at(150, "a", 0, 6),
			at(160, "a", 0, 7), at(170, "a", 0, 8), at(180, "a", 0, 9), at(190, "a", 0, 10)}, 0},
		{"twice, and at the end", []delivery{at(95, "a", 0, 1), at(130, "b", 0, 2), at(135, "b", 0, 3), at(160, "a", 0, 4)}, 20 + 15 + 30},
		{"from before to after", []delivery{at(50, "a", 0, 1), at(250, "a", 0, 2)}, 90},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := beyond(test.deliveries, w, 10*time.Millisecond); got != time.Duration(test.want)*time.Millisecond {
				t.Errorf("got %v, want %d ms", got, test.want)
			}
		})
	}
	// Two windows, one behind the other, have as much as both together, but for what is usual.
	list := []delivery{at(120, "a", 0, 1), at(280, "a", 0, 2)}
	next := window{w.to, time.UnixMilli(300)}
	if got := beyond(list, w, 0) + beyond(list, next, 0); got != beyond(list, window{w.from, next.to}, 0) {
		t.Errorf("two windows have %v", got)
	}
}

func TestRepeatedAndLost(t *testing.T) {
	list := []delivery{at(1, "a", 0, 0), at(2, "a", 1, 0), at(3, "b", 0, 0), at(4, "b", 0, 1), at(5, "b", 0, 1), at(6, "a", 1, 2)}
	if got := repeated(list); got != 2 {
		t.Errorf("%d were repeated, want 2", got)
	}
	if got := lost(list, []int64{2, 3}); got != 1 {
		t.Errorf("%d were lost, want 1", got)
	}
}
