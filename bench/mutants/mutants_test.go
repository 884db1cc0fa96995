package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite testdata/sample.txt")

// A small package with all its mutants, and what becomes of each.
func TestSample(t *testing.T) {
	t.Chdir("../..")
	const path = "bench/mutants/testdata/sample"
	suites[path] = []suite{{path: path}}
	s, err := load(path)
	if err != nil {
		t.Fatal(err)
	}
	mutants, files := find(s)
	b, err := build(t.Context(), t.TempDir(), path, files)
	if err != nil {
		t.Fatal(err)
	}
	b.patience = 5 * time.Second
	var got strings.Builder
	b.runAll(t.Context(), mutants, func(o outcome) {
		became := fmt.Sprintf("survives %d tests", o.reached)
		switch {
		case o.timeout:
			became = "does not end"
		case o.by != "":
			became = "found"
		}
		fmt.Fprintf(&got, "%d %s: %s\n", o.line, o.mutant, became)
	})
	const golden = "bench/mutants/testdata/sample.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("with -update, %s becomes\n%s", golden, got.String())
	}
}

func TestAccepted(t *testing.T) {
	file := t.TempDir() + "/accepted.txt"
	text := "# it is the same\na/f.go F: `x` negated\na/b/f.go F: `x` negated\n\n# no matter\na/f.go G: *\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := readAccepted(file, "a")
	if err != nil || len(got) != 2 || got[0].mutant != "f.go F: `x` negated" || got[0].reason != "it is the same" || got[1].reason != "no matter" {
		t.Fatalf("%+v, %v", got, err)
	}
	for mutant, want := range map[string]bool{"f.go G: `y` removed": true, "f.go Gg: `y` removed": false, "f.go F: `x` negated": false} {
		if got[1].matches(mutant) != want {
			t.Errorf("%s matches %s: %t", mutant, got[1].mutant, !want)
		}
	}
	if err := os.WriteFile(file, []byte("a/f.go F: `x` negated\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readAccepted(file, "a"); err == nil || !strings.Contains(err.Error(), "accepted.txt:1: no reason") {
		t.Errorf("an entry without a reason: %v", err)
	}
}
