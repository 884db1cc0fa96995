package histories

import (
	"fmt"
	"time"

	"github.com/assignkit/assignkit/internal/membership"
)

// zombieChecker looks for a process that is cut off from the group, works on, and should have noticed: its session has ended, also where a
// join was under way when it was cut off, for which the connection waits longer.
type zombieChecker struct{ silent }

func (zombieChecker) after(w *World) error {
	for _, p := range w.procs {
		if !p.alive || w.now < p.paused+50*time.Millisecond || w.now >= p.cutTo || p.cutTo == 0 || len(p.Machine.Owned()) == 0 {
			continue
		}
		cfg := p.spec.config()
		limit := cfg.Session + time.Second
		if p.Machine.State() != membership.Stable {
			limit += cfg.Rebalance + 5*time.Second
		}
		if gone := w.now - max(p.cutFrom, p.paused); gone > limit {
			return fmt.Errorf("%s works on, %v after it was cut off: %s", p.Name, gone, p.Machine.Describe())
		}
	}
	return nil
}
