package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

const (
	simulateTime   = 2 * time.Second
	simulateMemory = 500e6
)

// scenario has 100 events that come and go in a group of 100 topics × 1,000 partitions × 1,000 members.
func scenario() []byte {
	var b bytes.Buffer
	b.WriteString("topics:\n")
	for i := range 100 {
		fmt.Fprintf(&b, "  topic-%03d: 1000\n", i)
	}
	b.WriteString("members: 1000\nevents:\n")
	for i := range 50 {
		fmt.Fprintf(&b, "  - join: extra-%d\n  - leave: member-%d\n", i, i*17+1)
	}
	return b.Bytes()
}

// simulate runs the command as its users do.
func simulate(ctx context.Context, w io.Writer) (missed int, err error) {
	dir, err := os.MkdirTemp("", "targets")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder of temporary files
	binary, file := filepath.Join(dir, "assignctl"), filepath.Join(dir, "scenario.yaml")
	if err := os.WriteFile(file, scenario(), 0o600); err != nil {
		return 0, err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/assignctl")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return 0, fmt.Errorf("building assignctl: %w", err)
	}
	const runs = 5
	var times []time.Duration
	var memory int64
	var size int
	for range runs {
		cmd := exec.CommandContext(ctx, binary, "simulate", file, "--strategy", "sticky", "-o", "json")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, os.Stderr
		started := time.Now()
		if err := cmd.Run(); err != nil {
			return 0, fmt.Errorf("assignctl simulate: %w", err)
		}
		times = append(times, time.Since(started))
		memory = max(memory, peak(cmd.ProcessState))
		size = out.Len()
		if err := steps(out.Bytes(), 101); err != nil {
			return 0, err
		}
	}
	slices.Sort(times)
	took := times[runs/2]
	reached := took <= simulateTime && memory <= simulateMemory
	if !reached {
		missed++
	}
	fmt.Fprintf(w, `| shape | to reach | median of %d | most memory | output | reached |
|---|---|---|---|---|---|
| 100 events, 100 topics × 1,000 partitions × 1,000 members, -o json | ≤ %v, ≤ %.0f MB | %.2f s | %.0f MB | %.0f MB | %s |
`, runs, simulateTime, simulateMemory/1e6, took.Seconds(), float64(memory)/1e6, float64(size)/1e6, yes(reached))
	return missed, nil
}

// steps checks that the output is whole.
func steps(out []byte, want int) error {
	var answer struct {
		Results []struct{ Steps []json.RawMessage }
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return fmt.Errorf("assignctl simulate -o json: %w", err)
	}
	if len(answer.Results) != 1 || len(answer.Results[0].Steps) != want {
		return fmt.Errorf("assignctl simulate -o json: %d results, want 1 with %d steps", len(answer.Results), want)
	}
	return nil
}
