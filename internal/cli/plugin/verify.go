package plugin

import (
	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/fault"
	host "github.com/assignkit/assignkit/plugin"
)

// verifyOptions is what the command line says.
type verifyOptions struct {
	io    *iostreams.Streams
	place place
}

func newVerify(io *iostreams.Streams) *cobra.Command {
	opts := &verifyOptions{io: io}
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that every locked plugin is there, and is what was locked",
		Long: `Check that every plugin of the lock file is there, for this platform, and is
what was locked, by its sha256. None is started. If one is not, the exit code
is 3. A deployment can ask this before it goes on.`,
		Example: `  assignctl plugin verify --lock plugins/assignors.lock
  assignctl plugin verify --lock assignors.lock --folder plugins`,
		Args: noPlace("verify"),
		RunE: func(*cobra.Command, []string) error { return runVerify(opts) },
	}
	cmd.Flags().SortFlags = false
	opts.place.addFlags(cmd.Flags())
	return cmd
}

func runVerify(o *verifyOptions) error {
	if _, err := o.place.read(); err != nil {
		return err
	}
	found, err := host.Find(o.place.config())
	if err != nil {
		return err
	}
	g := output.Grid{Columns: []output.Column{{Title: "NAME"}, {Title: "VERSION"}, {Title: "STATE", Fold: true}}}
	locked, bad := 0, 0
	for _, f := range found {
		if f.Locked == nil {
			continue
		}
		locked++
		text := output.Cell{Text: "ok"}
		if f.Err != nil {
			bad++
			text = output.Cell{Text: output.Clean(f.Err.Error()), Style: output.Bold}
		}
		g.Row(output.Cell{Text: f.Name}, dash(f.Locked.Version), text)
	}
	text := []byte("no plugin is locked\n")
	if locked > 0 {
		text = g.Append(nil, paper(o.io, output.Table))
	}
	if _, err := o.io.Out.Write(text); err != nil {
		return err
	}
	if bad > 0 {
		return fault.Assertion("%d of %s would not run", bad, output.Count(locked, "plugin"))
	}
	return nil
}
