package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// TestShow runs the example. Which partitions move is the group's choice; what is counted is not.
func TestShow(t *testing.T) {
	var out bytes.Buffer
	if err := show(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if want := "alice: 32\nbob: 32\ncarol: 32\ndave: 24\n"; !strings.HasSuffix(got, want) {
		t.Errorf("it printed\n%s\nwhich should end with\n%s", got, want)
	}
	moved := regexp.MustCompile(`(?m)^a: (orders-\d) saved, (\d+) records`).FindAllStringSubmatch(got, -1)
	if len(moved) < 2 {
		t.Fatalf("a saved %q in\n%s", moved, got)
	}
	for _, m := range moved[:2] {
		if !strings.Contains(got, "b: "+m[1]+" loaded, "+m[2]+" records") {
			t.Errorf("b has not loaded %s as a has saved it, in\n%s", m[1], got)
		}
	}
}
