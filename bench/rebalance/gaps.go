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
	moved   bool // more than one member had it
}

// silences returns one for each partition. A time without a delivery may begin before the window: it counts from the last delivery then.
func silences(deliveries []delivery, w window, partitions int32) []silence {
	list := make([][]delivery, partitions)
	for _, d := range deliveries {
		list[d.partition] = append(list[d.partition], d)
	}
	result := make([]silence, partitions)
	for p := range list {
		slices.SortStableFunc(list[p], func(a, b delivery) int { return a.at.Compare(b.at) })
		result[p] = silenceOf(list[p], w)
	}
	return result
}

// silenceOf is that of one partition, whose deliveries are in order of time.
func silenceOf(list []delivery, w window) silence {
	var s silence
	last, owner := w.from, ""
	for _, d := range list {
		if d.at.After(w.to) {
			break
		}
		if d.at.After(w.from) {
			s.longest = max(s.longest, d.at.Sub(last))
			s.moved = s.moved || owner != "" && owner != d.member
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
