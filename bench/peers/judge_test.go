package main

import (
	"strings"
	"testing"
	"time"
)

// results makes a table of ours and one peer.
func results(c Case, our Result, peer Result) table {
	our.Library, our.Assignor, our.Calls = ours, "sticky", 1
	peer.Library, peer.Assignor, peer.Calls = speedPeer, "sticky", 1
	return table{Case: c, Results: []Result{our, peer}}
}

func TestSpeedTargets(t *testing.T) {
	valid := func(d time.Duration) Result { return Result{Status: Valid, Took: d} }
	for name, c := range map[string]struct {
		table   table
		outcome string
		detail  string
	}{
		"fast enough": {results(halfJoin, valid(time.Millisecond), valid(10*time.Millisecond)), outcomeReached,
			"10 × (10.0 ms, ours 1.0 ms)"},
		"too slow":      {results(halfJoin, valid(time.Millisecond), valid(9*time.Millisecond)), outcomeMissed, "9 × "},
		"peer is late":  {results(halfJoin, valid(time.Millisecond), Result{Status: Late}), outcomeReached, "20000 × (> 20.0 s"},
		"peer is wrong": {results(halfJoin, valid(time.Millisecond), Result{Status: Invalid, Took: time.Hour}), outcomeMissed, "nothing to compare with, franz-go/sticky is invalid"},
		"ours is wrong": {results(halfJoin, Result{Status: Invalid, Took: 1, Detail: "once"}, valid(time.Hour)), outcomeMissed, "ours is invalid: once"},
		"other case":    {results(tiny, valid(1), valid(1)), outcomeUnknown, "not in this run"},
		"no peer":       {table{Case: halfJoin, Results: []Result{{Library: ours, Assignor: "sticky", Status: Valid, Took: 1}}}, outcomeUnknown, "not asked"},
	} {
		got := judge(&report{Limits: limits{Time: 20 * time.Second}, Tables: []table{c.table}})
		if v := got[3]; v.Outcome != c.outcome || !strings.Contains(v.Detail, c.detail) {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestQualityTarget(t *testing.T) {
	of := func(s Status, regret float64, moves int) Result {
		return Result{Status: s, Best: Quality{regret, moves}, Worst: Quality{regret, moves}}
	}
	for name, c := range map[string]struct {
		our, peer Result
		outcome   string
	}{
		"the same":            {of(Valid, 0, 3), of(Valid, 0, 3), outcomeReached},
		"uneven, fewer moves": {of(Valid, 0, 3), of(Valid, 2, 0), outcomeReached},
		"more even":           {of(Valid, 2, 0), of(Valid, 0, 3), outcomeMissed},
		"fewer moves":         {of(Valid, 0, 3), of(Valid, 0, 2), outcomeMissed},
		"wrong":               {of(Valid, 0, 3), of(Invalid, 0, 2), outcomeUnknown},
		"ours is wrong":       {of(Invalid, 0, 0), of(Valid, 0, 2), outcomeMissed},
	} {
		if v := better(&report{Tables: []table{results(tiny, c.our, c.peer)}}); v.Outcome != c.outcome {
			t.Errorf("%s: %+v", name, v)
		}
	}
}
