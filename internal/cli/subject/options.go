// Package subject has what a command line wants looked at: a group, and what happens to it. It comes from flags, a scenario, cases, a
// running cluster, the text of kafka-consumer-groups or a trace.
//
// What belongs here: the flags that say so, reading it, and what there is to tell about what was read. What does not: what a command then
// does with it.
package subject

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/connect"
	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// Options is what the command line says.
type Options struct {
	IO *iostreams.Streams

	File          string // a scenario or cases, "-" for standard input, "" for none
	Import        string // text of kafka-consumer-groups or a trace, likewise
	Trace         string // a trace whose events happen again, likewise
	Connect       connect.Options
	Group         string // which of the groups in it, or of the cluster; "" for the only one
	Subscriptions string // what its members are taken to subscribe to: all or owned
	Weights       string // what its partitions weigh: lag or none

	Topics  []strategy.Topic
	Members []strategy.Member // nil: not given
	Static  bool              // these have instance ids
	Events  []simulation.Event

	Empty      string // a flag that is given and says nothing
	AnyMembers bool   // a group without members will do
}

// AddGroupFlags adds the flags that say which group it is.
func (o *Options) AddGroupFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Func("topics", "the group's topics: `TOPIC=N`,... with N partitions", o.addTopics)
	flags.Func("members", "the group's members: how many, or their `NAMES`", o.addMembers)
	flags.BoolVar(&o.Static, "static", false, "the members of --members are static: they have instance ids")
	flags.StringVar(&o.Import, "import", "", "read the group from the text of kafka-consumer-groups, or a trace, in `FILE`")
	flags.StringVar(&o.Trace, "trace", "", "have happen again what the trace in `FILE` has recorded")
	flags.StringVar(&o.Group, "group", "", "the `NAME` of the group, with --brokers; with --import or --trace, if there are several")
	flags.StringVar(&o.Subscriptions, "subscriptions", "", "with --import: members read `all|owned` topics (default all)")
	flags.StringVar(&o.Weights, "weights", "", "with --brokers, --import and --trace: partitions weigh their `lag|none` (default lag, where any lags)")
	_ = cmd.RegisterFlagCompletionFunc("weights", cobra.FixedCompletions([]string{"lag", "none"}, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("subscriptions", cobra.FixedCompletions([]string{"all", "owned"}, cobra.ShellCompDirectiveNoFileComp))
}

// AddClusterFlags adds those that say how to reach a cluster.
func (o *Options) AddClusterFlags(cmd *cobra.Command) { connect.AddFlags(cmd, &o.Connect) }

// Take takes in what a command was started with, before [Options.Check].
func (o *Options) Take(cmd *cobra.Command, args []string) {
	if len(args) > 0 {
		o.File = args[0]
	}
	cmd.Flags().Visit(func(f *pflag.Flag) { // an unset variable of a shell is such a value
		if f.Value.Type() == "string" && f.Value.String() == "" {
			o.Empty = f.Name
		}
	})
}

// CompleteFile completes the argument that is a scenario or cases.
func CompleteFile(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"yaml", "yml", "jsonl", "json"}, cobra.ShellCompDirectiveFilterFileExt
}

func (o *Options) addTopics(text string) error {
	more, err := topics(text)
	if err != nil {
		return err
	}
	for _, t := range more {
		if slices.ContainsFunc(o.Topics, func(other strategy.Topic) bool { return other.Name == t.Name }) {
			return fault.Usage("topic %s is listed twice", t.Name)
		}
	}
	o.Topics = append(o.Topics, more...)
	return nil
}

func (o *Options) addMembers(text string) error {
	if o.Members != nil {
		return fault.Usage("--members is given twice")
	}
	var err error
	o.Members, err = members(text)
	return err
}

// Check refuses what contradicts itself.
func (o *Options) Check() error {
	byFlags := o.Topics != nil || o.Members != nil
	cluster := o.FromCluster()
	switch {
	case o.Empty != "":
		return fault.Usage("--%s is empty", o.Empty)
	case o.File != "" && o.Import != "":
		return fault.Usage("a scenario and --import are two groups; one is wanted")
	case o.File != "" && byFlags:
		return fault.Usage("--topics and --members make a group of their own; %s is one already. Events can change it: --join, --create, ...", o.File)
	case o.Import != "" && byFlags:
		return fault.Usage("--topics and --members make a group of their own; --import is one already. Events can change it: --join, --create, ...")
	case o.Trace != "" && (o.File != "" || o.Import != "" || cluster || byFlags):
		return fault.Usage("--trace is a group and what happened to it; another one is not wanted. Further events can follow: --join, --create, ...")
	case cluster && o.Import != "":
		return fault.Usage("--brokers and --import are two groups; one is wanted")
	case cluster && o.File != "":
		return fault.Usage("--brokers and %s are two groups; one is wanted", o.File)
	case cluster && byFlags:
		return fault.Usage("--topics and --members make a group of their own; --brokers is for one that runs. Events can change it: --join, --create, ...")
	case cluster && o.Group == "":
		return fault.Usage("--group is missing: which group of the cluster; group list has them")
	case cluster && o.Subscriptions != "":
		return fault.Usage("--subscriptions says what to make of --import; a cluster tells what members read")
	case o.Static && o.Members == nil:
		return fault.Usage("--static says what the members of --members are, which is missing")
	case o.Import == "" && o.Trace == "" && !cluster && (o.Group != "" || o.Weights != ""), o.Import == "" && !cluster && o.Subscriptions != "":
		return fault.Usage("--group, --subscriptions and --weights are about the group of --brokers or --import, which is missing")
	case o.Weights != "" && o.Weights != "lag" && o.Weights != "none":
		return fault.Usage("--weights %s: there are lag, none", o.Weights)
	case o.Subscriptions != "" && o.Subscriptions != "all" && o.Subscriptions != "owned":
		return fault.Usage("--subscriptions %s: there are all, owned", o.Subscriptions)
	case o.File != "" || o.Import != "" || o.Trace != "" || cluster:
		return nil
	case o.Topics == nil && o.Members == nil:
		return fault.Usage("no group to simulate: name a scenario, or give --topics and --members, --brokers and --group, or --import")
	case o.Topics == nil:
		return fault.Usage("--topics is missing")
	case o.Members == nil && !o.AnyMembers:
		return fault.Usage("--members is missing")
	}
	return nil
}
