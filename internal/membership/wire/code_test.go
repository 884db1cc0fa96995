package wire

import (
	"os"
	"regexp"
	"testing"
)

// Every code that is declared has a row, so that it has a name and what is done about it was decided.
func TestCodesHaveRows(t *testing.T) {
	source, err := os.ReadFile("code.go")
	if err != nil {
		t.Fatal(err)
	}
	if declared := regexp.MustCompile(`(?m)^\t\w+ +Code = `).FindAll(source, -1); len(declared) != len(codes) {
		t.Errorf("%d codes are declared, and there are %d rows", len(declared), len(codes))
	}
}

// What a member tries again is what Kafka's list of errors calls retriable, but for a partition that is not known, which a commit settles.
func TestRetriableKinds(t *testing.T) {
	retriable := map[Code]bool{7: true, 13: true, 14: true, 15: true, 16: true}
	for c := range codes {
		if again := c.Kind() == Passing || c.Kind() == Moved; again != retriable[c] {
			t.Errorf("%v is tried again: %v", c, again)
		}
	}
}
