package histories

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/membership"
)

// A draw makes choices from a seed.
type draw struct {
	rng    *rand.Rand
	strict bool
	names  int
	offers [][]string // that processes may have
	two    bool       // there are two topics
	plain  bool       // nobody takes part in hand-overs
	racks  bool       // some processes have racks
}

func newDraw(seed uint64, strict bool) *draw {
	return &draw{rng: rand.New(rand.NewPCG(seed, 2)), strict: strict}
}

func (d *draw) below(n int) int { return d.rng.IntN(n) }

func (d *draw) one(of ...string) string { return of[d.below(len(of))] }

// pools are what the processes of one history may offer: all the same, or different assignors of which they have one in common.
var pools = [][][]string{
	{nil}, {nil}, {nil}, {nil}, {{"range"}}, {{"sticky"}}, {{"cooperative-sticky", "range"}}, {{"cooperative-range"}}, {{"own-sticky"}},
	{nil, {"cooperative-sticky", "range"}},
	{nil, {"sticky", "cooperative-sticky"}},
	{{"range"}, {"cooperative-sticky", "range"}},
	{nil, {"cooperative-range", "cooperative-sticky"}},
}

// eager says whether some process may run eager. It cannot join while a callback runs, so callbacks must not be slower than the group's
// patience, or the group would never settle.
func (d *draw) eager() bool {
	return slices.ContainsFunc(d.offers, func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return !strings.HasPrefix(name, "cooperative-") })
	})
}

// spec draws a process. A strict history's callbacks are never slower than the group's patience.
func (d *draw) spec() Spec {
	d.names++
	s := Spec{Name: fmt.Sprintf("m%d", d.names), Offers: d.offers[d.below(len(d.offers))], Seed: d.rng.Uint64(), Callback: time.Duration(1+d.below(50)) * time.Millisecond}
	if d.below(3) == 0 {
		s.Instance = "i" + s.Name
	}
	if d.below(3) == 0 {
		most := 6000
		if d.strict || d.eager() {
			most = 1500
		}
		s.Slow = map[membership.Kind]time.Duration{membership.Kind(1 + d.below(3)): time.Duration(d.below(most)) * time.Millisecond}
	}
	if d.below(4) == 0 {
		s.Looks = time.Duration(500+d.below(4000)) * time.Millisecond
	}
	if d.two && d.below(4) == 0 {
		s.Topics = []string{d.one("t", "u")}
	}
	if d.racks {
		s.Rack = d.one("", "a", "b")
	}
	s.HandOver = !d.plain && d.below(6) > 0
	if d.below(6) == 0 {
		s.Plan = time.Duration(d.below(300)) * time.Millisecond
	}
	if !d.strict {
		d.odd(&s)
	}
	return s
}

// odd draws what a process does wrong.
func (d *draw) odd(s *Spec) {
	switch d.below(40) {
	case 0:
		s.FailAssign = true
	case 1:
		s.FailPlan = true
	case 2:
		s.Garbage = true
	case 3, 4, 5:
		s.Plan = time.Duration(d.below(5500)) * time.Millisecond
	}
}

// trouble draws a command that changes something, or a fault.
func (d *draw) trouble() string {
	some := fmt.Sprintf("#%d", d.below(100))
	kinds := 24
	if d.strict {
		kinds = 11
	}
	switch d.below(kinds) {
	case 0, 1, 2:
		return "member " + d.spec().String()
	case 3:
		return "leave " + some + d.one("", " promptly")
	case 4:
		return "leave " + some
	case 5:
		return fmt.Sprintf("grow t %d", 1+d.below(3))
	case 6:
		return "rejoin " + some
	case 7:
		return "leave " + some + " for good"
	case 8:
		return "deploy " + some
	case 9:
		return "drain " + some
	case 10:
		if !d.two {
			return "grow t 1"
		}
		return "subscribe " + some + " " + d.one("t", "u", "t u")
	}
	return d.fault(some)
}

// fault draws one.
func (d *draw) fault(some string) string {
	switch d.below(13) {
	case 0:
		return "kill " + some
	case 1:
		return fmt.Sprintf("restart %s %dms", some, d.below(2000))
	case 2:
		return fmt.Sprintf("pause %s %dms", some, d.below(9000))
	case 3:
		return "break " + some + " group"
	case 4, 5:
		return "break " + some + " offsets"
	case 6:
		return "lose " + some + " " + d.one("Join", "Sync", "Heartbeat", "Commit", "Leave")
	case 7:
		return "kill coordinator"
	case 8:
		return fmt.Sprintf("cut %s %dms", some, d.below(20000))
	case 9:
		return fmt.Sprintf("depose coordinator %dms", d.below(8000))
	case 10:
		return d.onTopic()
	case 11:
		if d.below(4) == 0 {
			return "move coordinator"
		}
	}
	return "kill coordinator in " + d.one("empty", "preparing", "completing", "stable")
}

// onTopic draws the end of a topic, or that there is one again.
func (d *draw) onTopic() string {
	name := "t"
	if d.two {
		name = d.one("t", "u")
	}
	switch d.below(6) {
	case 0, 1:
		return "delete " + name
	case 2:
		return "delete group"
	case 3:
		return fmt.Sprintf("recreate %s %d", name, 1+d.below(9))
	}
	return fmt.Sprintf("topic %s %d", name, 1+d.below(9))
}

// lateCommit draws a commit that its broker holds while its connection breaks and the member goes on.
func (d *draw) lateCommit() []string {
	list := []string{"hold m1 Commit", "run 400ms", "break m1 offsets", fmt.Sprintf("run %dms", d.below(1200)), "unblock"}
	if d.below(2) == 0 {
		list = slices.Insert(list, 4, "idle")
	}
	return list
}

// upgrade draws how all processes go over to other offers one after another, in two rounds: first those that have the old and the new ones
// in common, then the new ones alone; and perhaps back.
func (d *draw) upgrade(names int) (commands []string) {
	old := d.one("sticky", "range")
	d.offers = [][]string{{old}}
	bounces := []string{"cooperative-sticky," + old, "cooperative-sticky"}
	if d.below(2) == 0 {
		bounces = append(bounces, "cooperative-sticky,"+old, old)
	}
	for _, offers := range bounces {
		for i := range names {
			commands = append(commands, fmt.Sprintf("deploy m%d %s", i+1, offers), fmt.Sprintf("run %dms", 500+d.below(3000)))
			if !d.strict && d.below(6) == 0 {
				commands = append(commands, d.fault(fmt.Sprintf("#%d", d.below(100))))
			}
		}
		commands = append(commands, "run 6s") // so that none is left with what it had before
	}
	return commands
}
