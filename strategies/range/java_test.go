package rangeassign_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/assignkit/assignkit/internal/groupjson"
	rangeassign "github.com/assignkit/assignkit/strategies/range"
)

// TestJava compares answers with those that Java's RangeAssignor gave for the same groups.
func TestJava(t *testing.T) {
	text, err := os.ReadFile("../../testdata/cases/java-assign.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	aware := 0
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		g, err := groupjson.Decode(line)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		var want struct {
			Range map[string]map[string][]int32 `json:"range"`
			Racks map[string][][]string         `json:"racks"`
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if want.Racks != nil {
			aware++
		}
		a, err := rangeassign.Assignor{Even: true}.Assign(t.Context(), g)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if len(a.Unassigned) > 0 {
			t.Errorf("line %d: unassigned %v", i+1, a.Unassigned)
		}
		wanted, _ := json.Marshal(want.Range) // sorts its keys
		if got := groupjson.AppendAssignment(nil, &a); !bytes.Equal(got, wanted) {
			t.Errorf("line %d: %s\ngot  %s\nwant %s", i+1, line, got, wanted)
		}
	}
	if aware == 0 {
		t.Error("no case has racks")
	}
}
