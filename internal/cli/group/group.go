// Package group has the commands that show the consumer groups of a cluster: group list and group describe. They ask package live, and
// decide only how it looks.
package group

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/connect"
	"github.com/assignkit/assignkit/internal/fault"
)

// NewCommand returns the command that the others are under.
func NewCommand(io *iostreams.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "group",
		Short: "Show the consumer groups of a cluster",
		Long:  "Show the consumer groups of a cluster. Nothing is changed.",
		Example: `  assignctl group list --brokers embedded
  assignctl group describe billing --brokers embedded`,
		Args: fault.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		SuggestionsMinimumDistance: 2,
	}
	cmd.AddCommand(newList(io), newDescribe(io, nil))
	return cmd
}

// connected calls work with a client, whose requests end with the context. What the context's end caused is its error.
func connected(ctx context.Context, io *iostreams.Streams, o *connect.Options, work func(*connect.Client) error) error {
	client, err := o.Dial(ctx, io.Err)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }() // everything has been asked
	defer context.AfterFunc(ctx, client.Cut)()
	err = work(client)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// paper is what tables of a format are written on.
func paper(io *iostreams.Streams, format output.Format) output.Paper {
	p := output.Paper{Color: io.Color}
	if format == output.Table {
		p.Width = io.Width
	}
	return p
}

// address shows a broker as kafka-consumer-groups does.
func address(addr string, id int32) string { return fmt.Sprintf("%s (%d)", addr, id) }

func dash(text string) output.Cell {
	if text == "" {
		return output.Cell{Text: "-", Style: output.Faint}
	}
	return output.Cell{Text: output.Clean(text)}
}
