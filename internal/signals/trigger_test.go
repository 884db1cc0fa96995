package signals

import (
	"math"
	"testing"
	"time"
)

// TestTrigger tries every second. In a script, m is a try by which something would move, M one by which something is meant to, a point one
// by which nothing would, and | an assignment; upper-case A in the answer is where a rebalance is asked for.
func TestTrigger(t *testing.T) {
	for _, c := range []struct {
		why      string
		holdDown time.Duration
		tries    string
		want     string
	}{
		{"twice in a row", time.Minute, "m.m.mm", ".....A"},
		{"at once if it is meant", time.Minute, "..M", "..A"},
		{"what is meant has to move something", time.Minute, "...", "..."},
		{"not again while it holds down", 5 * time.Second, "mmmmmmmm", ".A....A."},
		{"what is meant, neither", 5 * time.Second, "MMMMMMMM", "A....A.."},
		{"what ended meanwhile", 5 * time.Second, "mmmmm..mm", ".A......A"},
		{"no hold-down", 0, "mmmm", ".A.A"},
		{"never", -1, "mmMM", "...."},
		{"moves whatever is done", 2 * time.Second, "mmmmmmmmmmmmmmmmmm", ".A.A...A.......A.."},
		{"moves again, and not in between", 2 * time.Second, "mmmmm.mmmmmmmm", ".A.A...A.A...A"},
		{"another assignment", time.Minute, "m|mm", ".|.A"},
	} {
		trigger := Trigger{HoldDown: c.holdDown}
		var answers []byte
		now := Time(0)
		for _, x := range c.tries {
			if x == '|' {
				trigger.Settled()
				answers = append(answers, '|')
				continue
			}
			now += time.Second
			if trigger.Tried(now, x != '.', x == 'M') {
				answers = append(answers, 'A')
			} else {
				answers = append(answers, '.')
			}
		}
		if got := string(answers); got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.why, c.tries, got, c.want)
		}
	}
}

// TestTriggerDoublesNoTimeBeyondAll holds down for longer than can be doubled.
func TestTriggerDoublesNoTimeBeyondAll(t *testing.T) {
	trigger := Trigger{HoldDown: math.MaxInt64 / 3}
	now, asked := Time(0), 0
	for range 12 {
		for range 2 {
			if trigger.Tried(now, true, false) {
				asked++
			}
		}
		now += math.MaxInt64 / 12
	}
	if asked != 2 {
		t.Errorf("it asks %d times", asked)
	}
}
