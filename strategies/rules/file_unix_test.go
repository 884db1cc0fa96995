//go:build unix

package rules_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assignkit/assignkit/strategies/rules"
)

// A pipe is read when it is opened, and not looked at again.
func TestFileIsPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(path, []byte("name: r\nlimit: 1\n"), 0o600) }()
	var told strings.Builder
	f, err := rules.Open(path, slog.New(slog.NewTextHandler(&told, nil)))
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	g := group(map[string]string{"a": "1", "b": "2"}, 1, 1, 1)
	answer, err := f.Assign(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	if got := render(g, &answer); got != "a[2] b[1] limit[0]" || told.Len() > 0 {
		t.Errorf("got %s, told %q", got, told.String())
	}
}

// What takes a file's place and cannot be read leaves the rules as they are, until it can be.
func TestFileCannotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.yaml")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(to, text string) { must(os.WriteFile(to, []byte(text), 0o600)) }
	var told strings.Builder
	write(path, "name: r\n")
	f, err := rules.Open(path, slog.New(slog.NewTextHandler(&told, nil)))
	must(err)
	g := group(map[string]string{"a": "1", "b": "2"}, 1, 1, 1)
	const all, justA, justB = "a[0 1] b[2]", "a[0 1 2] b[]", "a[] b[0 1 2]"
	steps := []struct {
		what      string
		change    func()
		want, say string
	}{
		{"pipe", func() { must(os.Remove(path)); must(syscall.Mkfifo(path, 0o600)) }, all, "is no regular file"},
		{"folder", func() { must(os.Remove(path)); must(os.Mkdir(path, 0o700)) }, all, ""},
		{"loop", func() { must(os.Remove(path)); must(os.Symlink(path, path)) }, all, "so the old ones stay"},
		{"file", func() { must(os.Remove(path)); write(path, "name: r\neligible: member.id == \"b\"\n") }, justB, "rules have changed"},
		{"another of the same size and time", func() {
			info, err := os.Stat(path)
			must(err)
			write(path+".new", "name: r\neligible: member.id == \"a\"\n")
			must(os.Chtimes(path+".new", info.ModTime(), info.ModTime()))
			must(os.Rename(path+".new", path))
		}, justA, "rules have changed"},
		{"secret", func() { write(path, "name: r\neligible: member.id != \"a\"\n"); must(os.Chmod(path, 0)) }, justA, "permission denied"},
		{"secret as before", func() {}, justA, ""},
		{"no secret any more", func() { must(os.Chmod(path, 0o600)) }, justB, "rules have changed"},
	}
	if os.Geteuid() == 0 { // nothing is secret to it
		steps = steps[:5]
	}
	for _, step := range steps {
		step.change()
		told.Reset()
		answer, err := f.Assign(t.Context(), g)
		must(err)
		if got := render(g, &answer); got != step.want || !strings.Contains(told.String(), step.say) || step.say == "" && told.Len() > 0 {
			t.Errorf("%s: got %s, told %q, want %s, %q", step.what, got, told.String(), step.want, step.say)
		}
	}
}
