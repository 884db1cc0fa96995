//go:build unix

package plugin

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// lockedPlugins has some plugins and their lock, whose sums are wrong: nothing is to look at them.
func lockedPlugins(t testing.TB, plugins int) (cfg Config, names []string) {
	t.Helper()
	dir, private := folder(t), t.TempDir()
	lock := &Lock{}
	for i := range plugins {
		name := fmt.Sprintf("p%d", i)
		executable(t, dir, name)
		lock.Add(Locked{
			Name: name, Version: "1.0.0", Assignor: "sticky", Rebalance: strategy.ProtocolEager.String(), Protocol: ProtocolVersion,
			SHA256: map[string]string{Platform(): strings.Repeat("0", 64)},
		})
		names = append(names, name)
	}
	cfg = Config{Lock: filepath.Join(dir, DefaultLock), Private: private, Logger: slog.New(slog.DiscardHandler)}
	if err := lock.Write(cfg.Lock); err != nil {
		t.Fatal(err)
	}
	return cfg, names
}

// loadAll is what a host does at its start.
func loadAll(t testing.TB, cfg Config, names []string) *Catalog {
	c, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, err := c.Load(name); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// TestLoadStartsNothing holds a host's start to reading the lock.
func TestLoadStartsNothing(t *testing.T) {
	cfg, names := lockedPlugins(t, 5)
	before := runtime.NumGoroutine()
	c := loadAll(t, cfg, names)
	if now := runtime.NumGoroutine(); now > before {
		t.Errorf("%d goroutines began", now-before)
	}
	if left, _ := os.ReadDir(cfg.Private); len(left) > 0 {
		t.Errorf("%s was made", left[0].Name())
	}
	for _, s := range c.Stats() {
		if s.Running || s.Starts > 0 || s.Failures > 0 {
			t.Errorf("%+v", s)
		}
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// TestSpoiled has a plugin's file spoiled after it was loaded: the fallback answers, one line says why, and nothing is left.
func TestSpoiled(t *testing.T) {
	linuxOnly(t)
	foreign := "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9) + "\x02\x00\xf3\x00" + strings.Repeat("\x00", 60)
	for name, c := range map[string]struct {
		locked string // what the file is when it is locked
		text   string // and when it is asked, "" for none
		mode   os.FileMode
		want   error
		cause  string
	}{
		"swapped":                {"#!/bin/sh\n", "#!/bin/sh\nexit 9\n", 0o755, ErrChanged, "lock it again"},
		"no bit to be run":       {"#!/bin/sh\n", "#!/bin/sh\n", 0o644, ErrUnsafe, "is not executable: chmod +x"},
		"for everybody to write": {"#!/bin/sh\n", "#!/bin/sh\n", 0o757, ErrUnsafe, "chmod o-w"},
		"gone":                   {"#!/bin/sh\n", "", 0, ErrNotFound, "assignor-p: no such file"},
		"for another platform":   {foreign, foreign, 0o755, ErrStart, "it is an executable for linux/riscv64, and this is " + Platform()},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			dir := folder(t)
			cfg := Config{Lock: filepath.Join(dir, DefaultLock), Private: s.dir, Logger: slog.New(slog.NewTextHandler(s.log, nil))}
			path := filepath.Join(dir, FilePrefix+"p")
			write(t, path, c.locked, 0o755)
			entry := anEntry("p")
			entry.SHA256[Platform()] = fmt.Sprintf("%x", sha256.Sum256([]byte(c.locked)))
			relock(t, cfg, &Lock{Plugins: []Locked{entry}})
			catalog := open(t, cfg)
			a := load(t, catalog, "p")
			if c.text == "" {
				_ = os.Remove(path)
			} else {
				write(t, path, c.text, c.mode)
			}
			var failed error
			f := &strategy.FallbackAssignor{First: a, Then: []strategy.Assignor{second{}}, Timeout: patience, Logger: cfg.Logger, OnFailure: func(x strategy.Failure) { failed = x.Err }}
			got, err := f.Assign(context.Background(), smallGroup())
			if want, _ := (second{}).Assign(context.Background(), smallGroup()); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%v, %v, and the answer of the other was wanted", got, err)
			}
			if !errors.Is(failed, c.want) {
				t.Errorf("%v, want %v", failed, c.want)
			}
			if lines := s.log.alarms(); len(lines) != 1 || !strings.Contains(lines[0], c.cause) {
				t.Errorf("%q, want one line with %q", lines, c.cause)
			}
			refused := int64(1)
			if errors.Is(c.want, ErrStart) {
				refused = 0
			}
			if st := a.Stats(); st.Starts != 0 || st.Failures != 1 || st.Causes.Refused != refused {
				t.Errorf("%+v", st)
			}
			if err := catalog.Close(); err != nil {
				t.Error(err)
			}
			s.gone(t)
		})
	}
}

// TestNotExecuted has files that are none to run on this platform.
func TestNotExecuted(t *testing.T) {
	linuxOnly(t)
	for name, c := range map[string]struct {
		text  string
		mode  os.FileMode
		want  error
		cause string
	}{
		"no executable":       {"x", 0o755, ErrStart, "exec format error"},
		"another platform":    {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9) + "\x02\x00\xb7\x00" + strings.Repeat("\x00", 60), 0o755, ErrStart, "exec format error"},
		"no interpreter":      {"#!/no/such/interpreter\n", 0o755, ErrStart, "the interpreter in its first line may be missing"},
		"no bit to be run":    {"#!/bin/sh\n", 0o644, ErrUnsafe, "chmod +x"},
		"script that ends":    {"#!/bin/sh\necho the cause >&2\nexit 9\n", 0o755, ErrStart, "it ended: exit status 9 before it was ready; it wrote: the cause"},
		"script that is mute": {"#!/bin/sh\n", 0o755, ErrStart, "it ended with status 0"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(folder(t), FilePrefix+"x")
			if err := os.WriteFile(path, []byte(c.text), c.mode); err != nil {
				t.Fatal(err)
			}
			private := newStage(t).dir
			a, err := Unlocked(context.Background(), Config{Private: private, StartTimeout: patience, Logger: slog.New(slog.DiscardHandler)}, path)
			if err == nil {
				t.Fatal("it runs", a.Close())
			}
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.cause) {
				t.Error(err)
			}
			if left, _ := os.ReadDir(private); len(left) > 0 {
				t.Errorf("%s is left", left[0].Name())
			}
		})
	}
}

func TestTooLarge(t *testing.T) {
	s := newStage(t)
	a := s.plugin(t, Config{}, "sticky")
	g := smallGroup()
	g.Members[0].UserData = make([]byte, 65<<20)
	if _, err := a.Assign(context.Background(), g); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "2 members and 4 partitions has 68") {
		t.Error(err)
	}
	if st := a.Stats(); st.Starts != 0 {
		t.Errorf("%+v", st)
	}
}

func TestCallTime(t *testing.T) {
	for left, want := range map[time.Duration]time.Duration{
		time.Hour: time.Minute, 10 * time.Second: 10*time.Second - lead, 100 * time.Millisecond: 90 * time.Millisecond, -time.Second: 0,
	} {
		ctx, cancel := context.WithTimeout(context.Background(), left)
		if got := callTime(ctx, time.Minute); got > want || left > 0 && got < want-time.Second*5 {
			t.Errorf("%s of %s, want %s", got, left, want)
		}
		cancel()
	}
	if got := callTime(context.Background(), time.Minute); got != time.Minute {
		t.Error(got)
	}
}
