package root

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/internal/suggest"
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
  3    what was asserted or checked is not so, as by simulate --assert, bench
       --assert, group describe --assert-owned, plugin verify and plugin test
  130  it was interrupted

On errors nothing is printed on standard output, except by commands that answer
line by line, and where a check fails: then all is printed as usual. Of bench
what is done when it is interrupted is printed as well. If whoever reads the
output closes it, the program ends quietly, with 141 where the system has no
signal for that.`,
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
				for _, c := range topics(at) {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			at, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				var names []string
				for _, c := range topics(at) {
					names = append(names, c.Name())
				}
				hint := "there is help about " + cmp.Or(strings.Join(names, ", "), at.Name())
				if near := suggest.Nearest(rest[len(rest)-1], names); near != "" {
					hint = fmt.Sprintf("did you mean %q?", near)
				}
				return fault.Usage("no help about %q; %s", strings.Join(args, " "), hint)
			}
			at.InitDefaultHelpFlag()
			at.InitDefaultVersionFlag()
			return at.Help()
		},
	}
}

// topics are the commands and topics below a command that there is help about.
func topics(at *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(at.Commands()), func(c *cobra.Command) bool { return !c.IsAvailableCommand() && !c.IsAdditionalHelpTopicCommand() })
}
