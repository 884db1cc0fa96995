//go:build unix

package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestConsumeReloadsPlugins upgrades the plugin of a member that runs, and then has a lock file that cannot be read.
func TestConsumeReloadsPlugins(t *testing.T) {
	folder, temp := lockedPlugin(t, "even")
	lock := filepath.Join(folder, "assignors.lock")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var out, errs shared
	args := []string{"consume", "--brokers", "embedded", "--group", "mine", "--topics", "orders", "--no-records", "--strategy", "plugin:even?fallback=sticky&lock=" + lock}
	done := make(chan int, 1)
	go func() { done <- Main(ctx, args, Streams{Out: &out, Err: &errs}) }()
	until(t, "an assignment", func() bool { return strings.Contains(out.String(), "assign +orders:0-11") })

	before := copies(t, temp)
	if err := putPlugin(folder, "even", "another build"); err != nil {
		t.Fatal(err)
	}
	lockPlugin(t, folder, "even")
	hangUp(t)
	until(t, "the upgrade", func() bool { return strings.Contains(errs.String(), "plugins are reloaded") })
	if after := copies(t, temp); slices.Equal(after, before) {
		t.Errorf("it runs from %v as before", after)
	}

	if err := os.WriteFile(lock, []byte("version: 99\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	hangUp(t)
	until(t, "an error", func() bool { return strings.Contains(out.String(), "error  reloading plugins: malformed lock file: ") })
	cancel()
	if code := <-done; code != exitOK {
		t.Errorf("exit %d: %s%s", code, out.String(), errs.String())
	}
	if left := pluginRemains(temp, temp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// copies lists what plugins run from.
func copies(t *testing.T, temp string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(temp, "ak-*", "run-*", "assignor-even"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func hangUp(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
}
