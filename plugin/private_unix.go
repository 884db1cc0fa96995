//go:build unix

package plugin

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// hold locks a private folder, which is new, for as long as the process lives, and then marks it. Where a folder cannot be locked it is not marked, and
// left if the process is killed. (A lock on the folder itself is also what systemd-tmpfiles heeds.)
func hold(path string) (io.Closer, error) {
	f, locked, err := lockFolder(path)
	if err != nil || !locked {
		return f, err
	}
	if err := os.WriteFile(filepath.Join(path, markName), nil, 0o600); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// lockFolder opens a folder, and locks it unless somebody else has.
func lockFolder(path string) (f *os.File, locked bool, err error) {
	f, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, false, err
	}
	return f, unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil, nil
}

// sweep removes the private folders of this user's hosts that were killed. One that is just being made has no mark, and is left alone.
func sweep(base string) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), privatePrefix) {
			continue
		}
		folder := filepath.Join(base, e.Name())
		info, err := os.Lstat(filepath.Join(folder, markName))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if !ours(info) {
			continue
		}
		f, locked, err := lockFolder(folder)
		if err != nil {
			continue
		}
		if info, err := f.Stat(); locked && err == nil && ours(info) { // so that nobody else can swap it
			_ = removeMarked(folder)
		}
		_ = f.Close()
	}
}

// ours says whether a file is this user's.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
