//go:build python

// Package lag has the tests of the plugin in this folder.
package lag

import (
	"context"
	"log/slog"
	"slices"
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
	a, err := plugin.Unlocked(context.Background(), cfg, pythontest.Build(t, ".", "lag"), pythontest.Environment)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
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

// TestLag asks the plugin about a group of which the lag is known, and about one with weights alone.
func TestLag(t *testing.T) {
	a := open(t)
	if got := strategy.SignalsOf(a); !slices.Equal(got, []string{strategy.SignalLag}) {
		t.Errorf("it looks at %q", got)
	}
	uneven := []float64{900, 300, 300, 300}
	for name, topic := range map[string]strategy.Topic{
		"lag":     {Weights: []float64{1, 1, 1, 1}, Signals: map[string][]float64{strategy.SignalLag: uneven}},
		"weights": {Weights: uneven},
	} {
		topic.Name, topic.Partitions = "orders", 4
		answer, err := a.Assign(t.Context(), &strategy.Group{Topics: []strategy.Topic{topic}, Members: []strategy.Member{
			{ID: "a", Topics: []string{"orders"}, Owned: []strategy.TopicPartitions{{Topic: "orders", Partitions: []int32{0, 1}}}, Generation: 1},
			{ID: "b", Topics: []string{"orders"}, Owned: []strategy.TopicPartitions{{Topic: "orders", Partitions: []int32{2, 3}}}, Generation: 1},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if answer.Count("a") != 1 || answer.Count("b") != 3 {
			t.Errorf("by %s it answers %v", name, answer.Members)
		}
	}
}
