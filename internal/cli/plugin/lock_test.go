package plugin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/fault"
	host "github.com/assignkit/assignkit/plugin"
)

func TestLockOptions(t *testing.T) {
	for args, want := range map[string]string{
		"a/assignor-x":                         "[a/assignor-x] in a/assignors.lock",
		"assignor-x":                           "[assignor-x] in assignors.lock",
		"a/assignor-x ./a/assignor-y":          "[a/assignor-x ./a/assignor-y] in a/assignors.lock",
		"a/assignor-x b/assignor-y":            "usage: the executables are in several folders: say with --lock which file to lock them in",
		"a/assignor-x b/assignor-y --lock c/d": "[a/assignor-x b/assignor-y] in c/d",
		"--remove x":                           "[] in assignors.lock without [x]",
		"assignor-x --env A --env B --version 1.0.0 --dry-run": "[assignor-x] in assignors.lock with [A B] of 1.0.0 dry",
		"":        "usage: no plugin is named: say which executables to lock",
		"a/b":     "usage: a/b is not called assignor-NAME, as executables of plugins are",
		"--no":    "unknown flag: --no",
		"--env":   "flag needs an argument: --env",
		"a --env": "flag needs an argument: --env",
	} {
		got := ""
		streams, _, _ := iostreams.Test("")
		cmd := newLock(streams, func(_ context.Context, o *lockOptions) error {
			got = fmt.Sprintf("%v in %s", o.paths, strings.ReplaceAll(o.lock, `\`, "/"))
			if len(o.env) > 0 {
				got += fmt.Sprintf(" with %v", o.env)
			}
			if o.version != "" {
				got += " of " + o.version
			}
			if len(o.remove) > 0 {
				got += fmt.Sprintf(" without %v", o.remove)
			}
			if o.dryRun {
				got += " dry"
			}
			return nil
		})
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(strings.Fields(args))
		if err := cmd.Execute(); err != nil {
			got = err.Error()
			if _, ok := errors.AsType[*fault.UsageError](err); ok {
				got = "usage: " + got
			}
		}
		if got != want {
			t.Errorf("%s: %s, not %s", args, got, want)
		}
	}
}

// TestChanges says what is new about an entry.
func TestChanges(t *testing.T) {
	entry := func(change func(*host.Locked)) host.Locked {
		p := host.Locked{Name: "x", Version: "1.0.0", Protocol: 1, Assignor: "x", Rebalance: "eager", SHA256: map[string]string{"linux/amd64": "aa"}}
		change(&p)
		return p
	}
	same := func(*host.Locked) {}
	for want, change := range map[string]func(*host.Locked){
		"as it was":                                      same,
		"version was 1.0.0":                              func(p *host.Locked) { p.Version = "1.1.0" },
		"assignor was x, eager":                          func(p *host.Locked) { p.Rebalance, p.UserData = "cooperative", true },
		"environment was empty":                          func(p *host.Locked) { p.Environment = []string{"A"} },
		"linux/amd64 has another sha256":                 func(p *host.Locked) { p.SHA256["linux/amd64"] = "bb" },
		"linux/arm64 is new":                             func(p *host.Locked) { p.SHA256["linux/arm64"] = "bb" },
		"any is new, linux/amd64 is not locked any more": func(p *host.Locked) { p.SHA256 = map[string]string{"any": "bb"} },
	} {
		if got := changed(entry(same), entry(change)); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
