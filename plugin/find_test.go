//go:build unix

package plugin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestBadInput has all that a plugin is refused for before it is started. Each is as bad for Find, and the error says what to do.
func TestBadInput(t *testing.T) {
	type place struct {
		dir  string // with assignor-sticky, locked
		path string
		cfg  *Config
		lock *Lock
	}
	change := func(t *testing.T, p place, change func(*Locked)) {
		change(&p.lock.Plugins[0])
		relock(t, *p.cfg, p.lock)
	}
	check := func(t *testing.T, errs ...error) {
		t.Helper()
		for _, err := range errs {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, place)
		want  error
		words string // with DIR for the folder
	}{
		{"not in the lock", func(t *testing.T, p place) { change(t, p, func(e *Locked) { e.Name = "other" }) }, ErrNotLocked,
			"DIR/assignors.lock does not name it; read what it does, and lock it with \"assignctl plugin lock --lock DIR/assignors.lock PATH\""},
		{"not for this platform", func(t *testing.T, p place) {
			change(t, p, func(e *Locked) { e.SHA256 = map[string]string{"plan9/mips": sumOf("a"), "linux/s390x": sumOf("b")} })
		}, ErrNotLocked, "sticky is locked for linux/s390x, plan9/mips, not for " + Platform() + ": lock its executable for that too"},
		{"another protocol", func(t *testing.T, p place) { change(t, p, func(e *Locked) { e.Protocol = 2 }) }, ErrStart,
			"speaks version 2 of the plugin protocol, and this host speaks version 1: build it"},
		{"no file", func(t *testing.T, p place) { check(t, os.Remove(p.path)) }, ErrNotFound, "no assignor-sticky in DIR"},
		{"in two folders", func(t *testing.T, p place) {
			other := folder(t)
			executable(t, other, "sticky")
			p.cfg.Folders = append(p.cfg.Folders, other)
		}, ErrUnsafe, "there are several of that name, and one is wanted: DIR/assignor-sticky, "},
		{"a link out of the folder", func(t *testing.T, p place) {
			check(t, os.Remove(p.path), os.Symlink(executable(t, folder(t), "sticky"), p.path))
		}, ErrUnsafe, "DIR/assignor-sticky is a link to "},
		{"a link to a folder beside it", func(t *testing.T, p place) {
			sub := filepath.Join(filepath.Dir(p.dir), "plugins-of-others")
			check(t, os.Mkdir(sub, 0o755), os.Remove(p.path), os.Symlink("../plugins-of-others/assignor-sticky", p.path))
			executable(t, sub, "sticky")
		}, ErrUnsafe, "which is not in the folder: copy that into it"},
		{"a link to a folder for everybody", func(t *testing.T, p place) {
			sub := filepath.Join(p.dir, "v1")
			check(t, os.Mkdir(sub, 0o755), os.Remove(p.path), os.Symlink("v1/assignor-sticky", p.path))
			executable(t, sub, "sticky")
			check(t, os.Chmod(sub, 0o777))
		}, ErrUnsafe, "everybody may write to the folder DIR/v1: chmod o-w DIR/v1"},
		{"a link to nothing", func(t *testing.T, p place) { check(t, os.Remove(p.path), os.Symlink("nowhere", p.path)) }, os.ErrNotExist, "DIR/nowhere"},
		{"a link to itself", func(t *testing.T, p place) {
			check(t, os.Remove(p.path), os.Symlink("assignor-sticky", p.path))
		}, nil, "too many links"},
		{"a folder for everybody", func(t *testing.T, p place) { check(t, os.Chmod(p.dir, 0o777)) }, ErrUnsafe,
			"everybody may write to the folder DIR: chmod o-w DIR"},
		{"a sticky folder for everybody", func(t *testing.T, p place) { check(t, os.Chmod(p.dir, 0o777|os.ModeSticky)) }, ErrUnsafe,
			"everybody may write to the folder DIR: chmod o-w DIR"},
		{"in a folder for everybody", func(t *testing.T, p place) { check(t, os.Chmod(filepath.Dir(p.dir), 0o777)) }, ErrUnsafe, "chmod o-w "},
		{"a file for everybody", func(t *testing.T, p place) { write(t, p.path, "#!/bin/sh\n", 0o757) }, ErrUnsafe,
			"everybody may write to DIR/assignor-sticky: chmod o-w DIR/assignor-sticky"},
		{"a folder", func(t *testing.T, p place) { check(t, os.Remove(p.path), os.Mkdir(p.path, 0o755)) }, ErrUnsafe, "DIR/assignor-sticky is no regular file"},
		{"a pipe", func(t *testing.T, p place) { check(t, os.Remove(p.path), syscall.Mkfifo(p.path, 0o755)) }, ErrUnsafe, "DIR/assignor-sticky is no regular file"},
		{"not executable", func(t *testing.T, p place) { write(t, p.path, "#!/bin/sh\n", 0o644) }, ErrUnsafe,
			"DIR/assignor-sticky is not executable: chmod +x DIR/assignor-sticky"},
		{"too large", func(t *testing.T, p place) {
			write(t, p.path, "#!/bin/sh\n", 0o755)
			check(t, os.Truncate(p.path, maxExecutable+1))
		}, ErrUnsafe, "and an executable may have 1073741824"},
		{"another file", func(t *testing.T, p place) { write(t, p.path, "#!/bin/sh\n", 0o755) }, ErrChanged,
			"if that is meant, lock it again with \"assignctl plugin lock\""},
		{"that of another platform", func(t *testing.T, p place) {
			other := "#!/bin/sh\nexit 7\n"
			write(t, p.path, other, 0o755)
			_, sum, err := Sum(p.path)
			check(t, err)
			change(t, p, func(e *Locked) { e.SHA256["plan9/mips"] = sum })
		}, ErrChanged, "DIR/assignor-sticky is the executable for plan9/mips, and this is " + Platform() + ": install the one for this platform"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := folder(t)
			cfg := quiet(t, dir)
			p := place{dir: dir, path: executable(t, dir, "sticky"), cfg: &cfg}
			p.lock = lockSelf(t, cfg, "sticky")
			c.spoil(t, p)
			words := strings.ReplaceAll(c.words, "DIR", dir)
			said := func(what string, err error) {
				t.Helper()
				if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), words) {
					t.Errorf("%s: %v, and wanted %v: %s", what, err, c.want, words)
				}
			}
			said("the first call", use(cfg))
			found, err := Find(cfg)
			if err != nil { // the lock file is in the same folder
				said("Find", err)
				return
			}
			for _, f := range found {
				if f.Name == "sticky" {
					said("Find", f.Err)
				}
			}
		})
	}
}

// use opens a catalog and asks the plugin "sticky" once.
func use(cfg Config) (err error) {
	c, err := Open(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	a, err := c.Load("sticky")
	if err != nil {
		return err
	}
	_, err = a.Assign(context.Background(), testGroups()[0])
	return errors.Join(err, a.Close())
}

func TestGoodFolders(t *testing.T) {
	for name, arrange := range map[string]func(t *testing.T, dir, path string){
		"plain": func(*testing.T, string, string) {},
		"a link within the folder": func(t *testing.T, _, path string) {
			if err := errors.Join(os.Rename(path, path+"-1.4"), os.Symlink("assignor-sticky-1.4", path)); err != nil {
				t.Fatal(err)
			}
		},
		"in a sticky folder for everybody": func(t *testing.T, dir, _ string) {
			if err := os.Chmod(filepath.Dir(dir), 0o777|os.ModeSticky); err != nil {
				t.Fatal(err)
			}
		},
		"for the group": func(t *testing.T, dir, _ string) {
			if err := os.Chmod(dir, 0o775); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t)
			cfg := quiet(t, dir)
			path := executable(t, dir, "sticky")
			lockSelf(t, cfg, "sticky")
			arrange(t, dir, path)
			if err := use(cfg); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNamesAreNoPaths(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir)
	executable(t, dir, "sticky")
	lockSelf(t, cfg, "sticky")
	c, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, name := range []string{"", ".", "..", "../sticky", "/sticky", "a/b", `a\b`, "sticky/", "x/../sticky", "Sticky", "sticky\x00", "sticky\n", "-x", "x-", strings.Repeat("x", 64)} {
		if _, err := c.Load(name); !errors.Is(err, ErrUnsafe) || !strings.Contains(err.Error(), "no name of a plugin: up to 63 small letters, digits") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestLockFileForEverybody(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir)
	executable(t, dir, "sticky")
	lockSelf(t, cfg, "sticky")
	if err := os.Chmod(cfg.Lock, 0o646); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(cfg); !errors.Is(err, ErrUnsafe) || !strings.Contains(err.Error(), "chmod o-w "+cfg.Lock) {
		t.Error(err)
	}
	// As a file of a ConfigMap is: a link to a link, all in one folder.
	if err := errors.Join(os.Chmod(cfg.Lock, 0o644), os.Rename(cfg.Lock, cfg.Lock+"-1"), os.Symlink(DefaultLock+"-1", cfg.Lock)); err != nil {
		t.Fatal(err)
	}
	if err := use(cfg); err != nil {
		t.Error(err)
	}
}

// A folder that is listed twice, once by a link, has each plugin once.
func TestFolderTwice(t *testing.T) {
	dir := folder(t)
	path := executable(t, dir, "sticky")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if got, err := findExecutable([]string{dir, dir + "/", link}, "sticky"); err != nil || got != path {
		t.Error(got, err)
	}
}
