package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/strategy"
)

// answer is what other programs read.
type answer struct {
	Results []struct {
		Strategy string
		Steps    []struct {
			Event      string
			Assignment map[string]map[string][]int32
			Moved      []struct {
				Topic     string
				Partition int32
				From, To  string
				Kind      string
			}
			Metrics    strategy.Metrics
			Unassigned map[string]map[string][]int32
			Rounds     int
		}
	}
}

// TestLargeJSON reads the document of a large group back: every partition is with exactly one member at every step, and each
// step is the one before with what moved.
func TestLargeJSON(t *testing.T) {
	const events = 6
	o := large(events)
	var out bytes.Buffer
	o.IO = &iostreams.Streams{Out: iostreams.NewWriter(&out)}
	if err := run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if err := o.IO.Out.Flush(); err != nil {
		t.Fatal(err)
	}
	var a answer
	if err := json.Unmarshal(out.Bytes(), &a); err != nil {
		t.Fatal(err)
	}
	if len(a.Results) != 1 || len(a.Results[0].Steps) != events+1 {
		t.Fatalf("%d results", len(a.Results))
	}
	before := map[string]string{}
	for i, step := range a.Results[0].Steps {
		owners := map[string]string{}
		for member, topics := range step.Assignment {
			for topic, partitions := range topics {
				for _, p := range partitions {
					owners[fmt.Sprintf("%s:%d", topic, p)] = member
				}
			}
		}
		if len(owners) != 100_000 || len(step.Assignment) != step.Metrics.Members {
			t.Errorf("step %d: %d partitions on %d members", i, len(owners), len(step.Assignment))
		}
		for _, m := range step.Moved {
			id := fmt.Sprintf("%s:%d", m.Topic, m.Partition)
			if before[id] != m.From || owners[id] != m.To {
				t.Errorf("step %d: %s was with %q and is with %q, but moved from %q to %q", i, id, before[id], owners[id], m.From, m.To)
			}
			before[id] = m.To
		}
		for id, owner := range owners {
			if i > 0 && before[id] != owner {
				t.Errorf("step %d: %s went to %q without a move", i, id, owner)
			}
		}
		before = owners
	}
}
