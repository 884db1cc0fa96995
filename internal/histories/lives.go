package histories

import (
	"time"

	"github.com/assignkit/assignkit/internal/membership"
)

// some returns a living process, or nil.
func (w *World) some(n int) *Process {
	if alive := w.living(); len(alive) > 0 {
		return alive[n%len(alive)]
	}
	return nil
}

// Leave has a process leave the group.
func (p *Process) Leave(farewell, promptly bool) {
	p.w.note("%s is to leave", p.Name)
	p.whenAwake(func() {
		if p.leftAt == 0 {
			p.leftAt = p.w.now
		}
		p.step(membership.Leave{Reason: "asked", Farewell: farewell, Prompt: promptly})
	})
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

// deployed starts a process anew a second later, or when its former self has gone.
func (w *World) deployed(s Spec) {
	w.at(w.now+time.Second, func() {
		for _, p := range w.living() {
			if p.Name == s.Name && p.leftAt > 0 {
				w.deployed(s)
				return
			}
		}
		w.relaunch(s)
	})
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
