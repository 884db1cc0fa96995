// Package plugin has the commands about assignors that are executables of their own: plugin init, lock, verify, list and test. It also has the
// program's specifications name plugins. What plugins are, and how they are run, is up to the public package of that name, called host here.
package plugin

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/fault"
	host "github.com/assignkit/assignkit/plugin"
)

// NewCommand returns the command that the others are under.
func NewCommand(io *iostreams.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plugin",
		Short: "Make, lock and check assignors that are executables of their own",
		Long: `Make, lock and check plugins: assignors that are executables of their own.

A plugin NAME is the executable assignor-NAME. A program runs it only if a lock
file, assignors.lock, names it with the sha256 of its file. Wherever a strategy
is named, it is

  plugin:NAME[?lock=FILE&folder=DIR&fallback=SPEC&timeout=MILLISECONDS]

A plugin may do on the machine whatever its user may: lock what you trust.`,
		Example: `  assignctl plugin init pinned
  assignctl plugin lock plugins/assignor-pinned
  assignctl plugin list --lock plugins/assignors.lock`,
		Args: fault.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		SuggestionsMinimumDistance: 2,
	}
	cmd.AddCommand(newInit(io), newLock(io, nil), newVerify(io), newList(io), newTest(io))
	return cmd
}

// place is where plugins and their lock file are, as the command line says.
type place struct {
	lock    string // "" if it does not
	folders []string
}

func (p *place) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&p.lock, "lock", "", "the lock `FILE` (default assignors.lock)")
	flags.StringArrayVar(&p.folders, "folder", nil, "look for executables in `DIR`, which may be repeated (default: the lock file's folder)")
}

// noPlace refuses arguments of a command that looks at a whole place, and says how that is named.
func noPlace(command string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		lock := args[0]
		if info, err := os.Stat(lock); err != nil {
			lock = "FILE"
		} else if info.IsDir() {
			lock = filepath.Join(lock, host.DefaultLock)
		}
		return fault.Usage("%s takes no argument; plugins are where their lock file is: assignctl plugin %s --lock %s, and --folder DIR if their executables are not beside it",
			command, command, lock)
	}
}

// config is how plugins are run by these commands.
func (p *place) config() host.Config {
	return host.Config{Lock: p.lock, Folders: p.folders, Logger: logger()}
}

// read returns the lock file, which has to be there.
func (p *place) read() (*host.Lock, error) {
	path := cmp.Or(p.lock, host.DefaultLock)
	l, err := host.ReadLock(path)
	if os.IsNotExist(err) {
		return nil, noLock(path)
	}
	return l, err
}

// paper is what tables of a format are written on.
func paper(io *iostreams.Streams, format output.Format) output.Paper {
	p := output.Paper{Color: io.Color}
	if format == output.Table {
		p.Width = io.Width
	}
	return p
}

func dash(text string) output.Cell {
	if text == "" {
		return output.Cell{Text: "-", Style: output.Faint}
	}
	return output.Cell{Text: output.Clean(text)}
}

// lockedNames completes the names of the plugins in a lock file.
func (p *place) lockedNames() []string {
	l, err := p.read()
	if err != nil {
		return nil
	}
	names := make([]string, len(l.Plugins))
	for i := range l.Plugins {
		names[i] = l.Plugins[i].Name + "\t" + strings.TrimSpace(l.Plugins[i].Version)
	}
	return names
}
