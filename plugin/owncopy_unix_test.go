//go:build unix

package plugin

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/strategies/sticky"
)

func init() {
	faulty["rewrites"] = func() {
		if os.Remove(os.Args[0]) != nil || os.WriteFile(os.Args[0], []byte("#!/bin/sh\nexit 9\n"), 0o500) != nil { //nolint:gosec // it has to be run
			os.Exit(8)
		}
		Serve(sticky.Assignor{})
	}
}

// What is locked is the file that was started, whatever the plugin makes of its copy.
func TestDescribePluginThatChangesItsCopy(t *testing.T) {
	dir := folder(t)
	p, err := Describe(t.Context(), quiet(t, dir), executable(t, dir, "rewrites"))
	if !errors.Is(err, ErrChanged) {
		t.Errorf("is locked as %v, %v", p, err)
	}
}

// A copy that somebody has written to is not run again.
func TestChangedCopyIsMadeAnew(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir)
	log := filepath.Join(t.TempDir(), "log")
	lockScript(t, cfg, "p", script{log: log})
	c := open(t, cfg)
	a := load(t, c, "p")
	if err := ask(a); err != nil {
		t.Fatal(err)
	}
	copies, err := filepath.Glob(filepath.Join(c.private.dir(), "run-*", "assignor-p"))
	if err != nil || len(copies) != 1 {
		t.Fatal(copies, err)
	}
	if err := os.Remove(copies[0]); err != nil {
		t.Fatal(err)
	}
	write(t, copies[0], "#!/bin/sh\nexit 9\n", 0o500)
	kill(t, a)
	if err := ask(a); err != nil {
		t.Error(err)
	}
	if got := strings.Join(lines(log), ", "); got != "started 1, asked 1, started 1, asked 1" {
		t.Error(got)
	}
	write(t, filepath.Join(dir, "assignor-p"), "#!/bin/sh\nexit 9\n", 0o755)
	if err := os.RemoveAll(c.private.dir()); err != nil {
		t.Fatal(err)
	}
	kill(t, a)
	if err := ask(a); !errors.Is(err, ErrChanged) {
		t.Error(err)
	}
}
