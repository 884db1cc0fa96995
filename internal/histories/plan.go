package histories

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/membership"
)

// A Plan is a history before it is run: the commands of a [Script]. Any part of it can be left out.
type Plan struct {
	Seed     uint64
	Strict   bool
	Setup    []string
	Troubles []string
}

// NewPlan draws a history from its seed. One in five has no faults, and is judged strictly.
func NewPlan(seed uint64) *Plan {
	d := newDraw(seed)
	p := &Plan{Seed: seed, Strict: seed%5 == 0}
	p.Setup = append(p.Setup, fmt.Sprintf("topic t %d", 1+d.below(7)))
	if d.below(3) == 0 {
		p.Setup = append(p.Setup, fmt.Sprintf("topic u %d", 1+d.below(4)))
	}
	d.offers = [][]string{nil, nil, nil, {"range"}, {"cooperative-sticky", "range"}, {"sticky"}}[d.below(6)]
	for range 1 + d.below(4) {
		p.Setup = append(p.Setup, "member "+d.spec(p.Strict).String(), fmt.Sprintf("run %dms", d.below(40)))
	}
	for range 2 + d.below(7) {
		p.Troubles = append(p.Troubles, fmt.Sprintf("run %dms", d.below(2500)), d.trouble(p.Strict))
	}
	return p
}

// newHistory is the world of a history.
func newHistory(seed uint64, strict bool, faulty Faulty, verbose bool) *World {
	return NewWorld(Options{Seed: seed, Jitter: 20 * time.Millisecond, Strict: strict, Faulty: faulty, Verbose: verbose})
}

// Script renders the history as a script, which does what it did.
func (p *Plan) Script() string {
	first := fmt.Sprintf("seed %d", p.Seed)
	if p.Strict {
		first += " strict"
	}
	return strings.Join(slices.Concat([]string{first}, p.Setup, p.Troubles, []string{"heal", "settle"}), "\n") + "\n"
}

// Run carries a history out and returns its world, in which Faults tells how it went.
func (p *Plan) Run(faulty Faulty, verbose bool) *World {
	s := &Script{w: newHistory(p.Seed, p.Strict, faulty, verbose), faulty: faulty}
	s.w.Run(0)
	for _, line := range slices.Concat(p.Setup, p.Troubles, []string{"heal", "settle"}) {
		f := strings.Fields(line)
		if err := s.command(f); err != nil {
			panic(fmt.Sprintf("histories: %q: %v", line, err))
		}
		if f[0] != "run" && f[0] != "settle" {
			s.w.Run(s.w.now)
		}
	}
	return s.w
}

// heal ends what would go on for ever.
func (w *World) heal() {
	w.Unblock()
	w.losing, w.killNext = nil, false
}

// String renders a process in script notation.
func (s Spec) String() string {
	var b strings.Builder
	b.WriteString(s.Name)
	add := func(key, value string) { fmt.Fprintf(&b, " %s=%s", key, value) }
	if s.Instance != "" {
		add("instance", s.Instance)
	}
	if len(s.Offers) > 0 {
		add("offers", strings.Join(s.Offers, ","))
	}
	if s.Seed > 0 {
		add("seed", strconv.FormatUint(s.Seed, 10))
	}
	if s.Callback > 0 {
		add("callback", s.Callback.String())
	}
	for _, k := range []membership.Kind{membership.Assign, membership.Revoke, membership.Lost} {
		if d := s.Slow[k]; d > 0 {
			add(k.String(), d.String())
		}
	}
	return b.String()
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
