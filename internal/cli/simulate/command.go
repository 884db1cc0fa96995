// Package simulate is the command that shows what strategies would do to a group over a series of events. It reads the group and
// the events from where the command line says, has package simulation run them, and prints the result.
package simulate

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/cli/strategies"
	"github.com/assignkit/assignkit/internal/connect"
	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// defaultStrategy applies where neither the command line nor the scenario names one.
const defaultStrategy = "sticky"

// options is what the command line says.
type options struct {
	io *iostreams.Streams

	file          string // a scenario or cases, "-" for standard input, "" for none
	imported      string // text of kafka-consumer-groups or a trace, likewise
	trace         string // a trace whose events happen again, likewise
	connect       connect.Options
	group         string // which of the groups in it, or of the cluster; "" for the only one
	subscriptions string // what its members are taken to subscribe to: all or owned
	weights       string // what its partitions weigh: lag or none

	topics     []strategy.Topic
	members    []strategy.Member // nil: not given
	static     bool              // these have instance ids
	events     []simulation.Event
	strategies []string
	whatIf     counts // of members to compare, zero if not asked for
	assertions []*simulation.Assertion
	junit      string // the file for what became of them, "" for none

	empty  string // a flag that is given and says nothing
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
  assignctl simulate --brokers embedded --group billing --join 1
  kafka-consumer-groups.sh --bootstrap-server localhost:9092 \
    --describe --group billing --members --verbose | \
    assignctl simulate --import - --join 2
  assignctl simulate --trace rebalances.jsonl --strategy sticky,range`

// NewCommand returns the command; runF, if it is not nil, runs in place of what it does.
func NewCommand(io *iostreams.Streams, runF func(context.Context, *options) error) *cobra.Command {
	opts := &options{io: io}
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
			if len(args) > 0 {
				opts.file = args[0]
			}
			opts.empty = emptyFlag(cmd)
			if err := opts.check(); err != nil {
				return err
			}
			return runF(cmd.Context(), opts)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return []string{"yaml", "yml", "jsonl", "json"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	opts.addFlags(cmd)
	return cmd
}

func (o *options) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&textFlag{func(s string) error { return o.addTopics(s) }}, "topics", "the group's topics: `TOPIC=N`,... with N partitions")
	flags.Var(&textFlag{func(s string) error { return o.addMembers(s) }}, "members", "the group's members: how many, or their `NAMES`")
	flags.BoolVar(&o.static, "static", false, "the members of --members are static: they have instance ids")
	flags.StringVar(&o.imported, "import", "", "read the group from the text of kafka-consumer-groups, or a trace, in `FILE`")
	flags.StringVar(&o.trace, "trace", "", "have happen again what the trace in `FILE` has recorded")
	flags.StringVar(&o.group, "group", "", "the `NAME` of the group, with --brokers; with --import or --trace, if there are several")
	flags.StringVar(&o.subscriptions, "subscriptions", "", "with --import: members read `all|owned` topics (default all)")
	flags.StringVar(&o.weights, "weights", "", "with --brokers, --import and --trace: partitions weigh their `lag|none` (default lag, where any lags)")
	flags.VarP(&textFlag{func(s string) error { return o.addStrategies(s) }}, "strategy", "s", "strategies to compare: `SPEC`,... (default: the scenario's, else sticky)")
	addEventFlags(cmd, &o.events)
	flags.Var(&textFlag{o.whatIf.parse}, "what-if", "compare numbers of members: `members=FROM..TO`")
	flags.Var(&textFlag{func(s string) error { return o.addAssertion(s) }}, "assert", "what has to be so after each step: `EXPR`, such as 'skew <= 1'; else exit code 3")
	flags.StringVar(&o.junit, "junit", "", "write what was asserted to `FILE`, as JUnit XML")
	flags.BoolVar(&o.full, "full", false, "show large groups in full")
	output.AddFlag(cmd, &o.format, output.Table, output.Wide, output.JSON, output.YAML)
	connect.AddFlags(cmd, &o.connect)

	strategies.CompleteFlag(cmd, "strategy", true)
	_ = cmd.RegisterFlagCompletionFunc("weights", cobra.FixedCompletions([]string{"lag", "none"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("subscriptions", cobra.FixedCompletions([]string{"all", "owned"}, cobra.ShellCompDirectiveNoFileComp))
}

// emptyFlag names a flag that is given as "", as an unset variable of a shell is, "" if none is.
func emptyFlag(cmd *cobra.Command) (name string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" {
			name = f.Name
		}
	})
	return name
}

// textFlag is a flag that a function takes, as often as it is given.
type textFlag struct{ take func(string) error }

func (f *textFlag) String() string         { return "" }
func (f *textFlag) Type() string           { return "text" }
func (f *textFlag) Set(value string) error { return f.take(value) }

func (o *options) addTopics(text string) error {
	more, err := topics(text)
	if err != nil {
		return err
	}
	for _, t := range more {
		if slices.ContainsFunc(o.topics, func(other strategy.Topic) bool { return other.Name == t.Name }) {
			return fault.Usage("topic %s is listed twice", t.Name)
		}
	}
	o.topics = append(o.topics, more...)
	return nil
}

func (o *options) addMembers(text string) error {
	if o.members != nil {
		return fault.Usage("--members is given twice")
	}
	var err error
	o.members, err = members(text)
	return err
}

func (o *options) addStrategies(text string) error {
	specs, err := list(text)
	for _, spec := range specs {
		if !slices.Contains(o.strategies, spec) {
			o.strategies = append(o.strategies, spec)
		}
	}
	return err
}

// check refuses what contradicts itself.
func (o *options) check() error {
	byFlags := o.topics != nil || o.members != nil
	cluster := o.fromCluster()
	switch {
	case o.empty != "":
		return fault.Usage("--%s is empty", o.empty)
	case o.file != "" && o.imported != "":
		return fault.Usage("a scenario and --import are two groups; one is wanted")
	case o.file != "" && byFlags:
		return fault.Usage("--topics and --members make a group of their own; %s is one already. Events can change it: --join, --create, ...", o.file)
	case o.imported != "" && byFlags:
		return fault.Usage("--topics and --members make a group of their own; --import is one already. Events can change it: --join, --create, ...")
	case o.trace != "" && (o.file != "" || o.imported != "" || cluster || byFlags):
		return fault.Usage("--trace is a group and what happened to it; another one is not wanted. Further events can follow: --join, --create, ...")
	case cluster && o.imported != "":
		return fault.Usage("--brokers and --import are two groups; one is wanted")
	case cluster && o.file != "":
		return fault.Usage("--brokers and %s are two groups; one is wanted", o.file)
	case cluster && byFlags:
		return fault.Usage("--topics and --members make a group of their own; --brokers is for one that runs. Events can change it: --join, --create, ...")
	case cluster && o.group == "":
		return fault.Usage("--group is missing: which group of the cluster; group list has them")
	case cluster && o.subscriptions != "":
		return fault.Usage("--subscriptions says what to make of --import; a cluster tells what members read")
	case o.static && o.members == nil:
		return fault.Usage("--static says what the members of --members are, which is missing")
	case o.trace != "" && o.whatIf.asked():
		return fault.Usage("--what-if compares groups at rest; --import %s has the group as the trace ends", o.trace)
	case o.imported == "" && o.trace == "" && !cluster && (o.group != "" || o.weights != ""), o.imported == "" && !cluster && o.subscriptions != "":
		return fault.Usage("--group, --subscriptions and --weights are about the group of --brokers or --import, which is missing")
	case o.weights != "" && o.weights != "lag" && o.weights != "none":
		return fault.Usage("--weights %s: there are lag, none", o.weights)
	case o.subscriptions != "" && o.subscriptions != "all" && o.subscriptions != "owned":
		return fault.Usage("--subscriptions %s: there are all, owned", o.subscriptions)
	case o.whatIf.asked() && len(o.events) > 0:
		return fault.Usage("--what-if compares groups at rest; events have no place in it")
	case o.whatIf.asked() && (len(o.assertions) > 0 || o.junit != ""):
		return fault.Usage("--assert and --junit are about steps; --what-if has none")
	case o.file != "" || o.imported != "" || o.trace != "" || cluster:
		return nil
	case o.topics == nil && o.members == nil:
		return fault.Usage("no group to simulate: name a scenario, or give --topics and --members, --brokers and --group, or --import")
	case o.topics == nil:
		return fault.Usage("--topics is missing")
	case o.members == nil && !o.whatIf.asked():
		return fault.Usage("--members is missing")
	}
	return nil
}
