package histories

import (
	"fmt"
	"time"

	"github.com/assignkit/assignkit/internal/membership"
)

// endingChecker checks that who is to leave ends in time, whatever the network does: when the time for that is over, nothing is waited for but
// the callback that runs, and one for what is lost with it.
type endingChecker struct {
	silent
	since map[*Process]time.Duration
}

func (c *endingChecker) after(w *World) error {
	for _, p := range w.procs {
		if !p.alive || p.leftAt == 0 && p.Machine.State() != membership.Leaving {
			delete(c.since, p)
			continue
		}
		if c.since == nil {
			c.since = map[*Process]time.Duration{}
		}
		since, ok := c.since[p]
		if !ok {
			since = w.now
			if p.leftAt > 0 { // handing over is part of it
				since = p.leftAt
			}
		}
		c.since[p] = max(since, p.paused) // all of it stands still then
		slowest := p.spec.Callback
		for _, d := range p.spec.Slow {
			slowest = max(slowest, d)
		}
		if took, limit := w.now-c.since[p], p.spec.config().Leave+2*slowest+50*time.Millisecond; took > limit {
			return fmt.Errorf("%s has been leaving for %v, longer than %v: %s", p.Name, took, limit, p.Machine.Describe())
		}
	}
	return nil
}
