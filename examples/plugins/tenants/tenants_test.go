//go:build python

// Package tenants has the tests of the plugin in this folder.
package tenants

import (
	"os"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/pythontest"
	"github.com/assignkit/assignkit/strategy"
	"github.com/assignkit/assignkit/strategy/strategytest"
)

func TestContract(t *testing.T) {
	a := pythontest.Open(t, "tenants")
	strategytest.Run(t, func() strategy.Assignor { return pythontest.Kept{Assignor: a} })
}

// TestUnits runs the plugin's own tests.
func TestUnits(t *testing.T) {
	pythontest.Use(t)
	if out := pythontest.Run(t, ".", "-m", "unittest"); !strings.Contains(out, "\nOK") {
		t.Errorf("python3 -m unittest printed\n%s", out)
	}
}

// TestReproducible builds the plugin twice.
func TestReproducible(t *testing.T) {
	pythontest.Use(t)
	a, err := os.ReadFile(pythontest.Build(t, ".", "tenants"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TZ", "Pacific/Kiritimati")
	b, err := os.ReadFile(pythontest.Build(t, ".", "tenants"))
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Error("two builds differ")
	}
}
