package simulation

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/golden"
	"github.com/assignkit/assignkit/strategy"
)

// TestScenarios runs each scenario in testdata with the strategies it names, and compares with the file beside it.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			s, err := Read(filepath.Base(file), f)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			for _, spec := range s.Strategies {
				result, err := Run(context.Background(), s, spec, testStrategies[spec])
				if err != nil {
					fmt.Fprintf(&out, "%s: %v\n", spec, err)
					continue
				}
				printResult(&out, result)
			}
			golden.Check(t, strings.TrimSuffix(file, ".yaml")+".golden", out.Bytes())
		})
	}
}

// printResult writes a result for people.
func printResult(out *bytes.Buffer, r *Result) {
	fmt.Fprintf(out, "== %s\n", r.Strategy)
	for i := range r.Steps {
		s := &r.Steps[i]
		fmt.Fprintf(out, "-- %s: generation %d, %d rounds", s.Event, s.Group.Generation, s.Rounds)
		if s.WithheldFirst > 0 {
			fmt.Fprintf(out, ", %d withheld first", s.WithheldFirst)
		}
		out.WriteString("\n")
		for k := range s.Group.Members {
			m := &s.Group.Members[k]
			fmt.Fprintf(out, "   %-12s %s\n", m.ID, listed(s.Assignment.Members[m.ID]))
		}
		for _, u := range s.Assignment.Unassigned {
			fmt.Fprintf(out, "   %s-%d unassigned: %s\n", u.Topic, u.Partition, u.Reason)
		}
		for _, m := range s.Moved {
			to := m.To
			if to == "" {
				to = "nobody"
			}
			fmt.Fprintf(out, "   %s-%d: %s -> %s, %s\n", m.Topic, m.Partition, m.From, to, m.Kind)
		}
		x := s.Metrics
		fmt.Fprintf(out, "   loads %v..%v, regret %v, voluntary %d (least %d), forced %d, placed %d, unassigned %d of %d\n",
			x.Min, x.Max, x.Regret, x.Voluntary, x.VoluntaryMinimum, x.Forced, x.Placed, x.Unassigned, x.Partitions)
	}
}

func listed(l []strategy.TopicPartitions) string {
	var b strings.Builder
	for _, tp := range l {
		fmt.Fprintf(&b, " %s:%s", tp.Topic, strings.Trim(strings.ReplaceAll(fmt.Sprint(tp.Partitions), " ", ","), "[]"))
	}
	if b.Len() == 0 {
		return "-"
	}
	return b.String()[1:]
}
