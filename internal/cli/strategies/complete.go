package strategies

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/strategy"
)

// CompleteFlag has a shell complete a flag with the names of strategies, of several behind each comma.
func CompleteFlag(cmd *cobra.Command, flag string, several bool) {
	_ = cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, _ []string, written string) ([]string, cobra.ShellCompDirective) {
		if !several {
			return completions(""), cobra.ShellCompDirectiveNoFileComp
		}
		before := written[:strings.LastIndexByte(written, ',')+1]
		return completions(before), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
}

// completions lists the names behind what is written before them, each with its summary.
func completions(before string) []string {
	var out []string
	for _, name := range strategy.Names() {
		d, _ := strategy.Lookup(name)
		out = append(out, before+name+"\t"+d.Summary)
	}
	return out
}
