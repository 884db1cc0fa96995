package coordinator_test

import (
	"testing"

	"github.com/assignkit/assignkit/internal/coordinator"
	"github.com/assignkit/assignkit/internal/histories"
)

// Deliberate faults of a coordinator, each of which the histories find.
func TestHistoriesFindFaults(t *testing.T) {
	for _, bug := range []struct{ name, why string }{
		{"static id kept", "a static member's former self is not fenced"},
		{"commits of any generation", "a commit is stored after its partition was given to another"},
	} {
		t.Run(bug.name, func(t *testing.T) {
			t.Parallel()
			faulty := histories.Faulty{Coordinator: func(c *coordinator.Config) { coordinator.SetBug(c, bug.name) }}
			bad := histories.FirstBad(3000, faulty)
			if bad == nil {
				t.Fatalf("not found: %s", bug.why)
			}
			if errs := bad.Run(histories.Faulty{}, false).Faults(); len(errs) > 0 {
				t.Fatalf("seed %d fails without the fault, too: %v", bad.Seed, errs[0])
			}
			t.Logf("seed %d: %v", bad.Seed, bad.Run(faulty, false).Faults()[0])
		})
	}
}
