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

// A part is a chapter of the page.
type part struct {
	name, title, text string
	measure           func(ctx context.Context, w io.Writer) (missed int, err error)
}

var parts = []part{
	{"simulate", "A long simulation, whole process", "", simulate}, // first, as long as this process is small
	{"assign", "One assignment with sticky, from names to names", `
A call of Assign as the leader of a group makes it: claims judged, solved, answer written with names. "exact" says that the answer was
checked against the optimum: no regret, no move more than the fewest.
`, assign},
	{"leader", "A leader's whole work, from bytes to bytes", `
Every member's subscription decoded, an assignment with sticky, every member's assignment encoded.
`, leader},
	{"weights", "Weights", `
The solver behind rules, from numbers to numbers, with Zipf weights and its own defaults. The least load possible is the mean, or the heaviest
partition if that is more.
`, solveWeighted},
	{"rules", "Rules", `
A whole assignment by one rule, from names to names, over the pairs of a member and a partition. Most rules are evaluated for far fewer.
`, evaluateRules},
	{"plugin", "The same assignor as a plugin", `
sticky asked in this process and as a plugin, in turns. The heap is this process's at its largest while the plugin is asked, garbage included.
`, asPlugin},
}

// run measures the parts that are named, or everything, and prints the page.
func run(ctx context.Context, w io.Writer, names []string) (missed int, err error) {
	for _, name := range names {
		if !slices.ContainsFunc(parts, func(p part) bool { return p.name == name }) {
			return 0, fmt.Errorf("no part %q; there are %s", name, known())
		}
	}
	fmt.Fprintf(w, `# Benchmarks

Made by `+"`bench/report`"+` on %d cores of %s, %s %s/%s. Times are medians; they vary by a third from
run to run on a busy machine. To compare machines by: sorting a million random numbers with slices.Sort took %.0f ms in the same run.
`, runtime.NumCPU(), processor(), runtime.Version(), runtime.GOOS, runtime.GOARCH, yardstick())
	for i := range parts {
		p := &parts[i]
		if len(names) > 0 && !slices.Contains(names, p.name) {
			continue
		}
		fmt.Fprintf(w, "\n## %s\n%s\n", p.title, p.text)
		n, err := p.measure(ctx, w)
		if missed += n; err != nil {
			return missed, err
		}
	}
	if missed == 0 {
		_, err = fmt.Fprintln(w, "\nEvery target was reached in this run.")
	} else {
		_, err = fmt.Fprintf(w, "\n%d targets were missed in this run: the rows with **no**.\n", missed)
	}
	return missed, err
}

// known lists the names of all parts.
func known() string {
	names := make([]string, len(parts))
	for i := range parts {
		names[i] = parts[i].name
	}
	return strings.Join(names, ", ")
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
