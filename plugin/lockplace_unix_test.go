//go:build unix

package plugin

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A lock file where anybody could put another is neither read nor written.
func TestLockPlace(t *testing.T) {
	dir := folder(t)
	path := filepath.Join(dir, DefaultLock)
	if err := new(Lock).Write(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadLock(path); !errors.Is(err, ErrUnsafe) {
		t.Errorf("read: %v", err)
	}
	if err := new(Lock).Write(path); !errors.Is(err, ErrUnsafe) {
		t.Errorf("write: %v", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%v are left; %v", left, err)
	}
}
