//go:build python

// Package tenants has the tests of the plugin in this folder.
package tenants

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/pythontest"
	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategy"
	"github.com/assignkit/assignkit/strategy/strategytest"
)

// open builds the plugin and starts it.
func open(t *testing.T) *plugin.Assignor {
	t.Helper()
	pythontest.Use(t)
	cfg := plugin.Config{Private: t.TempDir(), StartTimeout: time.Minute, CallTimeout: time.Minute, Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}
	began := time.Now()
	a, err := plugin.Unlocked(context.Background(), cfg, pythontest.Build(t, ".", "tenants"), pythontest.Environment)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	t.Logf("built and started in %s", time.Since(began))
	return a
}

func TestContract(t *testing.T) {
	a := open(t)
	strategytest.Run(t, func() strategy.Assignor { return kept{a} })
}

// kept is not closed, so that it need not start for each rule anew.
type kept struct{ *plugin.Assignor }

func (kept) Close() error { return nil }

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
