package signals

import "time"

// A Trigger decides when what was measured is worth a rebalance. Its zero value does at the first chance, and HoldDown later again.
type Trigger struct {
	HoldDown time.Duration // the least time between two rebalances that were asked for; negative: none is asked for

	asked   bool
	last    Time
	showing int
}

// Tried takes whether the assignor would move anything by what was just measured, and returns whether to ask for a rebalance. That is so when
// it would for the second time in a row, as numbers have their ups and downs; or at once, if the change is one that is meant. No time is
// lost by that while the group holds down: what shows then all along is asked for when that is over.
func (t *Trigger) Tried(now Time, moves, meant bool) bool {
	if !moves {
		t.showing = 0
		return false
	}
	if t.showing = min(t.showing+1, 2); t.showing < 2 && !meant {
		return false
	}
	if t.HoldDown < 0 || t.asked && now-t.last < t.HoldDown {
		return false
	}
	t.asked, t.last, t.showing = true, now, 0
	return true
}

// Settled says that the group has been assigned anew: what showed before was about another assignment.
func (t *Trigger) Settled() { t.showing = 0 }
