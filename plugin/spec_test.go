package plugin

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// registerPlugin has specifications name plugins, for the tests of this package.
var registerPlugin = sync.OnceFunc(func() {
	strategy.Register("plugin", Definition(Config{Logger: slog.New(slog.DiscardHandler)}))
})

// lockedFolder makes a folder with a plugin "sticky", and a lock file that names it, and returns the path of the lock file.
func lockedFolder(t *testing.T) string {
	t.Helper()
	registerPlugin()
	dir := folder(t)
	executable(t, dir, "sticky")
	lockAgain(t, dir)
	return filepath.Join(dir, DefaultLock)
}

func lockAgain(t *testing.T, dir string) {
	t.Helper()
	p, err := Describe(context.Background(), Config{Logger: slog.New(slog.DiscardHandler)}, filepath.Join(dir, "assignor-sticky"))
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Lock{Plugins: []Locked{p}}).Write(filepath.Join(dir, DefaultLock)); err != nil {
		t.Fatal(err)
	}
}

// parse parses a specification with a lock file.
func parse(t *testing.T, spec, lock string) (strategy.Assignor, *Assignor) {
	t.Helper()
	sep := "?"
	if strings.Contains(spec, "?") {
		sep = "&"
	}
	a, err := strategy.Parse(spec + sep + "lock=" + url.PathEscape(lock))
	if err != nil {
		t.Fatal(err)
	}
	p, ok := strategy.As[*Assignor](a)
	if !ok {
		t.Fatalf("%s is no plugin: %T", spec, a)
	}
	return a, p
}

func askOnce(t *testing.T, a strategy.Assignor) {
	t.Helper()
	for _, g := range testGroups() {
		answer, err := a.Assign(context.Background(), g)
		if err == nil {
			err = strategy.Validate(g, &answer, strategy.ProtocolOf(a))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func opened() int {
	catalogs.mu.Lock()
	defer catalogs.mu.Unlock()
	return len(catalogs.list)
}

func TestSpecsShareAProcess(t *testing.T) {
	lock := lockedFolder(t)
	first, p := parse(t, "plugin:sticky", lock)
	second, q := parse(t, "plugin:sticky?cooperative&timeout=1234", lock)
	if p.supervisor != q.supervisor || opened() != 1 {
		t.Errorf("%d catalogs are open, one is wanted", opened())
	}
	if q.timeouts.call.Milliseconds() != 1234 || p.timeouts.call == q.timeouts.call {
		t.Errorf("the timeouts of calls are %v and %v", p.timeouts.call, q.timeouts.call)
	}
	if first.Name() != "sticky" || second.Name() != "cooperative-sticky" {
		t.Errorf("they are called %s and %s", first.Name(), second.Name())
	}
	askOnce(t, first)
	if err := strategy.Close(first); err != nil {
		t.Fatal(err)
	}
	askOnce(t, second)
	if s := q.Stats(); s.Starts != 1 || !s.Running {
		t.Errorf("with one of two closed: %+v", s)
	}
	if err := strategy.Close(second); err != nil {
		t.Fatal(err)
	}
	if opened() != 0 || q.Stats().Running {
		t.Errorf("with both closed %d catalogs are open; %+v", opened(), q.Stats())
	}
}

func TestSpecFallsBack(t *testing.T) {
	lock := lockedFolder(t)
	strategy.Register("behind", strategy.Definition{New: func(strategy.Spec) (strategy.Assignor, error) { return sticky.Assignor{}, nil }})
	a, p := parse(t, "plugin:sticky?fallback=behind", lock)
	if err := os.Remove(filepath.Join(filepath.Dir(lock), "assignor-sticky")); err != nil {
		t.Fatal(err)
	}
	askOnce(t, a)
	if s := p.Stats(); s.Failures == 0 || s.Answers != 0 {
		t.Errorf("a plugin that is not there: %+v", s)
	}
	if err := strategy.Close(a); err != nil || opened() != 0 {
		t.Errorf("%d catalogs are left open; %v", opened(), err)
	}
}

// What cannot be used is told at once, and nothing is left open.
func TestSpecErrors(t *testing.T) {
	lock := url.PathEscape(lockedFolder(t))
	for spec, want := range map[string]error{
		"plugin:other?lock=" + lock:                           ErrNotLocked,
		"plugin:../sticky?lock=" + lock:                       ErrUnsafe,
		"plugin:sticky?lock=" + lock + ".not":                 ErrNotLocked,
		"plugin:sticky?folder=nowhere&lock=" + lock:           ErrNotFound,
		"plugin:sticky?lock=" + url.PathEscape("spec.go"):     ErrLock,
		"plugin:sticky?fallback=none&lock=" + lock:            strategy.ErrUnknownStrategy,
		"plugin:sticky?fallback=plugin:other&lock=" + lock:    ErrNotLocked,
		"plugin:sticky?timeout=long&lock=" + lock:             strategy.ErrSpec,
		"plugin:sticky?timeout=0&lock=" + lock:                strategy.ErrSpec,
		"plugin:sticky?timeout=9000000000000000&lock=" + lock: strategy.ErrSpec,
		"plugin:sticky?timeout=-1&lock=" + lock:               strategy.ErrSpec,
		"plugin":                                              strategy.ErrSpec,
	} {
		a, err := strategy.Parse(spec)
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, not %v", spec, err, want)
		}
		if err == nil {
			_ = strategy.Close(a)
		}
	}
	if opened() != 0 {
		t.Errorf("%d catalogs are left open", opened())
	}
}

func TestReloadAll(t *testing.T) {
	lock := lockedFolder(t)
	if err := ReloadAll(context.Background()); err != nil {
		t.Errorf("without any: %v", err)
	}
	a, p := parse(t, "plugin:sticky", lock)
	defer strategy.Close(a)
	askOnce(t, a)
	path := filepath.Join(filepath.Dir(lock), "assignor-sticky")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil { // it is a link
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(data, "another build"...), 0o755); err != nil {
		t.Fatal(err)
	}
	lockAgain(t, filepath.Dir(lock))
	if err := ReloadAll(context.Background()); err != nil {
		t.Fatal(err)
	}
	if s := p.Stats(); s.Starts != 2 || !s.Running {
		t.Errorf("after the upgrade: %+v", s)
	}
	askOnce(t, a)
	if err := os.WriteFile(lock, []byte("version: 99\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := ReloadAll(context.Background()); !errors.Is(err, ErrLock) {
		t.Errorf("with a lock file of a newer version: %v", err)
	}
	askOnce(t, a)
	if err := strategy.Close(a); err != nil || opened() != 0 {
		t.Errorf("%d catalogs are left open; %v", opened(), err)
	}
}
