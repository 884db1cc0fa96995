package signals

import (
	"math"
	"time"
)

// A Trigger decides when what was measured is worth a rebalance. Its zero value does at the first chance, and HoldDown later again.
//
// An assignor that moves something at each try, whatever was done about it, would have its group rebalance for ever. So after each rebalance
// it holds down for twice as long, until a try shows that nothing is to be moved.
type Trigger struct {
	HoldDown time.Duration // the least time between two rebalances that were asked for; negative: none is asked for

	asked   bool
	last    Time
	showing int
	vain    int // rebalances that were asked for since a try showed nothing
}

// mostVain bounds how often the time is doubled: from five minutes to five hours.
const mostVain = 6

// Tried takes whether the assignor would move anything by what was just measured, and returns whether to ask for a rebalance. That is so when
// it would for the second time in a row, as numbers have their ups and downs; or at once, if the change is one that is meant. No time is
// lost by that while the group holds down: what shows then all along is asked for when that is over.
func (t *Trigger) Tried(now Time, moves, meant bool) bool {
	if !moves {
		t.showing, t.vain = 0, 0
		return false
	}
	if t.showing = min(t.showing+1, 2); t.showing < 2 && !meant {
		return false
	}
	if t.HoldDown < 0 || t.asked && now-t.last < t.wait() {
		return false
	}
	t.asked, t.last, t.showing, t.vain = true, now, 0, min(t.vain+1, mostVain+1)
	return true
}

// Settled says that the group has been assigned anew: what showed before was about another assignment.
func (t *Trigger) Settled() { t.showing = 0 }

// wait is the least time until the next rebalance.
func (t *Trigger) wait() time.Duration {
	times := max(0, t.vain-1)
	if wait := t.HoldDown << times; wait>>times == t.HoldDown {
		return wait
	}
	return math.MaxInt64
}
