package histories

import (
	"runtime"
	"sync"

	"github.com/assignkit/assignkit/internal/coordinator"
	"github.com/assignkit/assignkit/internal/membership"
)

// Faulty changes configurations, for tests that put a deliberate fault into a machine. Its zero value changes nothing.
type Faulty struct {
	Member      func(*membership.Config)
	Coordinator func(*coordinator.Config)
}

// FirstBad runs the histories of the seeds from 1 to n, on all cores, until one fails: the one with the lowest seed of those that were
// under way. It returns nil if none does.
func FirstBad(n int, faulty Faulty) *Plan {
	var mu sync.Mutex
	var last uint64
	var bad *Plan
	next := func() (uint64, bool) {
		mu.Lock()
		defer mu.Unlock()
		if last++; last > uint64(n) || bad != nil {
			return 0, false
		}
		return last, true
	}
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for s, ok := next(); ok; s, ok = next() {
				p := NewPlan(s)
				if w := p.Run(faulty, false); len(w.Faults()) > 0 {
					mu.Lock()
					if bad == nil || p.Seed < bad.Seed {
						bad = p
					}
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	return bad
}
