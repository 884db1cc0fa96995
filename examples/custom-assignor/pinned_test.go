package main

import (
	"bytes"
	"context"
	"flag"
	"os"
	"testing"

	"github.com/assignkit/assignkit/cli"
	"github.com/assignkit/assignkit/strategy"
	"github.com/assignkit/assignkit/strategy/strategytest"
)

var update = flag.Bool("update", false, "write the golden file")

// TestRules holds the assignor to what every assignor has to do.
func TestRules(t *testing.T) {
	strategytest.Run(t, func() strategy.Assignor { return pinned{} })
}

// TestScenario runs the program on the scenario and compares what it prints.
func TestScenario(t *testing.T) {
	const golden = "testdata/scenario.txt"
	var out, errs bytes.Buffer
	streams := cli.Streams{In: bytes.NewReader(nil), Out: &out, Err: &errs, Width: 80}
	if code := cli.Main(context.Background(), []string{"simulate", "scenario.yaml"}, streams); code != 0 {
		t.Fatalf("exit code %d: %s", code, errs.String())
	}
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("it printed\n%s\nnot what is in %s\n%s", out.String(), golden, want)
	}
}
