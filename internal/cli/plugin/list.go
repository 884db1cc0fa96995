package plugin

import (
	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	host "github.com/assignkit/assignkit/plugin"
)

// listOptions is what the command line says.
type listOptions struct {
	io     *iostreams.Streams
	place  place
	format output.Format
}

func newList(io *iostreams.Streams) *cobra.Command {
	opts := &listOptions{io: io}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the plugins that are locked, or there",
		Long: `List the plugins that a lock file names, and those that are in its folder, with
what the lock file says of them. STATE is whether they would run here. None is
started.

  ok                     it is what was locked
  not locked             the lock file does not name it
  not for this platform  it is locked, but not for this platform
  missing                it is locked, but there is no executable
  changed                the executable is not the one that was locked
  unsafe                 others could change it, or it is no executable

-o wide shows why.`,
		Example: `  assignctl plugin list
  assignctl plugin list --lock plugins/assignors.lock -o wide`,
		Args: noPlace("list"),
		RunE: func(*cobra.Command, []string) error { return runList(opts) },
	}
	cmd.Flags().SortFlags = false
	opts.place.addFlags(cmd.Flags())
	output.AddFlag(cmd, &opts.format, output.Table, output.Wide, output.JSON, output.YAML)
	return cmd
}

func runList(o *listOptions) error {
	found, err := host.Find(o.place.config())
	if err != nil {
		return err
	}
	if o.format == output.JSON || o.format == output.YAML {
		doc, err := document(found)
		if err != nil {
			return err
		}
		return output.Print(o.io.Out, o.format, doc)
	}
	_, err = o.io.Out.Write(appendList(nil, found, o.format == output.Wide, paper(o.io, o.format)))
	return err
}

func appendList(dst []byte, found []host.Found, wide bool, p output.Paper) []byte {
	if len(found) == 0 {
		return append(dst, "there are no plugins: none is locked, and no file is called assignor-NAME\n"...)
	}
	g := output.Grid{Columns: []output.Column{{Title: "NAME"}, {Title: "VERSION"}, {Title: "ASSIGNOR"}, {Title: "REBALANCE"}, {Title: "PLATFORMS"}, {Title: "STATE", Fold: true}}}
	if wide {
		g.Columns[5].Fold = false
		g.Columns = append(g.Columns, output.Column{Title: "ENVIRONMENT"}, output.Column{Title: "PATH"}, output.Column{Title: "WHY"})
	}
	for _, f := range found {
		l := f.Locked
		if l == nil {
			l = &host.Locked{}
		}
		row := []output.Cell{{Text: output.Clean(f.Name)}, dash(l.Version), dash(l.Assignor), dash(l.Rebalance), dash(platforms(l)), {Text: state(f), Style: styleOf(f)}}
		if wide {
			variables := ""
			if f.Locked != nil {
				variables = environment(*l)
			}
			row = append(row, dash(variables), dash(f.Path), dash(reason(f)))
		}
		g.Row(row...)
	}
	return g.Append(dst, p)
}

func styleOf(f host.Found) (s output.Style) {
	if f.Err != nil {
		return output.Bold
	}
	return s
}

// listed is a plugin in the JSON form of the list. Without "locked", what the lock file would say is left out or empty.
type listed struct {
	Name         string            `json:"name"`
	State        string            `json:"state"`
	Why          string            `json:"why,omitempty"`
	Path         string            `json:"path,omitempty"`
	Locked       bool              `json:"locked"`
	Version      string            `json:"version,omitempty"`
	Protocol     int               `json:"protocol,omitempty"`
	Assignor     string            `json:"assignor,omitempty"`
	Rebalance    string            `json:"rebalance,omitempty"`
	UserData     bool              `json:"user_data"`
	OnAssignment bool              `json:"on_assignment"`
	Signals      []string          `json:"signals"`
	Environment  []string          `json:"environment"`
	SHA256       map[string]string `json:"sha256"`
}

func document(found []host.Found) ([]byte, error) {
	list := make([]listed, len(found))
	for i, f := range found {
		e := listed{Name: f.Name, State: state(f), Why: reason(f), Path: f.Path, Signals: []string{}, Environment: []string{}, SHA256: map[string]string{}}
		if l := f.Locked; l != nil {
			e.Locked, e.Version, e.Protocol, e.Assignor, e.Rebalance, e.UserData, e.OnAssignment = true, l.Version, l.Protocol, l.Assignor, l.Rebalance, l.UserData, l.OnAssignment
			e.Signals = append(e.Signals, l.Signals...)
			e.Environment = append(e.Environment, l.Environment...)
			e.SHA256 = l.SHA256
		}
		list[i] = e
	}
	return output.EncodeJSON(map[string]any{"plugins": list})
}
