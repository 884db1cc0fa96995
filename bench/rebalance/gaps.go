package main

import (
	"slices"
	"time"
)

// A window is the time in which something happened to a group.
type window struct{ from, to time.Time }

// A silence is the longest time in a window in which nothing of a partition was delivered.
type silence struct {
	longest time.Duration
	moved   bool   // more than one member had it
	from    string // the member that it moved away from, the first of them
}

// byPartition returns the deliveries of each partition, in order of time.
func byPartition(deliveries []delivery, partitions int32) [][]delivery {
	lists := make([][]delivery, partitions)
	for _, d := range deliveries {
		lists[d.partition] = append(lists[d.partition], d)
	}
	for _, list := range lists {
		slices.SortStableFunc(list, func(a, b delivery) int { return a.at.Compare(b.at) })
	}
	return lists
}

// silences returns one for each partition. A time without a delivery may begin before the window: it counts from the last delivery then.
func silences(lists [][]delivery, w window) []silence {
	result := make([]silence, len(lists))
	for p, list := range lists {
		result[p] = silenceOf(list, w)
	}
	return result
}

// silenceOf is that of one partition.
func silenceOf(list []delivery, w window) silence {
	var s silence
	last, owner := w.from, ""
	for _, d := range list {
		if d.at.After(w.to) {
			break
		}
		if d.at.After(w.from) {
			s.longest = max(s.longest, d.at.Sub(last))
			if !s.moved && owner != "" && owner != d.member {
				s.moved, s.from = true, owner
			}
		}
		last, owner = d.at, d.member
	}
	s.longest = max(s.longest, w.to.Sub(last))
	return s
}

// longest is the longest of them.
func longest(list []silence) time.Duration {
	var most time.Duration
	for _, s := range list {
		most = max(most, s.longest)
	}
	return most
}

// beyond adds up, for one partition, by how much each time without a delivery is longer than usual. Only what is in the window counts, so
// that windows can be added up.
func beyond(list []delivery, w window, usual time.Duration) time.Duration {
	var total time.Duration
	last := w.from
	for _, d := range list {
		if d.at.After(w.to) {
			break
		}
		if d.at.After(w.from) {
			total += max(0, d.at.Sub(last)-usual)
			last = d.at
		}
	}
	return total + max(0, w.to.Sub(last)-usual)
}

// repeated counts deliveries of records that had been delivered before, to whomever.
func repeated(deliveries []delivery) int {
	return len(deliveries) - distinct(deliveries)
}

// lost counts records that were never delivered. Of each partition, produced are those from 0 on.
func lost(deliveries []delivery, produced []int64) int {
	total := 0
	for _, n := range produced {
		total += int(n)
	}
	return total - distinct(deliveries)
}

// distinct counts the records among deliveries.
func distinct(deliveries []delivery) int {
	type record struct {
		partition int32
		offset    int64
	}
	seen := make(map[record]bool, len(deliveries))
	for _, d := range deliveries {
		seen[record{d.partition, d.offset}] = true
	}
	return len(seen)
}
