//go:build unix

package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func TestLongPrivateFolder(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir)
	cfg.Private = filepath.Join(cfg.Private, strings.Repeat("x", 60))
	if err := os.Mkdir(cfg.Private, 0o700); err != nil {
		t.Fatal(err)
	}
	executable(t, dir, "sticky")
	lockSelf(t, cfg, "sticky")
	if err := use(cfg); !errors.Is(err, ErrStart) || !strings.Contains(err.Error(), "bytes too long for sockets in it: set Private, or TMPDIR, to a shorter one") || !errors.Is(err, ErrPrivate) {
		t.Error(err)
	}
}

func TestNoPrivateFolder(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir)
	cfg.Private = filepath.Join(cfg.Private, "none")
	executable(t, dir, "sticky")
	lockSelf(t, cfg, "sticky")
	if err := use(cfg); !errors.Is(err, ErrStart) || !errors.Is(err, ErrPrivate) || !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	write(t, cfg.Private, "no folder", 0o600)
	if err := use(cfg); !errors.Is(err, ErrStart) || !errors.Is(err, ErrPrivate) || !errors.Is(err, syscall.ENOTDIR) {
		t.Error(err)
	}
}

// A folder that is full is to blame for a copy that fails, a file that cannot be read is not.
func TestNotCopied(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "/tmp/ak-1/run-1/assignor-x", Err: syscall.ENOSPC}
	if err := notCopied(full.Path, errors.Join(full, full)); !errors.Is(err, ErrPrivate) || !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
	if err := notCopied(full.Path, &os.PathError{Op: "read", Path: "plugins/assignor-x", Err: syscall.EIO}); errors.Is(err, ErrPrivate) || !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
}

// Copying a large executable ends with the context, and leaves nothing of it.
func TestCopyIsCancelled(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir)
	own := &private{base: cfg.Private}
	defer own.remove()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := own.copy(ctx, executable(t, dir, "sticky"), nil); !errors.Is(err, context.Canceled) || errors.Is(err, ErrPrivate) {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(own.dir(), "run-*")); err != nil || len(left) > 0 {
		t.Errorf("%q is left, %v", left, err)
	}
}

func TestSwappedBeforeTheFirstCall(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir)
	log := filepath.Join(t.TempDir(), "log")
	lockScript(t, cfg, "p", script{log: log})
	a := load(t, open(t, cfg), "p")
	script{version: "2", log: log}.put(t, dir, "p")
	if err := ask(a); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
	if got := count(log, "started 2"); got != 0 {
		t.Error("the file that was put in its place has run")
	}
	script{log: log}.put(t, dir, "p")
	if err := ask(a); err != nil {
		t.Error(err)
	}
}

// What runs is the copy that was checked, whatever happens to the file after the check.
func TestSwappedBetweenCheckAndStart(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir).withDefaults()
	log := filepath.Join(t.TempDir(), "log")
	entry := script{log: log}.put(t, dir, "p")
	path := filepath.Join(dir, "assignor-p")
	own := &private{base: cfg.Private}
	i := lockedImage(cfg, own, path, &entry)
	checked, err := i.launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, "#!/bin/sh\nexit 9\n", 0o755)
	s := newSupervisor("p", cfg.Logger, i)
	p, err := s.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.release(p)
	if p.runner.cmd.Path != checked.path || count(log, "started 1") != 1 {
		t.Errorf("%s runs, %s was checked", p.runner.cmd.Path, checked.path)
	}
	for at, want := range map[string]os.FileMode{checked.path: 0o500, filepath.Dir(checked.path): 0o700, own.dir(): 0o700} {
		if info, err := os.Stat(at); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", at, info.Mode(), err)
		}
	}
	s.close()
	if err := own.remove(); err != nil {
		t.Error(err)
	}
}

func TestSwappedBeforeARestart(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir)
	log := filepath.Join(t.TempDir(), "log")
	lockScript(t, cfg, "p", script{log: log})
	c := open(t, cfg)
	a := load(t, c, "p")
	if err := ask(a); err != nil {
		t.Fatal(err)
	}
	script{version: "2", log: log}.put(t, dir, "p")
	kill(t, a)
	if err := ask(a); err != nil {
		t.Errorf("after a crash: %v", err)
	}
	if got := strings.Join(lines(log), ", "); got != "started 1, asked 1, started 1, asked 1" {
		t.Error(got)
	}
	// A copy that was cleared away is made anew, of the file that was locked.
	if err := os.RemoveAll(c.private.dir()); err != nil {
		t.Fatal(err)
	}
	kill(t, a)
	if err := ask(a); !errors.Is(err, ErrChanged) {
		t.Errorf("without the copy: %v", err)
	}
	script{log: log}.put(t, dir, "p")
	until(t, "it answers", func() bool { return ask(a) == nil })
}

// kill kills the process of a plugin that runs.
func kill(t testing.TB, a *Assignor) {
	t.Helper()
	a.supervisor.mu.Lock()
	p := a.supervisor.current
	a.supervisor.mu.Unlock()
	p.runner.kill()
	until(t, "it has ended", func() bool { return !a.Stats().Running })
}

func TestPrivateFoldersOfHosts(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir)
	lockScript(t, cfg, "sticky", script{})
	for _, other := range []string{"ak-notes", "ak-123"} { // somebody else's, and one that is just being made
		if err := os.Mkdir(filepath.Join(cfg.Private, other), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	killed, _ := hostProcess(t, cfg)
	ofKilled := inFolder(t, cfg.Private)
	_, end := hostProcess(t, cfg)
	both := inFolder(t, cfg.Private)
	if len(ofKilled) != 3 || len(both) != 4 {
		t.Fatalf("%v, %v", ofKilled, both)
	}
	if err := use(cfg); err != nil { // a catalog in this process, beside the others
		t.Fatal(err)
	}
	if got := inFolder(t, cfg.Private); len(got) != 4 {
		t.Errorf("two hosts live, and %v is left", got)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	if err := use(cfg); err != nil {
		t.Fatal(err)
	}
	if got := inFolder(t, cfg.Private); len(got) != 3 {
		t.Errorf("one host lives, and %v is left", got)
	}
	end()
	if got := strings.Join(inFolder(t, cfg.Private), " "); got != "ak-123 ak-notes" {
		t.Errorf("no host lives, and %v is left", got)
	}
}

// Hosts that start and end at the same time leave each other's folders alone.
func TestPrivateFoldersAreNotSweptWhileMade(t *testing.T) {
	cfg := quiet(t, folder(t))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				p := &private{base: cfg.Private}
				dir, err := p.make()
				if err == nil {
					sweep(cfg.Private)
					_, err = os.Stat(filepath.Join(dir, markName))
				}
				if err := errors.Join(err, p.remove()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if left := inFolder(t, cfg.Private); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

func TestTwoCatalogs(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir)
	lockScript(t, cfg, "sticky", script{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := use(cfg); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if left := inFolder(t, cfg.Private); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

// A plugin gets what the lock lists of the host's environment, as it is there, and what the handshake takes.
func TestEnvironment(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir)
	out := filepath.Join(t.TempDir(), "environment")
	entry := script{out: out}.put(t, dir, "p")
	entry.Environment = []string{"GIVEN", "NOT_SET"}
	relock(t, cfg, &Lock{Plugins: []Locked{entry}})
	t.Setenv("GIVEN", "from the host = x")
	t.Setenv("SECRET", "keep this")
	if err := ask(load(t, open(t, cfg), "p")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.SplitSeq(string(text), "\x00") {
		name, value, _ := strings.Cut(line, "=")
		switch {
		case strings.HasPrefix(name, "PLAY_"), name == "PWD", name == "_", name == "OLDPWD", name == "SHLVL": // the script's, the shell's
		case strings.HasPrefix(name, "PLUGIN_"), strings.HasPrefix(name, "ASSIGNKIT_PLUGIN"): // the handshake's
		default:
			got = append(got, name+"="+value)
		}
	}
	slices.Sort(got)
	if want := []string{"GIVEN=from the host = x", fmt.Sprintf("GOMEMLIMIT=%d", 3<<29)}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if strings.Contains(string(text), "keep this") {
		t.Error("it gets the host's secrets")
	}
}
