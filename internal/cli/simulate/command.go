// Package simulate is the command that shows what strategies would do to a group over a series of events. It reads the group and
// the events from where the command line says, has package simulation run them, and prints the result.
package simulate

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/cli/strategies"
	"github.com/assignkit/assignkit/internal/cli/subject"
	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/simulation"
)

// defaultStrategy applies where neither the command line nor the scenario names one.
const defaultStrategy = "sticky"

// options is what the command line says.
type options struct {
	subject.Options

	strategies []string
	whatIf     counts // of members to compare, zero if not asked for
	assertions []*simulation.Assertion
	question   question // a partition to explain
	junit      string   // the file for what became of them, "" for none
	html       string   // the file for the page, likewise

	full   bool
	format output.Format
}

const long = `Show what strategies would do to a group over a series of events: who
reads what, what moves, how even it is.

The group comes from flags; from a scenario file (YAML); from cases in JSON
lines (files that end in .json or .jsonl, or start with "{"); from a running
cluster, with --brokers and --group; or from what kafka-consumer-groups prints
with --describe, best with --members --verbose. "-" is standard input.

--trace has what was recorded by a consumer's members happen again, under each
strategy, and shows "recorded", what really happened, beside them. --import
takes a trace as well: its group as the last rebalance has left it.

Of a group in a cluster members keep the topics that they subscribe to, and who
joins reads all of them. Nothing in the cluster is changed.

Events from flags happen in the order of the command line, after those of the
scenario. Members are named one by one or, but for those that join, by patterns
such as 'billing-*'.

A deploy replaces members, each by a new one with an id of its own, unless they
are static: then they come back as themselves, and nothing moves. Compare

  --members 3 --deploy 'member-*'
  --members 3 --deploy 'member-*' --static

--assert, and assert: in a scenario, are expressions that have to be true after
each step, the start as well, such as

  skew <= 1
  all(members, .load <= 10)
  owner("payments", 0) == "billing-1"
  step.number == 0 || moved.voluntary <= 3

They may use the measures by their names in JSON, and moved, members,
partitions, owner(), step and strategy: docs/scenarios.md. What fails is told
after all is printed, and the exit code is 3.

`

const example = `  assignctl simulate --topics orders=12 --members 3 --join 1 \
    --strategy range,roundrobin,sticky
  assignctl simulate --topics orders=12,payments=6 --members a,b,c \
    --leave a --grow orders=24 -o wide
  assignctl simulate --topics orders=126 --what-if members=1..20
  assignctl simulate --topics orders=12 --members 3 --join 1 \
    --assert 'skew <= 1' --assert 'moved.excess == 0'
  assignctl simulate deploy.yaml --strategy sticky -o json
  assignctl simulate deploy.yaml --strategy sticky,range --html deploy.html
  assignctl simulate --brokers embedded --group billing --join 1
  kafka-consumer-groups.sh --bootstrap-server localhost:9092 \
    --describe --group billing --members --verbose | \
    assignctl simulate --import - --join 2
  assignctl simulate --trace rebalances.jsonl --strategy sticky,range`

// NewCommand returns the command; runF, if it is not nil, runs in place of what it does.
func NewCommand(io *iostreams.Streams, runF func(context.Context, *options) error) *cobra.Command {
	opts := &options{Options: subject.Options{IO: io}}
	if runF == nil {
		runF = run
	}
	cmd := &cobra.Command{
		Use:     "simulate [SCENARIO.yaml|CASES.jsonl|-]",
		Short:   "Show what strategies would do as members come and go",
		Long:    long + explain(false) + "\nWith -o wide also, where they are not 0 throughout:\n\n" + explain(true),
		Example: example,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Take(cmd, args)
			if err := opts.check(); err != nil {
				return err
			}
			return runF(cmd.Context(), opts)
		},
		ValidArgsFunction: subject.CompleteFile,
	}
	opts.addFlags(cmd)
	return cmd
}

func (o *options) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	o.AddGroupFlags(cmd)
	flags.FuncP("strategy", "s", "strategies to compare: `SPEC`,... (default: the scenario's, else sticky)", o.addStrategies)
	o.AddEventFlags(cmd)
	flags.Func("what-if", "compare numbers of members: `members=FROM..TO`", o.whatIf.parse)
	flags.Func("assert", "what has to be so after each step: `EXPR`, such as 'skew <= 1'; else exit code 3", o.addAssertion)
	flags.Func("explain", "tell also why a partition is where it is in the end: `TOPIC:PARTITION`", o.question.parse)
	flags.StringVar(&o.junit, "junit", "", "write what was asserted to `FILE`, as JUnit XML")
	flags.StringVar(&o.html, "html", "", "write charts and tables of all steps to `FILE`, as a page for a browser")
	flags.BoolVar(&o.full, "full", false, "show large groups in full")
	output.AddFlag(cmd, &o.format, output.Table, output.Wide, output.JSON, output.YAML)
	o.AddClusterFlags(cmd)

	strategies.CompleteFlag(cmd, "strategy", true)
}

func (o *options) addStrategies(text string) error {
	specs, err := subject.List(text)
	for _, spec := range specs {
		if !slices.Contains(o.strategies, spec) {
			o.strategies = append(o.strategies, spec)
		}
	}
	return err
}

// check refuses what contradicts itself.
func (o *options) check() error {
	o.AnyMembers = o.whatIf.asked()
	switch {
	case o.Empty == "" && o.whatIf.asked() && o.Trace != "":
		return fault.Usage("--what-if compares groups at rest; --import %s has the group as the trace ends", o.Trace)
	case o.Empty == "" && o.whatIf.asked() && len(o.Events) > 0:
		return fault.Usage("--what-if compares groups at rest; events have no place in it")
	case o.Empty == "" && o.whatIf.asked() && (len(o.assertions) > 0 || o.junit != ""):
		return fault.Usage("--assert and --junit are about steps; --what-if has none")
	case o.Empty == "" && o.whatIf.asked() && o.question.of != nil:
		return fault.Usage("--explain is about the last step; --what-if has none")
	case o.Empty == "" && o.whatIf.asked() && o.html != "":
		return fault.Usage("--html draws steps; --what-if has none")
	case o.html == "-":
		return fault.Usage("--html takes the name of a file; what is printed has the tables")
	}
	return o.Check()
}
