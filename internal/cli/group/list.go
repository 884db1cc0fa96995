package group

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/connect"
	"github.com/assignkit/assignkit/internal/live"
)

// listOptions is what the command line says.
type listOptions struct {
	io      *iostreams.Streams
	connect connect.Options
	format  output.Format
}

func newList(io *iostreams.Streams) *cobra.Command {
	opts := &listOptions{io: io}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the groups of a cluster",
		Long: `List the groups of all brokers: their coordinators, the strategies that their
members have agreed on, states and numbers of members.

Groups of the type classic are assigned by one of their members, those of the
type consumer by the broker. PROTOCOL says what the members are: consumers, or
such as the workers of Kafka Connect. It takes Describe on the groups; a
cluster leaves out groups that may not be described.`,
		Example: `  assignctl group list --brokers embedded
  assignctl group list --brokers embedded -o json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runList(cmd.Context(), opts) },
	}
	cmd.Flags().SortFlags = false
	output.AddFlag(cmd, &opts.format, output.Table, output.Wide, output.JSON, output.YAML)
	connect.AddFlags(cmd, &opts.connect)
	return cmd
}

func runList(ctx context.Context, o *listOptions) error {
	return connected(ctx, o.io, &o.connect, func(client *connect.Client) error {
		groups, err := live.List(ctx, client)
		if err != nil {
			return err
		}
		if o.format == output.JSON || o.format == output.YAML {
			doc, err := output.EncodeJSON(listDocument(groups))
			if err != nil {
				return err
			}
			return output.Print(o.io.Out, o.format, doc)
		}
		_, err = o.io.Out.Write(appendList(nil, groups, paper(o.io, o.format)))
		return err
	})
}

func appendList(dst []byte, groups []live.Summary, p output.Paper) []byte {
	if len(groups) == 0 {
		return append(dst, "there are no groups, or none that may be described\n"...)
	}
	g := output.Grid{Columns: []output.Column{{Title: "GROUP"}, {Title: "COORDINATOR"}, {Title: "TYPE"}, {Title: "PROTOCOL"},
		{Title: "ASSIGNMENT-STRATEGY"}, {Title: "STATE"}, {Title: "#MEMBERS", Right: true}}}
	for i := range groups {
		s := &groups[i]
		members := output.Cell{Text: strconv.Itoa(s.Members)}
		if s.Members < 0 {
			members = dash("")
		}
		g.Row(output.Cell{Text: output.Clean(s.Name)}, output.Cell{Text: address(s.Coordinator.Addr, s.Coordinator.ID)},
			dash(s.Type), dash(s.ProtocolType), dash(s.Protocol), dash(s.State), members)
	}
	return g.Append(dst, p)
}

type groupList struct {
	Groups []listed `json:"groups"`
}

// listed is a group in the JSON form of the list.
type listed struct {
	Group        string `json:"group"`
	Type         string `json:"type"`
	ProtocolType string `json:"protocol_type"`
	Strategy     string `json:"strategy"`
	State        string `json:"state"`
	Members      *int   `json:"members"` // null if not known
	Coordinator  broker `json:"coordinator"`
}

type broker struct {
	ID      int32  `json:"id"`
	Address string `json:"address"`
}

func listDocument(groups []live.Summary) groupList {
	out := groupList{Groups: make([]listed, len(groups))}
	for i := range groups {
		s := &groups[i]
		l := listed{Group: s.Name, Type: s.Type, ProtocolType: s.ProtocolType, Strategy: s.Protocol, State: s.State, Coordinator: broker{s.Coordinator.ID, s.Coordinator.Addr}}
		if s.Members >= 0 {
			l.Members = &s.Members
		}
		out.Groups[i] = l
	}
	return out
}
