package standard_test

import (
	"os"
	"strings"
	"testing"
	"time"

	_ "github.com/assignkit/assignkit/strategies/standard"
	"github.com/assignkit/assignkit/strategy"
	"github.com/assignkit/assignkit/strategy/strategytest"
)

// Every package beside this one is imported by it, and what it registers says something about itself.
func TestStandard(t *testing.T) {
	source, err := os.ReadFile("standard.go")
	if err != nil {
		t.Fatal(err)
	}
	beside, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range beside {
		if name := dir.Name(); name != "standard" && !strings.Contains(string(source), `"github.com/assignkit/assignkit/strategies/`+name+`"`) {
			t.Errorf("standard.go does not import strategies/%s", name)
		}
	}
	for _, name := range strategy.Names() {
		if d, _ := strategy.Lookup(name); d.Summary == "" {
			t.Errorf("%s says nothing about itself", name)
		}
	}
}

// TestConformance holds what a name stands for to the contract, under either protocol.
func TestConformance(t *testing.T) {
	specs := []string{"sticky?tolerance=1&cooperative"}
	argument := map[string]string{"rules": ":../rules/testdata/lag.yaml"}
	for _, name := range strategy.Names() {
		if d, _ := strategy.Lookup(name); d.Argument != "" {
			if argument[name] == "" {
				t.Fatalf("which argument is %s to be tested with?", name)
			}
			name += argument[name]
		}
		specs = append(specs, name, name+"?cooperative")
	}
	for _, spec := range specs {
		t.Run(spec, func(t *testing.T) {
			strategytest.Options{Patience: time.Minute}.Run(t, func() strategy.Assignor {
				a, err := strategy.Parse(spec)
				if err != nil {
					t.Fatal(err)
				}
				return a
			})
		})
	}
}
