package plugin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/fault"
	host "github.com/assignkit/assignkit/plugin"
)

// lockOptions is what the command line says.
type lockOptions struct {
	io      *iostreams.Streams
	paths   []string
	lock    string
	env     []string
	version string
	remove  []string
	dryRun  bool
}

// newLock returns the command; runF, if it is not nil, runs in place of what it does.
func newLock(io *iostreams.Streams, runF func(context.Context, *lockOptions) error) *cobra.Command {
	opts := &lockOptions{io: io}
	if runF == nil {
		runF = runLock
	}
	cmd := &cobra.Command{
		Use:   "lock PATH...",
		Short: "Allow executables to run as plugins, by their sha256",
		Long: `Allow executables to run as plugins: start each, have it say what it is and
assign a few groups, print what it will be allowed, and enter it into the lock
file, which belongs into version control. All are locked, or none.

The lock file is assignors.lock beside the executables, where programs look for
them, unless --lock names another.

An executable for another platform cannot be started here. Its sha256 is added
to the entry of the plugin of its name, which has to be there: lock the one for
this platform first, or in the same command. --version makes sure what it is an
executable of.

Of the environment a plugin sees the variables that --env names, and no others.
A script in Python needs --env PATH, to find its interpreter and packages.`,
		Example: `  assignctl plugin lock plugins/assignor-pinned
  assignctl plugin lock --lock plugins/assignors.lock --version 1.2.0 \
    plugins/assignor-pinned build/darwin-arm64/assignor-pinned
  assignctl plugin lock --lock plugins/assignors.lock --remove pinned`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.paths = args
			if err := opts.check(); err != nil {
				return err
			}
			return runF(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&opts.lock, "lock", "", "the lock `FILE` (default: assignors.lock beside the executables)")
	f.StringArrayVar(&opts.env, "env", nil, "let the plugins see the environment variable `NAME`; may be repeated")
	f.StringVar(&opts.version, "version", "", "refuse a plugin that is not of this `VERSION`")
	f.StringArrayVar(&opts.remove, "remove", nil, "take the plugin `NAME` out of the lock file; may be repeated")
	f.BoolVar(&opts.dryRun, "dry-run", false, "print what would be locked, and write nothing")
	return cmd
}

// check refuses what contradicts itself, and decides on the lock file.
func (o *lockOptions) check() error {
	if len(o.paths) == 0 && len(o.remove) == 0 {
		return fault.Usage("no plugin is named: say which executables to lock")
	}
	for _, path := range o.paths {
		if !strings.HasPrefix(filepath.Base(path), host.FilePrefix) {
			return fault.Usage("%s is not called %sNAME, as executables of plugins are", path, host.FilePrefix)
		}
	}
	if o.lock != "" {
		return nil
	}
	o.lock = host.DefaultLock
	for i, path := range o.paths {
		beside := filepath.Join(filepath.Dir(path), host.DefaultLock)
		if i > 0 && beside != o.lock {
			return fault.Usage("the executables are in several folders: say with --lock which file to lock them in")
		}
		o.lock = beside
	}
	return nil
}

func runLock(ctx context.Context, o *lockOptions) error {
	linger(o.io)
	l, err := host.ReadLock(o.lock)
	if errors.Is(err, fs.ErrNotExist) {
		l, err = &host.Lock{}, nil
	}
	if err != nil {
		return err
	}
	before := clone(l)
	if err := o.change(ctx, l); err != nil {
		return err
	}
	text := appendChanges(nil, before, l, o.touched())
	switch {
	case o.dryRun:
		text = fmt.Appendf(text, "%s is not written: --dry-run\n", o.lock)
	case reflect.DeepEqual(before.Plugins, l.Plugins):
		text = fmt.Appendf(text, "%s is as it was\n", o.lock)
	default:
		if err := l.Write(o.lock); err != nil {
			return fmt.Errorf("%s was not written: %w", o.lock, err)
		}
		text = fmt.Appendf(text, "%s is written: %s\n", o.lock, output.Count(len(l.Plugins), "plugin"))
		text = o.appendSpecs(text)
	}
	_, err = o.io.Out.Write(text)
	return err
}

// appendSpecs writes how the plugins are named in specifications.
func (o *lockOptions) appendSpecs(dst []byte) []byte {
	for _, path := range o.paths {
		spec, next := specName+":"+nameOf(path), byte('?')
		add := func(name, value string) {
			spec += string(next) + name + "=" + strings.NewReplacer("%", "%25", "&", "%26", ",", "%2C").Replace(filepath.ToSlash(value))
			next = '&'
		}
		if filepath.Clean(o.lock) != host.DefaultLock {
			add("lock", o.lock)
		}
		if dir := filepath.Dir(path); dir != filepath.Dir(o.lock) {
			add("folder", dir)
		}
		if platform, _, err := host.Sum(path); err == nil && (platform == host.Platform() || platform == host.AnyPlatform) {
			dst = fmt.Appendf(dst, "%s is the strategy %s\n", nameOf(path), spec)
		}
	}
	return dst
}

// touched lists the plugins that the command is about, sorted.
func (o *lockOptions) touched() []string {
	names := slices.Clone(o.remove)
	for _, path := range o.paths {
		names = append(names, nameOf(path))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// change does to a lock what the command line says. Executables for this platform go before those for others.
func (o *lockOptions) change(ctx context.Context, l *host.Lock) error {
	for _, name := range o.remove {
		if _, ok := l.Find(name); !ok {
			return fmt.Errorf("%s does not name the plugin %q", o.lock, name)
		}
		l.Plugins = slices.DeleteFunc(l.Plugins, func(p host.Locked) bool { return p.Name == name })
	}
	var others []foreign
	for _, path := range o.paths {
		platform, sum, err := host.Sum(path)
		if err != nil {
			return err
		}
		if platform != host.Platform() && platform != host.AnyPlatform {
			others = append(others, foreign{path, platform, sum})
			continue
		}
		p, err := host.Describe(ctx, host.Config{Logger: logger()}, path, o.env...)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fmt.Errorf("%s is not locked: %w", path, hint(err, path, o.env))
		case o.version != "" && p.Version != o.version:
			return fmt.Errorf("%s is not locked: it is of version %s, not %s", path, p.Version, o.version)
		}
		l.Add(p)
	}
	for _, f := range others {
		if err := o.addForeign(l, f); err != nil {
			return fmt.Errorf("%s is not locked: %w", f.path, err)
		}
	}
	return nil
}

// A foreign executable is one for another platform.
type foreign struct{ path, platform, sum string }

func (o *lockOptions) addForeign(l *host.Lock, f foreign) error {
	name := nameOf(f.path)
	p, ok := l.Find(name)
	switch {
	case !ok:
		return fmt.Errorf("it is for %s and cannot be started here, and %s says nothing of a plugin %q yet: lock its executable for %s first, or where it can be started",
			f.platform, o.lock, name, host.Platform())
	case o.version != "" && p.Version != o.version:
		return fmt.Errorf("it is for %s and cannot be started here, and %s has version %s of %q, not %s", f.platform, o.lock, p.Version, name, o.version)
	}
	p.SHA256 = map[string]string{f.platform: f.sum}
	l.Add(p) // keeps the sums of other platforms
	return nil
}

// nameOf returns the name of the plugin whose executable a path is.
func nameOf(path string) string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), host.FilePrefix), ".exe")
}

// hint adds to an error of a start that a script has no PATH, which is most often why.
func hint(err error, path string, env []string) error {
	if !errors.Is(err, host.ErrStart) || slices.Contains(env, "PATH") {
		return err
	}
	if platform, _, sumErr := host.Sum(path); sumErr != nil || platform != host.AnyPlatform {
		return err
	}
	return fmt.Errorf("%w\nit is a script and sees no PATH: --env PATH has it find the interpreter and packages that you use", err)
}

func noLock(path string) error {
	return fmt.Errorf("there is no lock file %s: say with --lock where it is, or make it with \"plugin lock\"", path)
}
