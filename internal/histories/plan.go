package histories

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Plan is a history before it is run: the commands of a [Script]. Any part of it can be left out.
type Plan struct {
	Seed     uint64
	Strict   bool
	Lies     bool // members say what is not so
	Setup    []string
	Troubles []string
}

// NewPlan draws a history from its seed. One in five has no faults, and is judged strictly.
func NewPlan(seed uint64) *Plan {
	p := &Plan{Seed: seed, Strict: seed%5 == 0, Lies: seed%10 == 7}
	d := newDraw(seed, p.Strict)
	p.Setup = append(p.Setup, fmt.Sprintf("topic t %d", 1+d.below(7)))
	if d.two = d.below(3) == 0; d.two {
		p.Setup = append(p.Setup, fmt.Sprintf("topic u %d", 1+d.below(4)))
	}
	d.offers, d.plain = pools[d.below(len(pools))], d.below(4) == 0
	d.racks = d.below(5) == 0
	names := 1 + d.below(4)
	if d.below(40) == 0 {
		names = 5 + d.below(16)
		p.Setup[0] = fmt.Sprintf("topic t %d", 7+d.below(20))
	}
	if d.below(12) == 0 {
		p.Troubles = d.upgrade(names)
	}
	for range names {
		p.Setup = append(p.Setup, "member "+d.spec().String(), fmt.Sprintf("run %dms", d.below(40)))
	}
	if len(p.Troubles) > 0 {
		return p
	}
	for range 2 + d.below(7) {
		p.Troubles = append(p.Troubles, fmt.Sprintf("run %dms", d.below(2500)), d.trouble())
	}
	if !p.Strict && d.below(8) == 0 {
		p.Troubles = append(p.Troubles, d.lateCommit()...)
	}
	return p
}

// newHistory is the world of a history.
func newHistory(seed uint64, strict, lies bool, faulty Faulty, verbose bool) *World {
	return NewWorld(Options{Seed: seed, Jitter: 20 * time.Millisecond, Strict: strict, Lies: lies, Faulty: faulty, Verbose: verbose})
}

// Script renders the history as a script, which does what it did.
func (p *Plan) Script() string {
	first := fmt.Sprintf("seed %d", p.Seed)
	if p.Strict {
		first += " strict"
	}
	if p.Lies {
		first += " lies"
	}
	return strings.Join(slices.Concat([]string{first}, p.Setup, p.Troubles, []string{"heal", "settle"}), "\n") + "\n"
}

// Run carries a history out and returns its world, in which Faults tells how it went.
func (p *Plan) Run(faulty Faulty, verbose bool) *World {
	s := &Script{w: newHistory(p.Seed, p.Strict, p.Lies, faulty, verbose), faulty: faulty}
	s.w.Run(0)
	for _, line := range slices.Concat(p.Setup, p.Troubles, []string{"heal", "settle"}) {
		f := strings.Fields(line)
		if err := s.command(f); err != nil && !errors.Is(err, errNoProcess) { // which was left out
			panic(fmt.Sprintf("histories: %q: %v", line, err))
		}
		if f[0] != "run" && f[0] != "settle" {
			s.w.Run(s.w.now)
		}
	}
	return s.w
}

// heal ends what would go on for ever. In every other history that is also what applications do of themselves: what is stored has to be
// right all the same.
func (w *World) heal() {
	w.Unblock()
	w.losing, w.killNext, w.lying = nil, false, false
	if w.opts.Jitter > 0 && w.opts.Seed%2 == 1 {
		w.opts.Idle = true
	}
}

// Shrink takes commands away as long as the history still fails.
func (p *Plan) Shrink(faulty Faulty) *Plan {
	fails := func(q *Plan) bool { return len(q.Run(faulty, false).Faults()) > 0 }
	for again := true; again; {
		again = false
		for i := range p.Troubles {
			q := *p
			q.Troubles = slices.Delete(slices.Clone(p.Troubles), i, i+1)
			if fails(&q) {
				p, again = &q, true
				break
			}
		}
		for i := range p.Setup {
			q := *p
			q.Setup = slices.Delete(slices.Clone(p.Setup), i, i+1)
			if !again && fails(&q) {
				p, again = &q, true
				break
			}
		}
	}
	return p
}
