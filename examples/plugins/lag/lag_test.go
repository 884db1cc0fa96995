//go:build python

// Package lag has the tests of the plugin in this folder.
package lag

import (
	"slices"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/pythontest"
	"github.com/assignkit/assignkit/strategy"
	"github.com/assignkit/assignkit/strategy/strategytest"
)

func TestContract(t *testing.T) {
	a := pythontest.Open(t, "lag")
	strategytest.Run(t, func() strategy.Assignor { return pythontest.Kept{Assignor: a} })
}

// TestUnits runs the plugin's own tests.
func TestUnits(t *testing.T) {
	pythontest.Use(t)
	if out := pythontest.Run(t, ".", "-m", "unittest"); !strings.Contains(out, "\nOK") {
		t.Errorf("python3 -m unittest printed\n%s", out)
	}
}

// TestLag asks the plugin about a group of which the lag is known, and about one with weights alone.
func TestLag(t *testing.T) {
	a := pythontest.Open(t, "lag")
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
