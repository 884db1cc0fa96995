package group

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/connect"
	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/internal/live"
	"github.com/assignkit/assignkit/strategy"
)

// describeOptions is what the command line says.
type describeOptions struct {
	io      *iostreams.Streams
	connect connect.Options
	group   string

	wait        time.Duration // for a group that rebalances
	watch       time.Duration // between two looks, 0 for one look
	assertOwned bool
	full        bool
	format      output.Format
}

const describeLong = `Describe a group: its members and what each has, how far it is behind, what
nobody consumes, and how even the loads are against the best there is.

A line in front says what partitions have no owner although a member subscribes
to their topic; of a group without members, that is all of them. Loads are
numbers of partitions over capacity. "-" stands for what is not known: nothing
is committed, or it may not be asked for.

A group in the middle of a rebalance is waited for. Members whose metadata
cannot be understood are said to be set aside: a leader would give them nothing.

It takes Describe on the group and on its topics.`

func newDescribe(io *iostreams.Streams, runF func(context.Context, *describeOptions) error) *cobra.Command {
	opts := &describeOptions{io: io}
	if runF == nil {
		runF = runDescribe
	}
	cmd := &cobra.Command{
		Use:   "describe GROUP",
		Short: "Show who has what in a group, its lag and how even it is",
		Long:  describeLong,
		Example: `  assignctl group describe billing --brokers embedded
  assignctl group describe billing --brokers embedded --assert-owned
  assignctl group describe billing --brokers embedded -o json`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 2 && cmd.Flags().Changed("watch") && isDuration(args[1]):
				return fault.Usage("a time goes to --watch with an equals sign: --watch=%s", args[1])
			case len(args) == 0:
				return fault.Usage("the name of a group is missing; group list has them")
			case len(args) > 1:
				return fault.Usage("one group at a time: %q is one too many", args[1])
			case args[0] == "":
				return fault.Usage("the name of the group is empty")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.group = args[0]
			switch {
			case opts.assertOwned && cmd.Flags().Changed("watch"):
				return fault.Usage("--watch and --assert-owned contradict each other: one goes on, the other ends with an answer")
			case cmd.Flags().Changed("watch") && opts.watch < minWatch:
				return fault.Usage("--watch %s: at least %s lie between two looks", opts.watch, minWatch)
			case opts.wait < 0:
				return fault.Usage("--wait %s: is negative", opts.wait)
			}
			return runF(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&opts.assertOwned, "assert-owned", false, "exit with 3 if a partition has no owner, or the group no members")
	flags.DurationVar(&opts.watch, "watch", 0, "look again and again, every `DURATION`, until interrupted")
	flags.Lookup("watch").NoOptDefVal = "2s"
	flags.DurationVar(&opts.wait, "wait", 30*time.Second, "wait at most `DURATION` for a group that rebalances")
	flags.BoolVar(&opts.full, "full", false, "show large groups in full")
	output.AddFlag(cmd, &opts.format, output.Table, output.Wide, output.JSON, output.YAML)
	connect.AddFlags(cmd, &opts.connect)
	for _, name := range []string{"watch", "wait"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
	return cmd
}

func isDuration(text string) bool {
	_, err := time.ParseDuration(text)
	return err == nil
}

func runDescribe(ctx context.Context, o *describeOptions) error {
	return connected(ctx, o.io, &o.connect, func(client *connect.Client) error {
		if o.watch > 0 {
			return o.watchGroup(ctx, client)
		}
		g, err := live.Read(ctx, client, o.group, o.waiting())
		if err != nil {
			return err
		}
		text, err := o.render(g)
		if err != nil {
			return err
		}
		if _, err := o.io.Out.Write(text); err != nil {
			return err
		}
		if o.assertOwned {
			return assertOwned(g)
		}
		return nil
	})
}

// waiting is how long to wait for a group that rebalances. On the command line 0 is not at all.
func (o *describeOptions) waiting() live.Options {
	if o.wait == 0 {
		return live.Options{Wait: -1}
	}
	return live.Options{Wait: o.wait}
}

// render returns what there is to say about a group, in the format that is asked for.
func (o *describeOptions) render(g *live.Group) ([]byte, error) {
	b, err := compare(g)
	if err != nil {
		return nil, err
	}
	if o.format != output.JSON && o.format != output.YAML {
		r := newReport(g, b, o)
		return r.append(nil), nil
	}
	doc, err := output.EncodeJSON(groupDocument(g, b))
	if err == nil && o.format == output.YAML {
		return output.AppendYAML(nil, doc)
	}
	return doc, err
}

// assertOwned returns an error that lists what nobody has.
func assertOwned(g *live.Group) error {
	free := g.Unconsumed()
	name := output.Clean(g.Name)
	switch {
	case len(g.Members) == 0 && len(free) == 0:
		return fault.Assertion("group %s has no members", name)
	case len(g.Members) == 0:
		return fault.Assertion("group %s has no members; nobody consumes %s", name, output.Partitions("", free))
	case len(free) > 0:
		return fault.Assertion("group %s: nobody consumes %s: %s", name, output.Count(strategy.Count(free), "partition"), output.Partitions("", free))
	}
	return nil
}
