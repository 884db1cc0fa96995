package main

import (
	"fmt"
	"slices"
)

// speedTargets say how much faster our sticky is to be than franz-go's, eager compared with eager and cooperative with cooperative.
var speedTargets = []struct {
	on    Case
	times float64
}{
	{large, 50},
	{halfJoin, 10},
	{nestedMany, 300},
}

// speedPeer is the library that speed is measured against, and speedAssignors are those of its assignors that ours have a match for.
const speedPeer = "franz-go"

var speedAssignors = []string{"cooperative-sticky", "sticky"}

// Outcomes of a target.
const (
	outcomeReached = "reached"
	outcomeMissed  = "missed"
	outcomeUnknown = "not measured"
)

// A verdict says what became of a target.
type verdict struct {
	Target  string `json:"target"`
	Outcome string `json:"outcome"`
	Detail  string `json:"detail"`
}

// judge compares the tables with all targets.
func judge(r *report) []verdict {
	var list []verdict
	for _, target := range speedTargets {
		for _, assignor := range speedAssignors {
			v := verdict{Target: fmt.Sprintf("%s: at least %.0f × as fast as %s's %s", describe(target.on), target.times, speedPeer, assignor)}
			i := slices.IndexFunc(r.Tables, func(t table) bool { return t.Case == target.on })
			if i < 0 {
				v.Outcome, v.Detail = outcomeUnknown, "not in this run"
			} else {
				v.Outcome, v.Detail = faster(&r.Tables[i], assignor, target.times, r.Limits)
			}
			list = append(list, v)
		}
	}
	for _, library := range gridLibraries {
		list = append(list, gridVerdict(r, library))
	}
	return append(list, better(r))
}

// result finds a result, nil if the peer was not asked.
func (t *table) result(library, assignor string) *Result {
	for i := range t.Results {
		if r := &t.Results[i]; r.Library == library && r.Assignor == assignor {
			return r
		}
	}
	return nil
}

// faster compares ours with the peer that speed is measured against. If that was ended for being late it counts with the time that it
// had: it would have taken longer.
func faster(t *table, assignor string, times float64, l limits) (outcome, detail string) {
	our, peer := t.result(ours, assignor), t.result(speedPeer, assignor)
	if our == nil || peer == nil {
		return outcomeUnknown, "not asked"
	}
	if our.Status != Valid || our.Took <= 0 {
		return outcomeMissed, fmt.Sprintf("ours is %s: %s", our.Status, our.Detail)
	}
	took := peer.Took
	switch peer.Status {
	case Valid:
	case Late:
		took = l.Time
	default:
		return outcomeMissed, fmt.Sprintf("nothing to compare with, %s is %s: %s", peer, peer.Status, peer.Detail)
	}
	ratio := float64(took) / float64(our.Took)
	detail = fmt.Sprintf("%s × (%s, ours %s)", number(ratio), timeOf(peer, l), duration(our.Took))
	if ratio < times {
		return outcomeMissed, detail
	}
	return outcomeReached, detail
}

// better looks for an answer that is better than any of ours.
func better(r *report) verdict {
	v := verdict{
		Target:  "on every group, no valid answer of a peer is more even than ours, or as even with fewer moves",
		Outcome: outcomeReached,
	}
	compared := 0
	for i := range r.Tables {
		t := &r.Tables[i]
		our := Quality{}
		for _, o := range t.Results {
			if o.Library != ours {
				continue
			}
			if o.Status != Valid {
				v.Outcome, v.Detail = outcomeMissed, fmt.Sprintf("%s: %s is %s: %s", describe(t.Case), o, o.Status, o.Detail)
				return v
			}
			if o.Worst.compare(our) > 0 {
				our = o.Worst
			}
		}
		for _, peer := range t.Results {
			if peer.Library == ours || peer.Status != Valid {
				continue
			}
			compared++
			if peer.Best.compare(our) < 0 {
				v.Outcome, v.Detail = outcomeMissed, fmt.Sprintf("%s: %s has %v, ours %v", describe(t.Case), peer, peer.Best, our)
				return v
			}
		}
	}
	v.Detail = fmt.Sprintf("%d valid results of peers on %d groups", compared, len(r.Tables))
	if compared == 0 {
		v.Outcome = outcomeUnknown
	}
	return v
}
