package consumer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

var seekBugs = flag.Bool("bugs", false, "put the bugs of testdata/bugs into the code, one after another, and see that tests find each")

// A bug is a deliberate fault, described by a file of testdata/bugs: what goes wrong; "found by", a package and those of its tests that find it,
// as a regular expression; and two files, the code that there is, under its place in the module, and the code in its stead.
type bug struct {
	why, pkg, tests string
	file            string
	old, bad        []byte
}

// TestBugs checks that the bugs can still be put into the code. With -bugs it does so, and fails where the tests do not.
func TestBugs(t *testing.T) {
	paths, err := filepath.Glob("testdata/bugs/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no bugs: %v", err)
	}
	var table strings.Builder
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(name, func(t *testing.T) {
			b := readBug(t, path)
			code := b.put(t)
			b.checkTests(t)
			if !*seekBugs {
				return
			}
			began := time.Now()
			by := b.find(t, code)
			if by == "" {
				t.Errorf("no test of %s finds it: %s", b.pkg, b.why)
			}
			fmt.Fprintf(&table, "%-36s %-64s %4.0f s\n", name, by, time.Since(began).Seconds())
		})
	}
	if *seekBugs {
		t.Logf("%-36s %-64s seconds\n%s", "bug", "found by", table.String())
	}
}

func readBug(t *testing.T, path string) *bug {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	why, by, ok := strings.Cut(strings.TrimSpace(string(archive.Comment)), "\nfound by: ")
	pkg, tests, named := strings.Cut(by, " ")
	if !ok || !named || len(archive.Files) != 2 {
		t.Fatalf("%s: want what goes wrong, a line \"found by: package tests\", the old code and the new code", path)
	}
	return &bug{why: why, pkg: pkg, tests: tests, file: archive.Files[0].Name, old: archive.Files[0].Data, bad: archive.Files[1].Data}
}

// put returns the file with the bug in it.
func (b *bug) put(t *testing.T) []byte {
	t.Helper()
	code, err := os.ReadFile(filepath.Join("..", b.file))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(code, b.old); n != 1 {
		t.Fatalf("the old code is %d times in %s, want once; write the bug anew, as the code has changed:\n%s", n, b.file, b.old)
	}
	code = bytes.Replace(code, b.old, b.bad, 1)
	if _, err := parser.ParseFile(token.NewFileSet(), b.file, code, parser.SkipObjectResolution); err != nil {
		t.Fatal(err)
	}
	return code
}

// checkTests sees that the tests named are there.
func (b *bug) checkTests(t *testing.T) {
	t.Helper()
	paths, _ := filepath.Glob(filepath.Join("..", b.pkg, "*_test.go"))
	var all []byte
	for _, path := range paths {
		code, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, code...)
	}
	for test := range strings.SplitSeq(b.tests, "|") {
		if !bytes.Contains(all, []byte("\nfunc "+test+"(t *testing.T)")) {
			t.Errorf("package %s has no test %s", b.pkg, test)
		}
	}
}

// find builds the tests with the bug and returns which of them has failed: one of those named, or else of all. It returns "" if none has.
func (b *bug) find(t *testing.T, code []byte) string {
	t.Helper()
	dir := t.TempDir()
	bad, overlay, binary := filepath.Join(dir, "bad.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "tests")
	place, err := filepath.Abs(filepath.Join("..", b.file))
	if err != nil {
		t.Fatal(err)
	}
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{place: bad}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(bad, code, 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", overlay, "-o", binary, "./"+b.pkg)
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("it does not compile: %v\n%s", err, out)
	}
	for _, tests := range []string{"^(" + b.tests + ")$", "."} {
		run := exec.CommandContext(t.Context(), binary, "-test.run", tests, "-test.skip", "^TestBugs$", "-test.failfast", "-test.timeout", "5m")
		run.Dir = filepath.Join("..", b.pkg)
		out, err := run.CombinedOutput()
		if err == nil {
			t.Logf("%s does not find it", tests)
			continue
		}
		if failed := regexp.MustCompile(`(?m)^--- FAIL: (\S+)`).FindSubmatch(out); failed != nil {
			return string(failed[1])
		}
		return tests + ", which died"
	}
	return ""
}
