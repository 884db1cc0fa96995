package standard_test

import (
	"testing"

	_ "github.com/assignkit/assignkit/strategies/standard"
	"github.com/assignkit/assignkit/strategy"
	"github.com/assignkit/assignkit/strategy/strategytest"
)

// plain lists the names that stand for an assignor without any argument.
var plain = []string{"range", "range-even", "roundrobin", "sticky"}

func TestNames(t *testing.T) {
	for _, name := range plain {
		if d, ok := strategy.Lookup(name); !ok || d.Summary == "" {
			t.Errorf("%s is not registered, or says nothing about itself", name)
		}
		for _, spec := range []string{name, name + "?cooperative"} {
			a, err := strategy.Parse(spec)
			if err != nil {
				t.Error(err)
				continue
			}
			if err := strategy.Close(a); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestConformance holds what a name stands for to the contract, under either protocol.
func TestConformance(t *testing.T) {
	specs := []string{"sticky?tolerance=1&cooperative"}
	for _, name := range plain {
		specs = append(specs, name, name+"?cooperative")
	}
	for _, spec := range specs {
		t.Run(spec, func(t *testing.T) {
			strategytest.Run(t, func() strategy.Assignor {
				a, err := strategy.Parse(spec)
				if err != nil {
					t.Fatal(err)
				}
				return a
			})
		})
	}
}
