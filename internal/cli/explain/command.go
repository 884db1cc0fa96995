// Package explain is the command that tells why a partition is with a member: after which step, by which objective, and what would change if
// another member had it.
package explain

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/cli/strategies"
	"github.com/assignkit/assignkit/internal/cli/subject"
	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// defaultStrategy applies where neither the command line nor the scenario names one.
const defaultStrategy = "sticky"

// options is what the command line says.
type options struct {
	subject.Options

	strategy  string
	topic     string
	partition int32 // -1: not given
	member    string
	step      int // -1: the last
	full      bool
	format    output.Format
}

const long = `Tell why a partition is with the member that has it, under a strategy: who
may have it, what it adds to a load, which objective decided, and for every
member what would change if the partition moved there. --member asks why it is
not with that one.

The group and what happens to it come from where 'assignctl simulate' takes
them: flags, a scenario, a running cluster with --brokers and --group, the text
of kafka-consumer-groups, a trace. What is explained is the last step, or that
of --step; 0 is the start. Of a running group that is what the strategy would
do if it rebalanced now.

Strategies that do not tell why they decide are explained by what follows from
the group and their answer, and it is said that this is so.

`

const example = `  assignctl explain --topics orders=12 --members 3 --join 1 \
    --topic orders --partition 7
  assignctl explain deploy.yaml --topic orders --partition 7 \
    --member billing-1
  assignctl explain --brokers embedded --group billing \
    --topic orders --partition 7 -o json`

// NewCommand returns the command.
func NewCommand(io *iostreams.Streams) *cobra.Command {
	opts := &options{Options: subject.Options{IO: io}}
	cmd := &cobra.Command{
		Use:     "explain --topic TOPIC --partition N [SCENARIO.yaml|CASES.jsonl|-]",
		Short:   "Tell why a partition is with a member, and not with another",
		Long:    long,
		Example: example,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Take(cmd, args)
			if err := opts.check(cmd); err != nil {
				return err
			}
			return run(cmd.Context(), opts)
		},
		ValidArgsFunction: subject.CompleteFile,
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opts.topic, "topic", "", "the partition's `TOPIC`, or TOPIC:PARTITION without --partition")
	flags.Int32Var(&opts.partition, "partition", -1, "its `NUMBER`, from 0")
	flags.StringVar(&opts.member, "member", "", "why `MEMBER` does not have it: an id, an instance id, or how only its id begins")
	flags.IntVar(&opts.step, "step", -1, "explain step `N`, 0 for the start (default the last)")
	flags.StringVarP(&opts.strategy, "strategy", "s", "", "the strategy: a `SPEC` (default: the scenario's first, else sticky)")
	opts.AddGroupFlags(cmd)
	opts.AddEventFlags(cmd)
	flags.BoolVar(&opts.full, "full", false, "show all members of large groups")
	output.AddFlag(cmd, &opts.format, output.Table, output.Wide, output.JSON, output.YAML)
	opts.AddClusterFlags(cmd)
	strategies.CompleteFlag(cmd, "strategy", false)
	return cmd
}

// check refuses what makes no sense.
func (o *options) check(cmd *cobra.Command) error {
	numbered := cmd.Flags().Changed("partition")
	if of, err := ParsePartition(o.topic); err == nil && !numbered {
		o.topic, o.partition, numbered = of.Topic, of.Partition, true
	}
	switch {
	case o.Empty != "":
		return fault.Usage("--%s is empty", o.Empty)
	case o.topic == "":
		return fault.Usage("--topic is missing: of which topic is the partition?")
	case !numbered:
		return fault.Usage("--partition is missing: which one of %s?", output.Clean(o.topic))
	case o.partition < 0:
		return fault.Usage("--partition %d: partitions are numbered from 0", o.partition)
	case cmd.Flags().Changed("step") && o.step < 0:
		return fault.Usage("--step %d: steps are numbered from 0, the start", o.step)
	}
	return o.Check()
}

// run is the command.
func run(ctx context.Context, o *options) (err error) {
	subjects, err := o.Load(ctx)
	if err != nil {
		return err
	}
	if len(subjects) > 1 {
		return fmt.Errorf("explain takes one case; there are %d", len(subjects))
	}
	scenario := &subjects[0].Scenario
	spec, a, err := o.assignor(scenario)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, strategy.Close(a)) }()
	strategies.Attend(o.IO, a)
	result, err := simulation.Run(ctx, scenario, spec, a)
	if err != nil {
		return err
	}
	if o.step >= len(result.Steps) {
		return fault.Usage("--step %d: there are steps 0, the start, to %d", o.step, len(result.Steps)-1)
	}
	if o.step < 0 {
		o.step = len(result.Steps) - 1
	}
	account, err := Of(ctx, result, a, o.step, strategy.TopicPartition{Topic: o.topic, Partition: o.partition})
	if err != nil {
		return err
	}
	if err := account.Ask(o.member); err != nil {
		return err
	}
	if o.format == output.JSON || o.format == output.YAML {
		doc, err := output.EncodeJSON(account)
		if err != nil {
			return err
		}
		return output.Print(o.IO.Out, o.format, doc)
	}
	v := View{Paper: output.Paper{Width: o.IO.Width, Color: o.IO.Color}, Wide: o.format == output.Wide, Full: o.full, Steps: true}
	_, err = o.IO.Out.Write(account.Append(nil, v))
	return err
}

// assignor parses the strategy of the command line, else the first of the scenario.
func (o *options) assignor(s *simulation.Scenario) (string, strategy.Assignor, error) {
	switch {
	case o.strategy != "":
		a, err := strategies.Parse(o.strategy)
		return o.strategy, a, err
	case len(s.Strategies) > 0:
		a, err := strategy.Parse(s.Strategies[0])
		if err != nil {
			err = s.StrategyError(0, err)
		}
		return s.Strategies[0], a, err
	}
	a, err := strategies.Parse(defaultStrategy)
	return defaultStrategy, a, err
}
