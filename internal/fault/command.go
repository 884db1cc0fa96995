package fault

import (
	"strings"

	"github.com/spf13/cobra"
)

// UnknownCommand refuses the arguments of a command that only has commands of its own, as they were meant to be one.
func UnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return Usage("unknown command %q; did you mean %q?", args[0], near[0])
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return Usage("unknown command %q; there are %s", args[0], strings.Join(names, ", "))
}
