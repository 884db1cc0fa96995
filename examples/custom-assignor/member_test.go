package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// TestMember runs the command. Which topics move is decided by the members' ids, which the broker makes up.
func TestMember(t *testing.T) {
	var out bytes.Buffer
	if err := member(t.Context(), nil, &out); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if want := "first reads clicks [0 1 2]\nfirst reads orders [0 1 2]\nfirst reads payments [0 1 2]\n"; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\n90 records\n") {
		t.Errorf("it printed\n%s", got)
	}
	for _, topic := range regexp.MustCompile(`second reads (\w+)`).FindAllStringSubmatch(got, -1) {
		if !strings.Contains(got, "first leaves "+topic[1]+" [0 1 2]\n") || !strings.Contains(got, "second reads "+topic[1]+" [0 1 2]\n") {
			t.Errorf("%s has not moved as a whole:\n%s", topic[1], got)
		}
	}
	if !strings.Contains(got, "second reads") {
		t.Errorf("nothing has moved:\n%s", got)
	}
}
