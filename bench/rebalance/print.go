package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// A table is one to print, as text or as Markdown.
type table struct {
	title, note string
	head        []string
	rows        [][]string
	problems    []string // why rows have fewer runs than others
}

const none = "–"

// tables turns a report into what a person reads.
func (r *Report) tables() []table {
	var list []table
	for _, sc := range scenarios {
		if t := r.scenarioTable(sc); len(t.rows) > 0 {
			list = append(list, t)
		}
	}
	for _, t := range []table{r.failoverTable(), r.loadTable(), r.verdictTable()} {
		if len(t.rows) > 0 {
			list = append(list, t)
		}
	}
	return list
}

func (r *Report) scenarioTable(sc scenario) table {
	t := table{
		title: strings.ToUpper(sc.title[:1]) + sc.title[1:],
		head:  []string{"client", "runs", "stay, ms", "move, ms", "control, ms", "stay - control, worst", "twice", "lost"},
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Scenario != sc.name {
			continue
		}
		cells := []string{row.Client, strconv.Itoa(len(row.Runs)), none, none, none, none, none, none}
		if len(row.Runs) > 0 {
			cells[2] = spread(row.collect(func(r *Run) []float64 { return r.Kept }))
			cells[3] = spread(row.collect(func(r *Run) []float64 { return r.Moved }))
			cells[4] = spread(row.collect(func(r *Run) []float64 { return r.Control }))
			cells[5] = fmt.Sprintf("%.0f", row.worst(func(r *Run) float64 { return r.Excess }))
			cells[6] = strconv.Itoa(row.sum(func(r *Run) int { return r.Repeated }))
			cells[7] = strconv.Itoa(row.sum(func(r *Run) int { return r.Lost }))
		}
		t.add(cells, row.Client, row.Problem)
	}
	if sc.name == "slow" {
		t.note = fmt.Sprintf("The slow one takes %v.", r.Settings.Slow)
	}
	return t
}

// add adds a row, and the problem that it has, if it has one.
func (t *table) add(cells []string, name, problem string) {
	if problem != "" {
		cells[1] += ", failed"
		t.problems = append(t.problems, name+" failed: "+problem)
	}
	t.rows = append(t.rows, cells)
}

// spread is a median and a maximum.
func spread(list []float64) string {
	if len(list) == 0 {
		return none
	}
	return fmt.Sprintf("%.0f / %.0f", median(list), slices.Max(list))
}

func (r *Report) failoverTable() table {
	t := table{
		title: strings.ToUpper(failoverTitle[:1]) + failoverTitle[1:],
		note: fmt.Sprintf("\"Waits\" is partition %d, whose handler waits for a commit after each record, where commits are synchronous. \"Away\" is the time "+
			"until commits were accepted again. A client's callbacks are counted from the kill until all had settled.", syncPartition),
		head: []string{"client", "runs", "commits", "others, ms", "waits, ms", "control, ms", "away, s", "failed commits", "callbacks", "generation", "uncommitted in the end", "twice", "lost"},
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Scenario != failoverName {
			continue
		}
		cells := append([]string{row.Client, strconv.Itoa(len(row.Runs)), string(row.Commits)}, slices.Repeat([]string{none}, len(t.head)-3)...)
		if len(row.Runs) > 0 {
			copy(cells[3:], row.failoverCells())
		}
		t.add(cells, fmt.Sprintf("%s, %s commits", row.Client, row.Commits), row.Problem)
	}
	return t
}

func (r *Row) failoverCells() []string {
	var away []float64
	var generations []string
	for i := range r.Runs {
		f := r.Runs[i].Coordinator
		away = append(away, f.Away.Seconds())
		if g := fmt.Sprintf("%d → %d", f.Before, f.After); !slices.Contains(generations, g) {
			generations = append(generations, g)
		}
	}
	others := append(r.collect(func(r *Run) []float64 { return r.Kept }), r.collect(func(r *Run) []float64 { return r.Moved })...)
	number := func(of func(*Run) int) string { return strconv.Itoa(r.sum(of)) }
	return []string{
		spread(others),
		spread(r.collect(func(r *Run) []float64 { return r.Waiting })),
		spread(r.collect(func(r *Run) []float64 { return r.Control })),
		fmt.Sprintf("%.1f", median(away)),
		number(func(r *Run) int { return r.Coordinator.Failed }),
		number(func(r *Run) int { return r.Coordinator.Callbacks }),
		strings.Join(generations, ", "),
		number(func(r *Run) int { return r.Uncommitted }),
		number(func(r *Run) int { return r.Repeated }),
		number(func(r *Run) int { return r.Lost }),
	}
}

func (r *Report) loadTable() table {
	t := table{
		title: fmt.Sprintf("One process reads %d records of %d bytes from %d partitions", r.Records, loadSize, loadPartitions),
		note: "Processor time is that of the whole process, a record; ratios are medians of those in the same round. " +
			"Records a second depend on the broker, which runs on the same machine.",
		head: []string{"reader", "rounds", "µs a record", "fastest", "to franz-go", "to Sarama's group", "records/s"},
	}
	for _, l := range r.Loads {
		cells := []string{l.Client, strconv.Itoa(len(l.CPU)), none, none, none, none, none}
		if len(l.CPU) > 0 {
			cells[2], cells[3] = fmt.Sprintf("%.3f", median(l.CPU)/1e3), fmt.Sprintf("%.3f", slices.Min(l.CPU)/1e3)
			cells[6] = fmt.Sprintf("%.1f M", median(l.Rate)/1e6)
		}
		for i, against := range []string{"franz-go group", "sarama ConsumerGroup"} {
			if ratio, ok := r.ratio(l.Client, against); ok {
				cells[4+i] = fmt.Sprintf("%.2f ×", ratio)
			}
		}
		t.add(cells, l.Client, l.Problem)
	}
	return t
}

func (r *Report) verdictTable() table {
	t := table{title: "Targets", head: []string{"target", "outcome", "measured"}}
	for _, v := range r.Verdicts {
		if v.Outcome != notMeasured {
			t.rows = append(t.rows, []string{v.Target, v.Outcome, v.Measured})
		}
	}
	return t
}

// about says how the tables came to be.
func (r *Report) about() string {
	s := r.Settings
	return fmt.Sprintf(`Made by `+"`go -C bench/rebalance run .`"+` on %d cores, %s %s/%s, with real brokers on the same machine: %d partitions, a record each %v,
heartbeats each %v, %d runs of each client. Times are the longest without a delivery, of each partition, median / maximum. "Stay" are
partitions whose owner did not change, "move" the others, "control" is a reader outside the group at the same time. "Twice" and "lost" are
records, in all runs; lost is what had not been delivered %v after the producer's end.`,
		runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, s.Partitions, every, s.heartbeat(), r.Repeats, s.Patience)
}

// writeText writes aligned columns.
func (r *Report) writeText(w io.Writer) error {
	for _, t := range r.tables() {
		fmt.Fprintf(w, "\n%s\n", t.title)
		columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, cells := range append([][]string{t.head}, t.rows...) {
			fmt.Fprintln(columns, strings.Join(cells, "\t"))
		}
		if err := columns.Flush(); err != nil {
			return err
		}
		for _, p := range t.problems {
			fmt.Fprintln(w, p)
		}
	}
	return nil
}

// writeMarkdown writes a page with headings from the first level on.
func (r *Report) writeMarkdown(w io.Writer) error {
	fmt.Fprintf(w, "# Rebalances and reading, on real brokers\n\n%s\n", r.about())
	clean := strings.NewReplacer("\n", " ", "|", `\|`)
	for _, t := range r.tables() {
		fmt.Fprintf(w, "\n## %s\n\n", t.title)
		if t.note != "" {
			fmt.Fprintf(w, "%s\n\n", t.note)
		}
		fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(t.head, " | "), strings.Repeat("---|", len(t.head)))
		for _, cells := range t.rows {
			for i := range cells {
				if cells[i] = clean.Replace(cells[i]); cells[i] == missed {
					cells[i] = "**missed**"
				}
			}
			if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")); err != nil {
				return err
			}
		}
		for _, p := range t.problems {
			fmt.Fprintf(w, "\n%s\n", clean.Replace(p))
		}
	}
	return nil
}
