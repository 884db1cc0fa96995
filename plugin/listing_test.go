package plugin

import (
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// quiet is a configuration for a folder and its lock file, with a place for private folders that the test can look at, and a path short enough for
// sockets.
func quiet(t testing.TB, dir string) Config {
	t.Helper()
	private, err := os.MkdirTemp("", "ak")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(private) })
	return Config{Lock: filepath.Join(dir, DefaultLock), Folders: []string{dir}, Private: private, Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}
}

// sumOfSelf is that of the test binary, which is all plugins.
var sumOfSelf = sync.OnceValues(func() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	_, sum, err := Sum(self)
	return sum, err
})

// bytesOfSelf is that sum as bytes.
func bytesOfSelf(t testing.TB) []byte {
	t.Helper()
	entry := selfEntry(t, "sticky")
	sum, err := entry.sum(Platform())
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// selfEntry locks the test binary under a name, as an eager assignor called "sticky".
func selfEntry(t testing.TB, name string) Locked {
	t.Helper()
	sum, err := sumOfSelf()
	if err != nil {
		t.Fatal(err)
	}
	p := anEntry(name)
	p.Assignor, p.Version, p.SHA256[Platform()] = "sticky", "0.0.0", sum
	return p
}

// lockSelf locks the test binary under these names.
func lockSelf(t testing.TB, cfg Config, names ...string) *Lock {
	t.Helper()
	lock := &Lock{}
	for _, name := range names {
		lock.Add(selfEntry(t, name))
	}
	relock(t, cfg, lock)
	return lock
}

func relock(t testing.TB, cfg Config, lock *Lock) {
	t.Helper()
	if err := lock.Write(cfg.Lock); err != nil {
		t.Fatal(err)
	}
}

func TestDescribe(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir)
	path := executable(t, dir, "sticky")
	got, err := Describe(context.Background(), cfg, path, "PATH")
	if err != nil {
		t.Fatal(err)
	}
	platform, sum, err := Sum(path)
	if err != nil || platform != Platform() {
		t.Fatalf("Sum: %s, %v", platform, err)
	}
	if got.Name != "sticky" || got.Assignor != "sticky" || got.Version != "0.0.0" || got.Protocol != ProtocolVersion || got.Rebalance != "eager" ||
		got.SHA256[Platform()] != sum || len(got.SHA256) != 1 || len(got.Environment) != 1 {
		t.Errorf("%+v", got)
	}
	if entries, _ := os.ReadDir(cfg.Private); len(entries) != 0 {
		t.Errorf("%v is left", entries)
	}
	for _, name := range []string{"sticky", "assignor-", "assignor-Sticky", "assignor-a b"} {
		if _, err := Describe(context.Background(), cfg, filepath.Join(dir, name)); !errors.Is(err, ErrUnsafe) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFind(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir)
	cfg.Folders = append(cfg.Folders, filepath.Join(dir, "missing"))
	if got, err := Find(cfg); err != nil || len(got) != 0 {
		t.Fatalf("%v, %v", got, err)
	}
	executable(t, dir, "sticky")
	lock := lockSelf(t, cfg, "sticky")
	entry := lock.Plugins[0]
	for _, name := range []string{"changed", "gone"} {
		entry.Name = name
		lock.Add(entry)
	}
	relock(t, cfg, lock)
	write(t, filepath.Join(dir, "assignor-changed"), "#!/bin/sh\n", 0o755)
	write(t, filepath.Join(dir, "assignor-new"), "#!/bin/sh\n", 0o755)
	write(t, filepath.Join(dir, "assignor-New"), "#!/bin/sh\n", 0o755)
	if err := os.Mkdir(filepath.Join(dir, "assignor-sources"), 0o755); err != nil {
		t.Fatal(err)
	}
	want := []struct {
		name         string
		path, locked bool
		err          error
	}{
		{"New", true, false, ErrUnsafe},
		{"changed", true, true, ErrChanged},
		{"gone", false, true, ErrNotFound},
		{"new", true, false, ErrNotLocked},
		{"sticky", true, true, nil},
	}
	got, err := Find(cfg)
	if err != nil || len(got) != len(want) {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, w := range want {
		if g := got[i]; g.Name != w.name || (g.Path != "") != w.path || (g.Locked != nil) != w.locked || !errors.Is(g.Err, w.err) {
			t.Errorf("%+v, and wanted %+v", g, w)
		}
	}
}

func TestSumKnowsPlatforms(t *testing.T) {
	elfHead := func(class, data, abi byte, machine uint16) string {
		head := make([]byte, 64)
		copy(head, "\x7fELF")
		head[4], head[5], head[7] = class, data, abi
		order := binary.ByteOrder(binary.LittleEndian)
		if data == 2 {
			order = binary.BigEndian
		}
		order.PutUint16(head[18:], machine)
		return string(head)
	}
	windows := make([]byte, 100)
	copy(windows, "MZ")
	windows[60] = 80
	copy(windows[80:], "PE\x00\x00\x64\x86")
	for _, c := range []struct{ content, want string }{
		{"#!/usr/bin/env python3\nPK\x03\x04", "any"},
		{elfHead(2, 1, 0, 62), "linux/amd64"},
		{elfHead(2, 1, 3, 62), "linux/amd64"},
		{elfHead(2, 1, 9, 62), "freebsd/amd64"},
		{elfHead(2, 1, 2, 183), "netbsd/arm64"},
		{elfHead(2, 1, 0, 183), "linux/arm64"},
		{elfHead(1, 1, 0, 40), "linux/arm"},
		{elfHead(2, 2, 0, 22), "linux/s390x"},
		{elfHead(2, 2, 0, 21), "linux/ppc64"},
		{elfHead(2, 1, 0, 21), "linux/ppc64le"},
		{elfHead(2, 1, 0, 243), "linux/riscv64"},
		{"\xcf\xfa\xed\xfe\x0c\x00\x00\x01", "darwin/arm64"},
		{"\xcf\xfa\xed\xfe\x07\x00\x00\x01", "darwin/amd64"},
		{string(windows), "windows/amd64"},
		{"\xca\xfe\xba\xbe\x00\x00\x00\x02", "lipo -thin"},
		{"", "empty"},
		{"MZ", "not known"},
		{"MZ" + strings.Repeat("\xff", 62), "not known"},
		{"\x7fELF", "not known"},
		{elfHead(2, 1, 77, 62), "not known"},
		{elfHead(2, 1, 0, 7777), "not known"},
		{"hello", "no executable"},
	} {
		path := filepath.Join(t.TempDir(), "x")
		write(t, path, c.content, 0o755)
		switch platform, sum, err := Sum(path); {
		case err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%q: %v, and wanted %s", c.content, err, c.want)
		case err == nil && (platform != c.want || !hexSum.MatchString(sum)):
			t.Errorf("%q: %s %s, and wanted %s", c.content, platform, sum, c.want)
		}
	}
}

// write makes a file with this mode, whatever the umask. One that was there is replaced, as it may be a link to the test binary.
func write(t testing.TB, path, content string, mode os.FileMode) {
	t.Helper()
	_ = os.Remove(path)
	if err := errors.Join(os.WriteFile(path, []byte(content), mode), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}
