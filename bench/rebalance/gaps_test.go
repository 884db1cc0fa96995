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
		{"nothing", nil, silence{100 * time.Millisecond, false}},
		{"only before", []delivery{at(90, "a", 0, 1)}, silence{110 * time.Millisecond, false}},
		{"begins before the window", []delivery{at(60, "a", 0, 1), at(130, "a", 0, 2), at(190, "a", 0, 3)}, silence{70 * time.Millisecond, false}},
		{"at the end", []delivery{at(95, "a", 0, 1), at(110, "a", 0, 2)}, silence{90 * time.Millisecond, false}},
		{"in between, told late", []delivery{at(150, "a", 0, 2), at(95, "a", 0, 1), at(195, "a", 0, 3), at(900, "a", 0, 4)}, silence{55 * time.Millisecond, false}},
		{"moved", []delivery{at(95, "a", 0, 1), at(150, "b", 0, 2), at(195, "b", 0, 3)}, silence{55 * time.Millisecond, true}},
		{"moved twice", []delivery{at(95, "a", 0, 1), at(120, "b", 0, 2), at(195, "a", 0, 3)}, silence{75 * time.Millisecond, true}},
		{"moved before", []delivery{at(50, "b", 0, 0), at(95, "a", 0, 1), at(150, "a", 0, 2), at(195, "a", 0, 3)}, silence{55 * time.Millisecond, false}},
		{"moved after", []delivery{at(95, "a", 0, 1), at(150, "a", 0, 2), at(195, "a", 0, 3), at(201, "b", 0, 4)}, silence{55 * time.Millisecond, false}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := silences(test.deliveries, w, 1)[0]; got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
	both := silences([]delivery{at(150, "a", 1, 1), at(120, "a", 0, 1), at(199, "b", 1, 2)}, w, 2)
	if want := []silence{{80 * time.Millisecond, false}, {50 * time.Millisecond, true}}; !slices.Equal(both, want) || longest(both) != 80*time.Millisecond {
		t.Errorf("of two partitions: %v, want %v", both, want)
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
