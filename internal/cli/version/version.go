// Package version is the command that says which build this is.
package version

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
)

// module is where the project's own version stands among the modules of a program, which may be another that contains it.
const module = "github.com/assignkit/assignkit"

// info is what the command tells, in its JSON form.
type info struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Text is the version in one line, as for --version.
func Text() string {
	i := read()
	return fmt.Sprintf("%s (%s, %s)", i.Version, i.Go, i.Platform)
}

func read() info {
	i := info{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return i
	}
	for _, m := range append(build.Deps, &build.Main) {
		if m.Path == module && m.Version != "" && m.Version != "(devel)" {
			i.Version = m.Version
		}
	}
	return i
}

// NewCommand returns the command.
func NewCommand(io *iostreams.Streams) *cobra.Command {
	var format output.Format
	cmd := &cobra.Command{
		Use:               "version",
		Short:             "Say which build this is",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			if format == output.Table || format == output.Wide {
				_, err := fmt.Fprintf(io.Out, "%s %s\n", io.Name, Text())
				return err
			}
			doc, err := json.Marshal(read())
			if err != nil {
				return err
			}
			return output.Print(io.Out, format, doc)
		},
	}
	output.AddFlag(cmd, &format, output.Table, output.Wide, output.JSON, output.YAML)
	return cmd
}
