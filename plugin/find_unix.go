//go:build unix

package plugin

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// openNow opens a file for reading, and does not wait for a writer if it is a pipe.
func openNow(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// checkFolder refuses a folder that everybody may write to, or one within such a folder, where it could be swapped unless that is sticky.
func checkFolder(folder string) error {
	for at := folder; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o002 != 0 && (at == folder || info.Mode()&fs.ModeSticky == 0) {
			return fmt.Errorf("%w: everybody may write to the folder %s: chmod o-w %s", ErrUnsafe, at, at)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

func checkFile(path string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return notRegular(path)
	case info.Mode().Perm()&0o111 == 0:
		return fmt.Errorf("%w: %s is not executable: chmod +x %s", ErrUnsafe, path, path)
	case info.Mode().Perm()&0o002 != 0:
		return fmt.Errorf("%w: everybody may write to %s: chmod o-w %s", ErrUnsafe, path, path)
	}
	return nil
}
