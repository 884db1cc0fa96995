//go:build unix

package plugin

import (
	"io"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// holdName is the file in a private folder that its host has locked for as long as it lives.
const holdName = "host"

// hold locks a private folder for as long as the process lives.
func hold(path string) (io.Closer, error) {
	f, err := os.OpenFile(filepath.Join(path, holdName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// sweep removes the private folders of this user's hosts that were killed.
func sweep(base string) {
	folders, err := filepath.Glob(filepath.Join(base, privatePrefix+"*"))
	if err != nil {
		return
	}
	for _, folder := range folders {
		info, err := os.Lstat(folder)
		if err != nil || !info.IsDir() {
			continue
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != os.Getuid() {
			continue
		}
		f, err := os.OpenFile(filepath.Join(folder, holdName), os.O_RDWR, 0)
		if err != nil {
			continue // one that is just being made, or none of ours
		}
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			_ = os.RemoveAll(folder)
		}
		_ = f.Close()
	}
}
