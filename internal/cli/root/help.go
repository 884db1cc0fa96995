package root

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/fault"
)

// exitCodes is a help topic: it runs nothing.
func exitCodes() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the program returns",
		Long: `What the program returns:

  0    it did what was asked
  1    something went wrong: a file cannot be read, an assignor failed, the
       output cannot be written
  2    the command line is wrong; nothing was done
  3    what was asserted, as by --assert-owned, is not so
  130  it was interrupted

On errors nothing is printed on standard output, except by commands that answer
line by line, and where an assertion fails: then all is printed as usual. If
whoever reads the output closes it, the program ends quietly, with 141 where the
system has no signal for that.`,
	}
}

// helpCommand is cobra's, but for failing on a topic that does not exist.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command or topic",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if at, _, err := cmd.Root().Find(args); err == nil {
				for _, c := range at.Commands() {
					if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
						names = append(names, c.Name()+"\t"+c.Short)
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			at, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return fault.Usage("no help about %q", strings.Join(args, " "))
			}
			at.InitDefaultHelpFlag()
			at.InitDefaultVersionFlag()
			return at.Help()
		},
	}
}
