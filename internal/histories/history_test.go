package histories

import (
	"flag"
	"strings"
	"testing"
)

var (
	count = flag.Int("histories", 2000, "how many histories to run")
	seed  = flag.Uint64("seed", 0, "run the history of this seed only, and print it")
)

// Whatever happens, what must hold does; and when nothing more happens, the group settles.
func TestHistories(t *testing.T) {
	if *seed != 0 {
		report(t, NewPlan(*seed), Faulty{})
		return
	}
	if bad := FirstBad(*count, Faulty{}); bad != nil {
		report(t, bad.Shrink(Faulty{}), Faulty{})
	}
}

// report runs a history once more and prints it.
func report(t *testing.T, p *Plan, faulty Faulty) {
	t.Helper()
	w := p.Run(faulty, true)
	t.Logf("%s\n%s", p.Script(), strings.Join(w.Lines(), "\n"))
	for _, err := range w.Faults() {
		t.Error(err)
	}
}
