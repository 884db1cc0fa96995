// Package strategies is the command that lists the assignors that specifications can name.
package strategies

import (
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/strategy"
)

// options is what the command line says.
type options struct {
	io     *iostreams.Streams
	name   string // "" for all
	format output.Format
}

// NewCommand returns the command.
func NewCommand(io *iostreams.Streams) *cobra.Command {
	opts := &options{io: io}
	cmd := &cobra.Command{
		Use:   "strategies [NAME]",
		Short: "List the strategies that can be named, or describe one",
		Long: `List the strategies that can be named, or describe one with its parameters.

Wherever a strategy is named, it is by a specification:

  NAME[:ARGUMENT][?PARAMETER=VALUE&...]

Every strategy takes the parameter cooperative, for incremental rebalancing.`,
		Example: `  assignctl strategies
  assignctl strategies range
  assignctl strategies -o json`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completions(""), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				opts.name = args[0]
			}
			return run(opts)
		},
	}
	output.AddFlag(cmd, &opts.format, output.Table, output.Wide, output.JSON, output.YAML)
	return cmd
}

func run(opts *options) error {
	names := strategy.Names()
	if opts.name != "" {
		name := opts.name
		if i := strings.IndexAny(name, ":?"); i >= 0 {
			name = name[:i] // it may be a whole specification
		}
		if _, ok := strategy.Lookup(name); !ok {
			_, err := Parse(name)
			return err
		}
		names = []string{name}
	}
	list := make([]entry, len(names))
	for i, name := range names {
		list[i] = describe(name)
	}
	if opts.format == output.JSON || opts.format == output.YAML {
		doc, err := json.Marshal(map[string]any{"strategies": list})
		if err != nil {
			return err
		}
		return output.Print(opts.io.Out, opts.format, doc)
	}
	paper := output.Paper{Color: opts.io.Color}
	if opts.format == output.Table {
		paper.Width = opts.io.Width
	}
	var text []byte
	if opts.name != "" {
		text = appendOne(nil, &list[0], paper)
	} else {
		text = appendAll(nil, list, paper)
	}
	_, err := opts.io.Out.Write(text)
	return err
}
