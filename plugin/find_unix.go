//go:build unix

package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openNow opens a file for reading, and does not wait for a writer if it is a pipe.
func openNow(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// everybodyWrites says whether every user may write to a file or folder. Nobody may where the file system is read-only, as with volumes of containers.
func everybodyWrites(path string, info fs.FileInfo) bool {
	return info.Mode().Perm()&0o002 != 0 && !errors.Is(unix.Access(path, unix.W_OK), unix.EROFS)
}

func checkRunnable(path string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o111 == 0 {
		return fmt.Errorf("%w: %s is not executable: chmod +x %s", ErrUnsafe, path, path)
	}
	return nil
}
