// Package bench is the command that shows what strategies make of workloads: groups in which members come and go. It finds the workloads
// that are asked for, has package bench run them, and prints what came of it, or what differs from an earlier time.
package bench

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/cli/strategies"
	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/simulation"
)

// csvFormat is beside those that commands share.
const csvFormat output.Format = "csv"

// options is what the command line says.
type options struct {
	io *iostreams.Streams

	workloads  []string // names, beginnings of names, patterns, files
	strategies []string
	seeds      int
	first      uint64
	time       bool
	steps      bool
	list       bool
	assertions []*simulation.Assertion
	junit      string // the file for what became of them, "" for none
	html       string // the file for the page, likewise
	compare    string // a file of results to compare with, "" for none
	failWorse  bool
	format     output.Format

	empty string // a flag that is given and says nothing
}

const long = `Show what strategies make of workloads: groups in which members come and
go, as they do in production, drawn from seeds. Each workload runs under each
strategy with each seed; tables have the median over the seeds, and behind it
the worst in parentheses where that is another.

A workload is chosen by its name, by the beginning of names up to a slash
(rolling, grid/nested), or by a pattern ('rolling/*/one'); profiles are those
that tell of production, grid those that are groups of all sizes, and all is
both. --list has them. It may also be a file: a scenario as simulate reads it,
or the trace of a consumer. In these nothing is drawn: every seed gives the
same.

All that is printed is the same on every machine, but for what --time adds.
Results go into a file with -o json, and --compare tells what has become of
them since:

  assignctl bench -o json > before.json
  assignctl bench --compare before.json

--assert is an expression that has to be true after each step of each workload,
as in simulate; the assertions of a scenario are checked as well. What fails is
told after all is printed, and the exit code is 3.

`

const example = `  assignctl bench --list
  assignctl bench --workload rolling,herd --strategy sticky,range
  assignctl bench --workload profiles --strategy sticky --seeds 1 \
    --assert 'excess == 0' --assert 'regret == 0'
  assignctl bench --workload 'grid/nested/*/members=20' --time
  assignctl bench --workload growth -o csv --steps
  assignctl bench --workload rolling/one --html rolling.html`

// NewCommand returns the command; runF, if it is not nil, runs in place of what it does.
func NewCommand(io *iostreams.Streams, runF func(context.Context, *options) error) *cobra.Command {
	opts := &options{io: io}
	if runF == nil {
		runF = run
	}
	cmd := &cobra.Command{
		Use:     "bench",
		Short:   "Compare strategies over churn as it is in production",
		Long:    long + explain(),
		Example: example,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.empty = emptyFlag(cmd)
			if err := opts.check(cmd); err != nil {
				return err
			}
			return runF(cmd.Context(), opts)
		},
	}
	opts.addFlags(cmd)
	return cmd
}

func (o *options) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.FuncP("workload", "w", "`NAMES`, patterns, files of workloads, or profiles, grid, all (default profiles)", func(s string) error { return add(&o.workloads, s) })
	flags.FuncP("strategy", "s", "strategies to compare: `SPEC`,... (default sticky,range,roundrobin)", func(s string) error { return add(&o.strategies, s) })
	flags.IntVar(&o.seeds, "seeds", 5, "how many seeds each workload is drawn from")
	flags.Uint64Var(&o.first, "seed", 1, "the first `SEED`; the others count on")
	flags.BoolVar(&o.time, "time", false, "measure the time and the memory that strategies take, one run at a time")
	flags.Func("assert", "what has to be so after each step: `EXPR`, such as 'excess == 0'; else exit code 3", o.addAssertion)
	flags.StringVar(&o.junit, "junit", "", "write what was asserted to `FILE`, as JUnit XML")
	flags.StringVar(&o.html, "html", "", "write tables, and charts of all steps, to `FILE`, as a page for a browser")
	flags.StringVar(&o.compare, "compare", "", "show what differs from the results in `FILE`, made by -o json")
	flags.BoolVar(&o.failWorse, "fail-if-worse", false, "with --compare: exit code 3 if anything but time and memory is worse")
	flags.BoolVar(&o.steps, "steps", false, "with -o json and csv: all steps, not only what they come to")
	flags.BoolVar(&o.list, "list", false, "list the workloads and run none")
	output.AddFlag(cmd, &o.format, output.Table, output.Wide, output.JSON, csvFormat)

	strategies.CompleteFlag(cmd, "strategy", true)
	_ = cmd.RegisterFlagCompletionFunc("workload", completeWorkloads)
}

// completeWorkloads lists what there is, behind what is written before the last comma.
func completeWorkloads(_ *cobra.Command, _ []string, written string) ([]string, cobra.ShellCompDirective) {
	before := written[:strings.LastIndexByte(written, ',')+1]
	out := []string{before + all + "\teverything", before + profiles + "\tchurn as it is told of production", before + "grid\tgroups of all sizes"}
	for _, w := range bench.Profiles() {
		out = append(out, before+w.Name+"\t"+w.Summary)
	}
	return out, cobra.ShellCompDirectiveNoSpace
}

// add adds what is separated by commas to a list, each once.
func add(list *[]string, text string) error {
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			return fault.Usage("%q has an empty item", text)
		}
		if !slices.Contains(*list, item) {
			*list = append(*list, item)
		}
	}
	return nil
}

func (o *options) addAssertion(text string) error {
	a, err := simulation.ParseAssertion(text)
	if err != nil {
		return err
	}
	o.assertions = append(o.assertions, a)
	return nil
}

// emptyFlag names a flag that is given as "", as an unset variable of a shell is, "" if none is.
func emptyFlag(cmd *cobra.Command) string {
	for _, name := range []string{"junit", "html", "compare"} {
		if f := cmd.Flags().Lookup(name); f.Changed && f.Value.String() == "" {
			return name
		}
	}
	return ""
}

// maxSeeds bounds what a number that is too large by mistake would ask for.
const maxSeeds = 1000

// check refuses what contradicts itself.
func (o *options) check(cmd *cobra.Command) error {
	lines := o.format == output.JSON || o.format == csvFormat
	switch {
	case o.empty != "":
		return fault.Usage("--%s is empty", o.empty)
	case o.html == "-":
		return fault.Usage("--html takes the name of a file; what is printed has the tables")
	case o.seeds < 1 || o.seeds > maxSeeds:
		return fault.Usage("--seeds %d: 1 to %d are possible", o.seeds, maxSeeds)
	case o.steps && !lines:
		return fault.Usage("--steps is for -o json and csv; simulate shows the steps of a scenario")
	case o.compare != "" && o.format == csvFormat:
		return fault.Usage("--compare prints a table, or JSON; -o csv has results")
	case o.compare != "" && o.steps:
		return fault.Usage("--compare is about what all steps come to; --steps adds nothing to it")
	case o.failWorse && o.compare == "":
		return fault.Usage("--fail-if-worse: worse than what? --compare says it")
	case o.list && o.format == csvFormat:
		return fault.Usage("--list prints a table, or JSON")
	}
	if !o.list {
		return nil
	}
	for _, name := range []string{"strategy", "seeds", "seed", "time", "assert", "junit", "html", "compare", "steps"} {
		if cmd.Flags().Changed(name) {
			return fault.Usage("--list runs nothing, so --%s has no place in it", name)
		}
	}
	return nil
}
