package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// run measures everything and prints the page.
func run(ctx context.Context, w io.Writer) (missed int, err error) {
	fmt.Fprintf(w, `# Benchmarks

Made by `+"`bench/report`"+` on %d cores of %s, %s %s/%s. Times are medians; they vary by a third from
run to run on a busy machine. To compare machines by: sorting a million random numbers with slices.Sort took %.0f ms in the same run.

## A long simulation, whole process

`, runtime.NumCPU(), processor(), runtime.Version(), runtime.GOOS, runtime.GOARCH, yardstick())
	if missed, err = simulate(ctx, w); err != nil { // first, as long as this process is small
		return missed, err
	}
	fmt.Fprint(w, `
## One assignment with sticky, from names to names

A call of Assign as the leader of a group makes it: claims judged, solved, answer written with names. "exact" says that the answer was
checked against the optimum: no regret, no move more than the fewest.

`)
	n, err := assign(ctx, w)
	if missed += n; err != nil {
		return missed, err
	}
	fmt.Fprint(w, `
## A leader's whole work, from bytes to bytes

Every member's subscription decoded, an assignment with sticky, every member's assignment encoded.

`)
	n, err = leader(ctx, w)
	if missed += n; err != nil {
		return missed, err
	}
	fmt.Fprint(w, `
## The same assignor as a plugin

sticky asked in this process and as a plugin, in turns. The heap is this process's at its largest while the plugin is asked, garbage included.

`)
	n, err = asPlugin(ctx, w)
	if missed += n; err != nil {
		return missed, err
	}
	if missed == 0 {
		_, err = fmt.Fprintln(w, "\nEvery target was reached in this run.")
	} else {
		_, err = fmt.Fprintf(w, "\n%d targets were missed in this run: the rows with **no**.\n", missed)
	}
	return missed, err
}

// yardstick is the median time, in milliseconds, of something that every Go programmer can repeat.
func yardstick() float64 {
	r := rand.New(rand.NewPCG(1, 2))
	numbers := make([]int64, 1_000_000)
	var times []time.Duration
	for range 9 {
		for i := range numbers {
			numbers[i] = r.Int64()
		}
		started := time.Now()
		slices.Sort(numbers)
		times = append(times, time.Since(started))
	}
	slices.Sort(times)
	return times[len(times)/2].Seconds() * 1e3
}

// processor names the processor where the system tells.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "an unnamed processor"
	}
	defer f.Close() //nolint:errcheck // only read
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "an unnamed processor"
}
