package bench

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/internal/cli/output"
)

// A figure is a number of a run: a column of the tables, and what is compared.
type figure struct {
	name  string // in JSON and CSV
	title string
	help  string // in lines that fit a terminal
	kind  kind
	// lower says that less is better, higher that more is. With neither, it only differs.
	lower, higher bool
	of            func(*bench.Total) float64
	text          func(float64) string // nil: output.Number
}

// kind says where a figure is shown.
type kind uint8

const (
	always kind = iota
	wide        // in the format wide, where it is not 0 throughout
	cost        // where it was measured
)

// docs/bench.md says what is behind them.
var figures = []figure{
	{name: "steps", title: "STEPS", help: "the start and all that happens, but for what another strategy\nanswers", kind: wide, of: func(t *bench.Total) float64 { return float64(t.Steps) }},
	{name: "voluntary", title: "VOLUNTARY", help: "partitions that move although their owner could keep them", lower: true, of: func(t *bench.Total) float64 { return float64(t.Voluntary) }},
	{name: "voluntary_minimum", title: "MINIMUM", help: "the fewest voluntary moves that make it as even as can be", kind: wide, of: func(t *bench.Total) float64 { return float64(t.VoluntaryMinimum) }},
	{name: "excess", title: "EXCESS", help: "of these, how many more than it takes to make it as even as can\nbe, step by step", lower: true, of: func(t *bench.Total) float64 { return float64(t.Excess) }},
	{name: "forced", title: "FORCED", help: "partitions whose owner is gone or no longer wants them", kind: wide, of: func(t *bench.Total) float64 { return float64(t.Forced) }},
	{name: "placed", title: "PLACED", help: "partitions that nobody had before", kind: wide, of: func(t *bench.Total) float64 { return float64(t.Placed) }},
	{name: "skew", title: "SKEW", help: "the largest difference of two members' loads, at worst", lower: true, of: func(t *bench.Total) float64 { return t.Skew }},
	{name: "regret_ratio", title: "REGRET %", help: "how far the squares of the loads lie above the least possible,\nin percent, at worst", lower: true,
		of: func(t *bench.Total) float64 { return t.RegretRatio }, text: func(x float64) string { return output.Number(100 * x) }},
	{name: "max", title: "MAX", help: "the largest load, at worst", kind: wide, lower: true, of: func(t *bench.Total) float64 { return t.Max }},
	{name: "min", title: "MIN", help: "the smallest load, at worst", kind: wide, higher: true, of: func(t *bench.Total) float64 { return t.Min }},
	{name: "cv", title: "CV", help: "the loads' coefficient of variation, at worst", kind: wide, lower: true, of: func(t *bench.Total) float64 { return t.CV }},
	{name: "regret", title: "REGRET", help: "the same as REGRET %, not in percent", kind: wide, lower: true, of: func(t *bench.Total) float64 { return t.Regret }},
	{name: "topic_skew", title: "TOPIC SKEW", help: "the largest difference of one topic's partitions between two of\nits readers, at worst", kind: wide, lower: true,
		of: func(t *bench.Total) float64 { return float64(t.TopicSkew) }},
	{name: "rounds", title: "ROUNDS", help: "rebalances that it takes", lower: true, of: func(t *bench.Total) float64 { return float64(t.Rounds) }},
	{name: "follow_ups", title: "FOLLOW-UPS", help: "of the rounds, those in which what was withheld is handed out", kind: wide, lower: true, of: func(t *bench.Total) float64 { return float64(t.FollowUps) }},
	{name: "disturbed", title: "DISTURBED", help: "how often a member that had partitions got others", lower: true, of: func(t *bench.Total) float64 { return float64(t.Disturbed) }},
	{name: "unassigned", title: "UNASSIGNED", help: "partitions that nobody gets, though somebody reads the topic,\nat worst", kind: wide, lower: true,
		of: func(t *bench.Total) float64 { return float64(t.Unassigned) }},
	{name: "rack_misses", title: "RACK MISSES", help: "partitions at a member in none of their racks, at worst", kind: wide, lower: true, of: func(t *bench.Total) float64 { return float64(t.RackMisses) }},
	{name: "misplaced", title: "MISPLACED", help: "partitions at a draining member, at worst", kind: wide, lower: true, of: func(t *bench.Total) float64 { return float64(t.Misplaced) }},
	{name: "stopped", title: "STOPPED", help: "steps in which the strategy's budget of work has ended", kind: wide, lower: true, of: func(t *bench.Total) float64 { return float64(t.Stopped) }},
	{name: "ns", title: "TIME", help: "that the strategy has taken for all steps", kind: cost, lower: true, of: func(t *bench.Total) float64 { return float64(t.Nanoseconds) }, text: duration},
	{name: "allocs", title: "ALLOCS", help: "how often it has asked for memory", kind: cost, lower: true, of: func(t *bench.Total) float64 { return float64(t.Allocs) }, text: scaled},
	{name: "bytes", title: "BYTES", help: "how much memory it has asked for", kind: cost, lower: true, of: func(t *bench.Total) float64 { return float64(t.Bytes) }, text: scaled},
}

// explain is the part of the command's help about figures.
func explain() string {
	var b strings.Builder
	section := func(k kind) {
		for _, f := range figures {
			if f.kind == k {
				fmt.Fprintf(&b, "  %-11s  %s\n", f.title, strings.ReplaceAll(f.help, "\n", "\n"+strings.Repeat(" ", 15)))
			}
		}
	}
	section(always)
	b.WriteString("\nWith -o wide also, where they are not 0 throughout:\n\n")
	section(wide)
	b.WriteString("\nWith --time also:\n\n")
	section(cost)
	return b.String()
}

func (f *figure) format(x float64) string {
	if f.text != nil {
		return f.text(x)
	}
	return output.Number(x)
}

func duration(ns float64) string {
	d := time.Duration(ns)
	switch {
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= 10*time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(100 * time.Nanosecond).String()
}

func scaled(x float64) string {
	switch {
	case x >= 1e9:
		return output.Number(x/1e9) + "G"
	case x >= 1e6:
		return output.Number(x/1e6) + "M"
	case x >= 1e4:
		return output.Number(x/1e3) + "k"
	}
	return output.Number(x)
}

// worst is the worst of several runs: the largest, or the smallest where more is better.
func (f *figure) worst(list []float64) float64 {
	if f.higher {
		return slices.Min(list)
	}
	return slices.Max(list)
}

// median is the one in the middle, or the mean of the two that are.
func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return sorted[(n-1)/2]/2 + sorted[n/2]/2 // the sum might be beyond all numbers
}
