package histories

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/assignkit/assignkit/internal/membership"
)

// A draw makes choices from a seed.
type draw struct {
	rng    *rand.Rand
	names  int
	offers []string
}

func newDraw(seed uint64) *draw { return &draw{rng: rand.New(rand.NewPCG(seed, 2))} }

func (d *draw) below(n int) int { return d.rng.IntN(n) }

// spec draws a process. A strict history's callbacks are never slower than the group's patience, nor are those of eager
// members, which cannot join while one runs: their group would never settle.
func (d *draw) spec(strict bool) Spec {
	d.names++
	s := Spec{Name: fmt.Sprintf("m%d", d.names), Offers: d.offers, Seed: d.rng.Uint64(), Callback: time.Duration(1+d.below(50)) * time.Millisecond}
	if d.below(3) == 0 {
		s.Instance = "i" + s.Name
	}
	if d.below(3) == 0 {
		most := 6000
		if strict || d.offers != nil {
			most = 1500
		}
		s.Slow = map[membership.Kind]time.Duration{membership.Kind(1 + d.below(3)): time.Duration(d.below(most)) * time.Millisecond}
	}
	return s
}

// trouble draws a command that changes something, or a fault.
func (d *draw) trouble(strict bool) string {
	some := fmt.Sprintf("#%d", d.below(100))
	kinds := 20
	if strict {
		kinds = 10
	}
	switch d.below(kinds) {
	case 0, 1, 2:
		return "member " + d.spec(strict).String()
	case 3, 4:
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
	}
	return d.fault(some)
}

// fault draws one.
func (d *draw) fault(some string) string {
	switch d.below(9) {
	case 0:
		return "kill " + some
	case 1:
		return fmt.Sprintf("restart %s %dms", some, d.below(2000))
	case 2:
		return fmt.Sprintf("pause %s %dms", some, d.below(9000))
	case 3:
		return "break " + some + " group"
	case 4:
		return "break " + some + " offsets"
	case 5:
		return "lose " + some + " " + []string{"Join", "Sync", "Heartbeat", "Commit", "Leave"}[d.below(5)]
	case 6:
		return "kill coordinator"
	case 7:
		return fmt.Sprintf("cut %s %dms", some, d.below(20000))
	}
	if d.below(4) == 0 {
		return "move coordinator"
	}
	return "kill coordinator in " + []string{"empty", "preparing", "completing", "stable"}[d.below(4)]
}

// some returns a living process, or nil.
func (w *World) some(n int) *Process {
	if alive := w.living(); len(alive) > 0 {
		return alive[n%len(alive)]
	}
	return nil
}

// Leave has a process leave the group.
func (p *Process) Leave(farewell bool) {
	p.w.note("%s is to leave", p.Name)
	p.whenAwake(func() { p.step(membership.Leave{Reason: "asked", Farewell: farewell}) })
}

// relaunch starts a process again, unless it is there already, or still: two at once with one instance id would be a mistake of who
// runs them.
func (w *World) relaunch(s Spec) {
	for _, p := range w.living() {
		if p.Name == s.Name {
			return
		}
	}
	s.Drain = s.Drain && w.drains(s.Name)
	w.Launch(s)
}

// drains says whether the last process of that name was killed while it drained: a static one would find what it had, nothing.
func (w *World) drains(name string) bool {
	for i := len(w.procs) - 1; i >= 0; i-- {
		if p := w.procs[i]; p.Name == name {
			return p.draining && p.ended == nil
		}
	}
	return false
}
