package plugin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/fault"
	host "github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategy"
	"github.com/assignkit/assignkit/strategy/strategytest"
)

// testOptions is what the command line says.
type testOptions struct {
	io    *iostreams.Streams
	place place
	what  string // a path or a name
	env   []string
	rules strategytest.Options
	full  bool
}

func newTest(io *iostreams.Streams) *cobra.Command {
	opts := &testOptions{io: io}
	cmd := &cobra.Command{
		Use:   "test PATH|NAME",
		Short: "Hold a plugin to the rules that every assignor has to keep",
		Long: `Have a plugin, in whatever language it is written, answer some hundred groups,
and hold it to the rules that every assignor has to keep: answers are complete,
do not depend on the order of anything, and so on. A rule that is broken is
shown with a group that "assignctl assign" reads; the exit code is then 3.

A PATH has a "/" or begins with "assignor-", and is run as it is, locked or not.
A NAME is taken from the lock file.`,
		Example: `  assignctl plugin test plugins/assignor-pinned
  assignctl plugin test pinned --lock plugins/assignors.lock`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return opts.place.lockedNames(), cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.what = args[0]
			if !opts.byPath() && len(opts.env) > 0 {
				return fault.Usage("--env is for a PATH; what %s sees of the environment is in the lock file", opts.what)
			}
			return runTest(cmd.Context(), opts)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	opts.place.addFlags(f)
	f.StringArrayVar(&opts.env, "env", nil, "let a PATH see the environment variable `NAME`; may be repeated")
	f.DurationVar(&opts.rules.Patience, "timeout", 5*time.Second, "what one call may take")
	f.BoolVar(&opts.rules.Ineligible, "ineligible", false, "it may leave partitions that it finds no member eligible for")
	f.BoolVar(&opts.rules.Limit, "limit", false, "it may leave partitions because it limits what members have")
	f.BoolVar(&opts.full, "full", false, "show large groups in full")
	return cmd
}

// byPath says whether an executable is named, not a plugin of the lock file.
func (o *testOptions) byPath() bool {
	if strings.ContainsRune(o.what, '/') || strings.ContainsRune(o.what, filepath.Separator) {
		return true
	}
	return strings.HasPrefix(o.what, host.FilePrefix)
}

func runTest(ctx context.Context, o *testOptions) error {
	linger(o.io)
	if o.rules.Patience <= 0 {
		return fault.Usage("--timeout %v: a call takes some time", o.rules.Patience)
	}
	first, err := o.start(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	if o.byPath() {
		fmt.Fprintf(o.io.Err, "%s: %s is run as it is, whether it is locked or not\n", o.io.Name, output.Clean(o.what))
	}
	var failure error // of a start
	next := func() strategy.Assignor {
		a := first
		if first = nil; a != nil {
			return a
		}
		if a, err := o.start(ctx); err == nil {
			return a
		} else if failure == nil {
			failure = err
		}
		return nil
	}
	rules, broken := 0, 0
	rule := o.rules
	rule.Patience += time.Second // the call's own deadline comes first
	err = rule.Each(next, func(name, demand string, faults []*strategytest.Fault) {
		if ctx.Err() != nil {
			return
		}
		rules++
		if len(faults) > 0 {
			broken++
		}
		_, _ = o.io.Out.Write(o.appendRule(nil, name, demand, faults)) // an error stays, and is told in the end
		_ = o.io.Out.Flush()
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case failure != nil:
		return failure
	case err != nil:
		return err
	case broken > 0:
		return fault.Assertion("%s breaks %d of %s", o.what, broken, output.Count(rules, "rule"))
	}
	return nil
}

// mostShown is how much is shown of a line, in bytes: most groups have fewer.
const mostShown = 1000

// appendRule writes whether a rule is kept.
func (o *testOptions) appendRule(dst []byte, name, demand string, faults []*strategytest.Fault) []byte {
	if len(faults) == 0 {
		return fmt.Appendf(dst, "ok    %s\n", name)
	}
	p := output.Paper{Width: o.io.Width, Color: o.io.Color}
	dst = append(p.Wrap(dst, output.Cell{Text: fmt.Sprintf("FAIL  %s: %s", name, demand), Style: output.Bold}), '\n')
	for _, f := range faults {
		for line := range strings.SplitSeq(f.Detail, "\n") {
			if len(line) > mostShown && !o.full {
				line = fmt.Sprintf("%s ... (%d bytes; --full shows all)", line[:mostShown], len(line))
			}
			dst = fmt.Appendf(dst, "      %s\n", output.Clean(line))
		}
	}
	return dst
}

// start makes the plugin an assignor with a process of its own.
func (o *testOptions) start(ctx context.Context) (strategy.Assignor, error) {
	cfg := o.place.config()
	cfg.CallTimeout = o.rules.Patience
	if o.byPath() {
		if _, err := os.Stat(o.what); err != nil {
			return nil, err
		}
		a, err := host.Unlocked(ctx, cfg, o.what, o.env...)
		if err != nil {
			return nil, hint(err, o.what, o.env)
		}
		return tested{Assignor: a, ctx: ctx}, nil
	}
	catalog, err := host.Open(cfg)
	if err != nil {
		return nil, err
	}
	a, err := catalog.Load(o.what)
	if err != nil {
		_ = catalog.Close() // nothing was started
		return nil, err
	}
	return tested{Assignor: a, ctx: ctx, catalog: catalog}, nil
}

// tested is a plugin that is interrupted with the command.
type tested struct {
	*host.Assignor
	ctx     context.Context //nolint:containedctx // rules have contexts of their own
	catalog *host.Catalog   // its own, or nil
}

// Assign asks the plugin, unless the command is interrupted.
func (t tested) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.ctx, cancel)()
	return t.Assignor.Assign(ctx, g)
}

// Close ends the plugin.
func (t tested) Close() error {
	err := t.Assignor.Close()
	if t.catalog != nil {
		return t.catalog.Close()
	}
	return err
}
