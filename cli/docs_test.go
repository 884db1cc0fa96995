package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assignkit/assignkit/simulation"
	_ "github.com/assignkit/assignkit/strategies/standard"
)

// page reads one of the project's own pages.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What the README shows of the main job is what it prints.
func TestREADMEOutput(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```console\n\\$ go run ./cmd/assignctl ([^\n]*)\n(.*?)```").FindAllStringSubmatch(page(t, "README.md"), -1)
	if len(blocks) == 0 {
		t.Fatal("there is no output in the README")
	}
	for _, b := range blocks {
		var out, errs bytes.Buffer
		code := Main(context.Background(), strings.Fields(b[1]), Streams{In: bytes.NewReader(nil), Out: &out, Err: &errs, Width: 80})
		if code != 0 || out.String() != b[2] {
			t.Errorf("assignctl %s: exit code %d, %s\n%s", b[1], code, errs.String(), out.String())
		}
	}
}

// Every scenario in the docs is one.
func TestScenariosInDocs(t *testing.T) {
	for _, name := range []string{"README.md", "docs/scenarios.md"} {
		blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(page(t, name), -1)
		if len(blocks) == 0 {
			t.Fatalf("there is no scenario in %s", name)
		}
		for _, b := range blocks {
			s, err := simulation.Read(name, strings.NewReader(b[1]))
			if err != nil {
				t.Error(err)
				continue
			}
			if err := s.Check(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
