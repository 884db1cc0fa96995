package group

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/fault"
)

func execute(cmd *cobra.Command, args string) error {
	cmd.SetArgs(strings.Fields(args))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetOut(io.Discard)
	return cmd.Execute()
}

func TestDescribeOptions(t *testing.T) {
	for args, want := range map[string]string{
		"billing":                        "billing table wait 30s watch 0s",
		"billing --watch":                "billing table wait 30s watch 2s",
		"billing --watch=500ms -o json":  "billing json wait 30s watch 500ms",
		"billing --assert-owned --full":  "billing table wait 30s watch 0s assert full",
		"billing --wait 0 -o wide":       "billing wide wait 0s watch 0s",
		"--brokers h:1 billing -o yaml":  "billing yaml wait 30s watch 0s",
		"billing --watch --assert-owned": "usage: --watch and --assert-owned contradict each other: one goes on, the other ends with an answer",
		"billing --watch=1ms":            "usage: --watch 1ms: at least 100ms lie between two looks",
		"billing --watch=0s":             "usage: --watch 0s: at least 100ms lie between two looks",
		"billing --watch 5s":             "usage: a time goes to --watch with an equals sign: --watch=5s",
		"billing --wait -1s":             "usage: --wait -1s: is negative",
		"":                               "usage: the name of a group is missing; group list has them",
		"billing audit":                  `usage: one group at a time: "audit" is one too many`,
		"billing -o xml":                 `error: invalid argument "xml" for "-o, --output" flag: there are table, wide, json, yaml`,
	} {
		streams, _, _ := iostreams.Test("")
		got := ""
		err := execute(newDescribe(streams, func(_ context.Context, o *describeOptions) error {
			got = fmt.Sprintf("%s %s wait %s watch %s", o.group, o.format, o.wait, o.watch)
			if o.assertOwned {
				got += " assert"
			}
			if o.full {
				got += " full"
			}
			return nil
		}), args)
		var usage *fault.UsageError
		switch {
		case errors.As(err, &usage):
			got = "usage: " + err.Error()
		case err != nil:
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", args, got, want)
		}
	}
}

func TestUnknownCommand(t *testing.T) {
	for args, want := range map[string]string{
		"lst":     `unknown command "lst"; did you mean "list"?`,
		"explain": `unknown command "explain"; there are describe, list`,
	} {
		streams, _, _ := iostreams.Test("")
		root := &cobra.Command{Use: "assignctl"}
		root.AddCommand(NewCommand(streams))
		if err := execute(root, "group "+args); err == nil || err.Error() != want {
			t.Errorf("%s: %v", args, err)
		}
	}
}
