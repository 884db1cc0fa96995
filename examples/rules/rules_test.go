package rules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/golden"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategies/rules"
	"github.com/assignkit/assignkit/strategy"
)

// Every recipe does in its scenario what its file in testdata says, and is named in the README.
func TestRecipes(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range recipes(t) {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(string(readme), "`"+name+".yaml`") {
				t.Error("README.md does not name it")
			}
			_, result := run(t, name, strategy.Cooperative)
			golden.Check(t, filepath.Join("testdata", name+".txt"), render(result))
		})
	}
}

// recipes are the names of all there are.
func recipes(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.scenario.yaml")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(file, ".scenario.yaml"))
	}
	return names
}

// run plays a recipe's scenario.
func run(t *testing.T, name string, wrap func(strategy.Assignor) strategy.Assignor) (*simulation.Scenario, *simulation.Result) {
	t.Helper()
	a, err := rules.Load(name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name + ".scenario.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	s, err := simulation.Read(name+".scenario.yaml", f)
	if err != nil {
		t.Fatal(err)
	}
	result, err := simulation.Run(t.Context(), s, name, wrap(a))
	if err != nil {
		t.Fatal(err)
	}
	return s, result
}

// render shows each step: what each member has, with its weight, what nobody has, and how many moved.
func render(r *simulation.Result) string {
	var b strings.Builder
	for _, step := range r.Steps {
		voluntary := 0
		for _, m := range step.Moved {
			if m.Kind == simulation.MoveVoluntary {
				voluntary++
			}
		}
		fmt.Fprintf(&b, "%s: %d moved, %d of them voluntarily\n", step.Event, len(step.Moved), voluntary)
		for _, m := range step.Group.Members {
			var parts []string
			for _, tp := range step.Assignment.Members[m.ID] {
				parts = append(parts, list(step.Group, tp))
			}
			fmt.Fprintf(&b, "  %-10s %2d, weight %g: %s\n", m.ID, step.Assignment.Count(m.ID), weight(step.Group, step.Assignment.Members[m.ID]), strings.Join(parts, "; "))
		}
		for _, u := range step.Assignment.Unassigned {
			fmt.Fprintf(&b, "  nobody: %s %d, %s\n", u.Topic, u.Partition, u.Reason)
		}
	}
	return b.String()
}

// list shows the partitions of a topic: those that are active, if only some are.
func list(g *strategy.Group, tp strategy.TopicPartitions) string {
	at := slices.IndexFunc(g.Topics, func(t strategy.Topic) bool { return t.Name == tp.Topic })
	active, some := g.Topics[at].Signals[strategy.SignalActive]
	if !some {
		return fmt.Sprintf("%s %s", tp.Topic, strings.Trim(fmt.Sprint(tp.Partitions), "[]"))
	}
	numbers := slices.DeleteFunc(slices.Clone(tp.Partitions), func(p int32) bool { return active[p] == 0 })
	return fmt.Sprintf("active %s %s", tp.Topic, strings.Trim(fmt.Sprint(numbers), "[]"))
}

func weight(g *strategy.Group, list []strategy.TopicPartitions) (sum float64) {
	for _, tp := range list {
		at := slices.IndexFunc(g.Topics, func(t strategy.Topic) bool { return t.Name == tp.Topic })
		for _, p := range tp.Partitions {
			if len(g.Topics[at].Weights) == 0 {
				sum++
			} else {
				sum += g.Topics[at].Weights[p]
			}
		}
	}
	return sum
}
