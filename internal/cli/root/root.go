// Package root puts the commands together. It knows what they are called and how they are found; what each does is in a package
// of its own.
package root

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assignkit/assignkit/internal/cli/assign"
	"github.com/assignkit/assignkit/internal/cli/bench"
	"github.com/assignkit/assignkit/internal/cli/consume"
	"github.com/assignkit/assignkit/internal/cli/explain"
	"github.com/assignkit/assignkit/internal/cli/group"
	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/plugin"
	"github.com/assignkit/assignkit/internal/cli/simulate"
	"github.com/assignkit/assignkit/internal/cli/strategies"
	"github.com/assignkit/assignkit/internal/cli/version"
	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/internal/suggest"
)

// Run runs the command that args name. An error of the command line is a [*fault.UsageError].
func Run(ctx context.Context, args []string, io *iostreams.Streams) error {
	started := false
	io.Args = args
	plugin.Register(io)
	cmd := newCommand(io)
	cmd.PersistentPreRun = func(*cobra.Command, []string) { started = true }
	cmd.SetArgs(args)
	found, err := cmd.ExecuteContextC(ctx)
	var usage *fault.UsageError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &usage):
		err = usage.Err
	case started:
		return err
	}
	// Whatever goes wrong before a command starts is about flags, arguments or names of commands.
	return fault.Usage("%w\nSee '%s --help'.", trimmed(err), found.CommandPath())
}

// trimmed takes the line feeds off the end of cobra's errors, which suggest commands on lines of their own.
func trimmed(err error) error {
	text := strings.TrimRight(err.Error(), "\n")
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}

func newCommand(io *iostreams.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   io.Name,
		Short: "Shows what a partition assignor would do, before it does it",
		Long: `assignctl shows which member of a Kafka consumer group would read which
partition under an assignor, and what would move when members come and go,
before anything happens, with a cluster or without.`,
		Example: `  assignctl simulate --topics orders=12 --members 3 --join 1 \
    --strategy range,sticky
  assignctl strategies
  assignctl help exit-codes`,
		Version:                    version.Text(),
		Args:                       fault.UnknownCommand,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
	}
	cmd.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	cmd.SetUsageTemplate(strings.ReplaceAll(cmd.UsageTemplate(), ".FlagUsages ", ".FlagUsagesWrapped 80 "))
	cmd.SetIn(io.In)
	cmd.SetOut(io.Out)
	cmd.SetErr(io.Err)
	cmd.AddCommand(
		simulate.NewCommand(io, nil),
		bench.NewCommand(io, nil),
		explain.NewCommand(io),
		assign.NewCommand(io),
		group.NewCommand(io),
		consume.NewCommand(io),
		strategies.NewCommand(io),
		plugin.NewCommand(io),
		version.NewCommand(io),
		exitCodes(),
	)
	cmd.SetHelpCommand(helpCommand())
	cmd.SetFlagErrorFunc(unknownFlag)
	cmd.InitDefaultCompletionCmd()
	for _, c := range cmd.Commands() {
		if c.Name() == "completion" { // it would take any argument
			c.Args = cobra.NoArgs
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	rename(cmd, io.Name)
	return cmd
}

// rename has the help speak of the program by its name.
func rename(cmd *cobra.Command, name string) {
	cmd.Long = strings.ReplaceAll(cmd.Long, "assignctl", name)
	cmd.Example = strings.ReplaceAll(cmd.Example, "assignctl", name)
	for _, c := range cmd.Commands() {
		rename(c, name)
	}
}

// unknownFlag adds to an error about a flag that does not exist which one was probably meant.
func unknownFlag(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) || missing.GetSpecifiedName() == "" {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := suggest.Nearest(missing.GetSpecifiedName(), names); near != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, near)
	}
	return err
}
