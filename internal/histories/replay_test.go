package histories

import (
	"slices"
	"strings"
	"testing"
)

// What a failing history prints as its script does what the history did.
func TestScriptOfPlanReplays(t *testing.T) {
	for seed := range uint64(20) {
		p := NewPlan(seed + 1)
		want := p.Run(Faulty{}, true).Lines()
		s := NewScript(Faulty{})
		var got []string
		for _, line := range strings.Split(strings.TrimSpace(p.Script()), "\n") {
			got = append(got, s.Do(line)...)
		}
		if !slices.Equal(got, want) {
			i := 0
			for i < len(got) && i < len(want) && got[i] == want[i] {
				i++
			}
			t.Fatalf("seed %d: %d and %d lines, which differ from line %d on:\n%s\n%s", p.Seed, len(got), len(want), i, got[i:min(i+3, len(got))], want[i:min(i+3, len(want))])
		}
	}
}
