package output

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "a.html"), filepath.Join(dir, "link")
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	expect := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%q, %v", got, err)
		}
		if entries, _ := os.ReadDir(dir); len(entries) > 2 {
			t.Errorf("left behind: %v", entries)
		}
	}
	if err := WriteFile(file, text("one")); err != nil {
		t.Fatal(err)
	}
	expect("one")
	broken := errors.New("broken")
	if err := WriteFile(file, func(w io.Writer) error { return errors.Join(text("half")(w), broken) }); !errors.Is(err, broken) || !strings.Contains(err.Error(), file) {
		t.Error(err)
	}
	expect("one")
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err) // Windows wants a privilege for it
	}
	if err := WriteFile(link, text("two")); err != nil {
		t.Fatal(err)
	}
	expect("two")
	if at, err := os.Lstat(link); err != nil || at.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if at, err := os.Stat(file); err != nil || at.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", at.Mode(), err)
	}
	if err := WriteFile(dir, text("x")); err == nil || !strings.Contains(err.Error(), "is not a file") {
		t.Error(err)
	}
	if err := WriteFile(filepath.Join(dir, "none", "a.html"), text("x")); !errors.Is(err, os.ErrNotExist) || !strings.HasPrefix(err.Error(), filepath.Join(dir, "none", "a.html")+" cannot be written") {
		t.Error(err)
	}
}
