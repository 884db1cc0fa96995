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
	var all []table
	for _, brokers := range []int{1, 3} {
		for i := range scenarios {
			if sc := &scenarios[i]; sc.deploy {
				all = append(all, r.deployTable(sc, brokers))
			} else {
				all = append(all, r.scenarioTable(sc, brokers))
			}
		}
	}
	all = append(all, r.failoverTable(), r.loadTable(), r.verdictTable())
	return slices.DeleteFunc(all, func(t table) bool { return len(t.rows) == 0 })
}

// title begins a heading.
func title(text string, brokers int) string {
	text = strings.ToUpper(text[:1]) + text[1:]
	if brokers > 1 {
		text += ", on " + brokersText(brokers)
	}
	return text
}

func (r *Report) scenarioTable(sc *scenario, brokers int) table {
	t := table{
		title: title(sc.title, brokers),
		head:  []string{"client", "runs", "stay, ms", "move, ms", "control, ms", "stay - control, worst", "move - control, worst", "twice", "lost"},
	}
	if sc.apart != "" {
		t.head = slices.Insert(t.head, 4, sc.apart+", ms")
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Scenario != sc.name || row.Brokers != brokers {
			continue
		}
		cells := append([]string{row.Client, strconv.Itoa(len(row.Runs))}, slices.Repeat([]string{none}, len(t.head)-2)...)
		if len(row.Runs) > 0 {
			copy(cells[2:], row.scenarioCells(sc.apart != ""))
		}
		t.add(cells, row.Client, row.Problem)
	}
	if sc.name == "slow" {
		t.note = fmt.Sprintf("The slow one takes %v. Partitions that move away from it are not in \"move\".", r.Settings.Slow)
	}
	if sc.beside {
		t.note = "Partitions that move away from members of Java's are not in \"move\"."
	}
	return t
}

func (r *Row) scenarioCells(split bool) []string {
	cells := []string{spread(r.collect(ofKept)), spread(r.collect(ofMoved))}
	if split {
		cells = append(cells, spread(r.collect(ofApart)))
	}
	above := none
	if list := r.each(func(r *Run) float64 { return r.MovedExcess }); len(r.collect(ofMoved)) > 0 {
		above = fmt.Sprintf("%.0f", slices.Max(list))
	}
	return append(cells, spread(r.collect(ofControl)), fmt.Sprintf("%.0f", slices.Max(r.each(func(r *Run) float64 { return r.Excess }))), above,
		strconv.Itoa(r.sum(func(r *Run) int { return r.Repeated })), strconv.Itoa(r.sum(func(r *Run) int { return r.Lost })))
}

func (r *Report) deployTable(sc *scenario, brokers int) table {
	t := table{
		title: title(sc.title, brokers),
		note: fmt.Sprintf("%d members, %d partitions, a record each %v. \"Without an owner\" adds up, for all partitions, times without a delivery, as far as each "+
			"is longer than the control reader's longest during the same restart.", r.Deploys.Members, r.Deploys.Partitions, r.Deploys.Every),
		head: []string{"client", "runs", "without an owner, partition-seconds", "rounds", "move, ms", "control, ms", "twice", "lost"},
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Scenario != sc.name || row.Brokers != brokers {
			continue
		}
		cells := append([]string{row.Client, strconv.Itoa(len(row.Runs))}, slices.Repeat([]string{none}, len(t.head)-2)...)
		if len(row.Runs) > 0 {
			cells[2] = fmt.Sprintf("%.1f", median(row.each(ownerless)))
			cells[3] = fmt.Sprintf("%.0f", median(row.each(func(r *Run) float64 { return float64(r.Rounds) })))
			cells[4], cells[5] = spread(row.collect(ofMoved)), spread(row.collect(ofControl))
			cells[6] = strconv.Itoa(row.sum(func(r *Run) int { return r.Repeated }))
			cells[7] = strconv.Itoa(row.sum(func(r *Run) int { return r.Lost }))
		}
		t.add(cells, row.Client, row.Problem)
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
		title: title(failoverTitle, 1),
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
	others := slices.Concat(r.collect(ofKept), r.collect(ofMoved))
	number := func(of func(*Run) int) string { return strconv.Itoa(r.sum(of)) }
	return []string{
		spread(others),
		spread(r.collect(func(r *Run) []float64 { return r.Waiting })),
		spread(r.collect(ofControl)),
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
	return fmt.Sprintf(`Made by `+"`go -C bench/rebalance run .`"+` on %d cores, %s %s/%s, with real brokers on the same machine: where nothing else is said one broker,
%d partitions, a record each %v, heartbeats each %v. Times are the longest without a delivery, of each partition, median / maximum. "Stay"
are partitions whose owner did not change, "move" the others, "control" is a reader outside the group at the same time. "Twice" and "lost"
are records, in all runs; lost is what had not been delivered %v after the producer's end.`,
		runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, s.Partitions, s.Every, s.heartbeat(), s.Patience)
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

// writeMarkdown writes a page with headings from the first level on. A picture is the address of the chart, if there is one.
func (r *Report) writeMarkdown(w io.Writer, picture string) error {
	fmt.Fprintf(w, "# Rebalances and reading, on real brokers\n\n%s\n", r.about())
	if picture != "" {
		fmt.Fprintf(w, "\n![%s](%s)\n", chartTitle, picture)
	}
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
