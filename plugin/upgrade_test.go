//go:build unix

package plugin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// upgrading is a catalog with version 1 of a plugin, loaded.
func upgrading(t *testing.T, first script) (Config, *Catalog, *Assignor) {
	t.Helper()
	cfg := quiet(t, folder(t))
	lockScript(t, cfg, "p", first)
	c := open(t, cfg)
	return cfg, c, load(t, c, "p")
}

func TestUpgrade(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	cfg, c, a := upgrading(t, script{log: log})
	for _, running := range []bool{false, true} {
		if err := c.Reload(t.Context()); err != nil { // nothing has changed
			t.Fatal(err)
		}
		if got := a.Stats().Running; got != running {
			t.Errorf("running: %t", got)
		}
		if err := ask(a); err != nil {
			t.Fatal(err)
		}
	}
	lockScript(t, cfg, "p", script{version: "2", log: log})
	if err := c.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := c.Stats(); len(s) != 1 || s[0].Version != "2" || s[0].Starts != 2 || s[0].Failures != 0 {
		t.Errorf("%+v", s)
	}
	before := count(log, "asked 2")
	if err := ask(a); err != nil || count(log, "asked 2") != before+1 {
		t.Errorf("%v: %v", err, lines(log))
	}
	kill(t, a) // and what is started again is the new one
	if err := ask(a); err != nil || count(log, "asked 2") != before+2 || count(log, "started 1") != 1 {
		t.Errorf("%v: %v", err, lines(log))
	}
	until(t, "the old copy is gone", func() bool { return len(inFolder(t, c.private.dir())) == 2 })
}

func TestUpgradeOfOneThatDoesNotRun(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	cfg, c, a := upgrading(t, script{log: log})
	lockScript(t, cfg, "p", script{version: "2", log: log})
	if err := errors.Join(c.Reload(t.Context()), ask(a)); err != nil || count(log, "started 1") != 0 || count(log, "started 2") != 1 {
		t.Errorf("%v: %v", err, lines(log))
	}
}

// A call that is in flight is answered by the old process while the new one answers others.
func TestUpgradeWhileACallIsInFlight(t *testing.T) {
	log, gate := filepath.Join(t.TempDir(), "log"), filepath.Join(t.TempDir(), "gate")
	cfg := quiet(t, folder(t))
	cfg.CallTimeout = time.Minute
	lockScript(t, cfg, "p", script{log: log, gate: gate})
	c := open(t, cfg)
	a := load(t, c, "p")
	answered := make(chan error, 1)
	go func() { answered <- ask(a) }()
	until(t, "it is asked", func() bool { return count(log, "asked 1") == 1 })
	lockScript(t, cfg, "p", script{version: "2", log: log})
	if err := errors.Join(c.Reload(t.Context()), ask(a)); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-answered:
		t.Fatal("it waits at no gate: ", err)
	default:
	}
	write(t, gate, "", 0o600)
	if err := <-answered; err != nil || count(log, "asked 1") != 1 {
		t.Errorf("%v: %v", err, lines(log))
	}
	if got := a.Stats(); got.Failures != 0 || got.Version != "2" {
		t.Errorf("%+v", got)
	}
}

func TestUpgradesThatFail(t *testing.T) {
	for _, c := range []struct {
		name  string
		next  script
		entry func(*Locked)
		time  time.Duration // 0 for no limit
		want  error
		words string
	}{
		{name: "crashes at start", next: script{fault: "crash at start"}, want: ErrStart, words: "exit status 3 before it was ready; it wrote: out of luck"},
		{name: "hangs at start", next: script{fault: "hang at start"}, time: 300 * time.Millisecond, want: ErrStart, words: "it was not ready yet"},
		{name: "crashes when asked", next: script{fault: "crash"}, want: ErrCrashed, words: "self-test: group number 1, one that begins: the plugin crashed"},
		{name: "hangs when asked", next: script{fault: "hang"}, time: 2 * time.Second, want: ErrUnresponsive, words: "self-test: group number 1"},
		{name: "answers with an error", next: script{fault: "error"}, words: "self-test: group number 1, one that begins: no such tenant"},
		{name: "answers with nothing", next: script{fault: "nothing"}, words: "self-test: group number 1"},
		{name: "is another version", entry: func(e *Locked) { e.Version = "3" }, want: ErrChanged, words: `of version "2", eager, where the lock says "sticky" of version "3"`},
		{name: "has another name", next: script{name: "other"}, entry: func(e *Locked) { e.Assignor = "sticky" }, want: ErrChanged, words: `it says that it is "other"`},
		{name: "is another file", entry: func(e *Locked) { e.SHA256[AnyPlatform] = sumOf("a") }, want: ErrChanged, words: "lock it again"},
		{name: "changes its name in use", next: script{name: "other"}, want: ErrChanged, words: "it is eager other now and was eager sticky, which cannot change while it is in use: give it another name"},
		{name: "changes its protocol in use", entry: func(e *Locked) { e.Rebalance = "cooperative" }, want: ErrChanged, words: "cooperative sticky now and was eager sticky"},
		{name: "speaks another version of the protocol", entry: func(e *Locked) { e.Protocol = 2 }, want: ErrStart, words: "version 2 of the plugin protocol"},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			cfg, catalog, a := upgrading(t, script{log: log})
			if err := ask(a); err != nil {
				t.Fatal(err)
			}
			c.next.version, c.next.log = "2", log
			entry := c.next.put(t, cfg.Folders[0], "p")
			if c.entry != nil {
				c.entry(&entry)
			}
			relock(t, cfg, &Lock{Plugins: []Locked{entry}})
			ctx := t.Context()
			if c.time > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, c.time)
				defer cancel()
			}
			err := catalog.Reload(ctx)
			var e *Error
			if !errors.As(err, &e) || e.Plugin != "p" || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.words) {
				t.Errorf("%v, and wanted %v: %s", err, c.want, c.words)
			}
			if err := ask(a); err != nil || a.Stats().Version != "1" || a.Stats().Starts != 1 {
				t.Errorf("the old one: %v, %+v", err, a.Stats())
			}
			kill(t, a) // and is what is started again
			if err := ask(a); err != nil || a.Stats().Version != "1" {
				t.Errorf("the old one, again: %v, %+v", err, a.Stats())
			}
		})
	}
}

func TestPluginThatIsNotLockedAnyMore(t *testing.T) {
	cfg, c, a := upgrading(t, script{})
	if err := ask(a); err != nil {
		t.Fatal(err)
	}
	before, err := ReadLock(cfg.Lock)
	if err != nil {
		t.Fatal(err)
	}
	relock(t, cfg, &Lock{})
	for range 2 {
		if err := c.Reload(t.Context()); !errors.Is(err, ErrNotLocked) {
			t.Errorf("Reload: %v", err)
		}
	}
	if err := ask(a); !errors.Is(err, ErrNotLocked) {
		t.Errorf("Assign: %v", err)
	}
	if _, err := c.Load("p"); !errors.Is(err, ErrNotLocked) {
		t.Errorf("Load: %v", err)
	}
	if data, err := a.UserData(nil); data != nil || err != nil {
		t.Errorf("UserData: %s, %v", data, err)
	}
	fallback := strategy.Fallback(a, sticky.Assignor{})
	g := testGroups()[0]
	answer, err := fallback.Assign(t.Context(), g)
	if err == nil {
		err = strategy.Validate(g, &answer, strategy.ProtocolEager)
	}
	if err != nil {
		t.Errorf("the fallback: %v", err)
	}
	until(t, "the process and the copy are gone", func() bool { return len(inFolder(t, c.private.dir())) == 1 })
	relock(t, cfg, before)
	if err := errors.Join(c.Reload(t.Context()), ask(a)); err != nil {
		t.Errorf("locked again: %v", err)
	}
}

func TestReloadOfABrokenLock(t *testing.T) {
	cfg, c, a := upgrading(t, script{})
	write(t, cfg.Lock, "version: 9\n", 0o644)
	if err := c.Reload(t.Context()); !errors.Is(err, ErrLock) {
		t.Error(err)
	}
	_ = os.Remove(cfg.Lock)
	if err := c.Reload(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if err := ask(a); err != nil {
		t.Error(err)
	}
	_ = c.Close()
	if err := c.Reload(t.Context()); err == nil {
		t.Error("a closed catalog was reloaded")
	}
	if err := ask(a); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if _, err := c.Load("p"); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// Everything at once. Calls do not fail before the catalog is closed.
func TestCatalogConcurrently(t *testing.T) {
	cfg, c, first := upgrading(t, script{})
	if err := ask(first); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var users, others sync.WaitGroup
	for range 3 {
		users.Go(func() {
			for range 15 {
				a, err := c.Load("p")
				if err == nil {
					err = errors.Join(ask(a), a.Close())
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range 2 {
		others.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if n == 0 {
					lockScript(t, cfg, "p", script{out: strings.Repeat("/", i%3)}) // another file
				}
				_ = c.Reload(t.Context()) // the file and the lock are of different versions at times
				_ = c.Stats()
			}
		})
	}
	users.Wait()
	var closing sync.WaitGroup
	for range 2 {
		closing.Go(func() { _ = c.Close() })
	}
	closing.Wait()
	close(stop)
	others.Wait()
	if left := inFolder(t, cfg.Private); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

// BenchmarkOpen is what plugins cost a host that uses none: 5 of 20 MB, and no catalog at all is 0.
func BenchmarkOpen(b *testing.B) {
	dir := folder(b)
	cfg := quiet(b, dir)
	lock := &Lock{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		write(b, filepath.Join(dir, FilePrefix+name), strings.Repeat("x", 20<<20), 0o755)
		lock.Add(anEntry(name))
	}
	relock(b, cfg, lock)
	for name, load := range map[string]int{"loaded=0": 0, "loaded=5": 5} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c, err := Open(cfg)
				if err != nil {
					b.Fatal(err)
				}
				for _, p := range lock.Plugins[:load] {
					if _, err := c.Load(p.Name); err != nil {
						b.Fatal(err)
					}
				}
				if err := c.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
