package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
	var size int64
	for range runs {
		cmd := exec.CommandContext(ctx, binary, "simulate", file, "--strategy", "sticky", "-o", "json")
		out, err := os.Create(filepath.Join(dir, "out.json"))
		if err != nil {
			return 0, err
		}
		cmd.Stdout, cmd.Stderr = out, os.Stderr
		started := time.Now()
		if err := cmd.Run(); err != nil {
			return 0, fmt.Errorf("assignctl simulate: %w", err)
		}
		times = append(times, time.Since(started))
		memory = max(memory, peak(cmd.ProcessState))
		if size, err = steps(out, 101); err != nil {
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

// steps checks that the output is whole, without holding it: a process is born with the size of its parent, and its own peak
// cannot be told from that. It closes the file and returns its size.
func steps(out *os.File, want int) (size int64, err error) {
	defer out.Close() //nolint:errcheck // only read from here on
	if _, err := out.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	got := 0
	for d := json.NewDecoder(bufio.NewReaderSize(out, 1<<20)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, fmt.Errorf("assignctl simulate -o json: %w", err)
		}
		if token == "event" {
			got++
		}
	}
	if got != want {
		return 0, fmt.Errorf("assignctl simulate -o json: %d steps, want %d", got, want)
	}
	return out.Seek(0, io.SeekEnd)
}
