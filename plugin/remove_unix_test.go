//go:build unix

package plugin

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A host that cannot remove its folder, or is killed while it does, leaves one that the next host knows for what it is.
func TestFolderThatCannotBeRemovedKeepsItsMark(t *testing.T) {
	base := quiet(t, folder(t)).Private
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	few := was
	few.Cur = 128
	failed := 0
	for free := range 8 {
		p := &private{base: base}
		dir, err := p.make()
		if err == nil {
			err = os.MkdirAll(filepath.Join(dir, "run-1", "within"), 0o700)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
			t.Fatal(err)
		}
		release := exhaust(free)
		err = p.remove()
		release()
		if back := unix.Setrlimit(unix.RLIMIT_NOFILE, &was); back != nil {
			t.Fatal(back)
		}
		_, left := os.Lstat(dir)
		_, mark := os.Lstat(filepath.Join(dir, markName))
		if (left == nil) != (err != nil) || (left == nil) != (mark == nil) {
			t.Errorf("%d files may be opened: removing: %v, the folder: %v, its mark: %v", free, err, left, mark)
		}
		if err != nil {
			failed++
		}
	}
	if failed == 0 || failed == 8 {
		t.Errorf("%d of 8 could not be removed", failed)
	}
	sweep(base)
	if left := inFolder(t, base); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// exhaust opens files until only a few more may be, and returns what closes them.
func exhaust(free int) (release func()) {
	var open []*os.File
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		open = append(open, f)
	}
	free = min(free, len(open))
	closeAll(open[:free]...)
	return func() { closeAll(open[free:]...) }
}
