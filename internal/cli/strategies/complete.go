package strategies

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/plugin"
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

// completions lists the names behind what is written before them, each with its summary, and plugins of the lock file in the working directory.
func completions(before string) []string {
	var out []string
	for _, name := range strategy.Names() {
		d, _ := strategy.Lookup(name)
		if d.Argument != "" {
			name += ":"
		}
		out = append(out, before+name+"\t"+d.Summary)
	}
	lock, err := plugin.ReadLock(plugin.DefaultLock)
	if err != nil {
		return out
	}
	for _, p := range lock.Plugins {
		out = append(out, before+"plugin:"+p.Name+"\tthe plugin "+p.Assignor+", "+p.Rebalance)
	}
	return out
}
