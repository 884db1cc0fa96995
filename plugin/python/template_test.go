//go:build python

package python_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/pythontest"
	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/plugin/python"
	"github.com/assignkit/assignkit/strategy"
	"github.com/assignkit/assignkit/strategy/strategytest"
)

// TestTemplate makes a project of the template for plugins in Python and of what is embedded, with nothing else in reach, and builds it.
func TestTemplate(t *testing.T) {
	pythontest.Use(t)
	project := t.TempDir()
	write := func(from fs.FS) {
		t.Helper()
		err := fs.WalkDir(from, ".", func(at string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(from, at)
			if err != nil {
				return err
			}
			to := filepath.Join(project, filepath.FromSlash(strings.TrimSuffix(at, ".tmpl")))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			return os.WriteFile(to, []byte(strings.ReplaceAll(string(data), "{{"+".Name}}", "little-one")), 0o600)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	write(os.DirFS("../../internal/cli/plugin/templates/python"))
	write(python.Files)
	path := filepath.Join(project, "plugins", "assignor-little-one")
	if out := pythontest.Alone(t, project, "-m", "unittest"); !strings.Contains(out, "\nOK") {
		t.Errorf("python3 -m unittest printed\n%s", out)
	}
	pythontest.Alone(t, project, "-m", "assignkit_plugin.build", path)
	a, err := plugin.Unlocked(context.Background(), plugin.Config{Private: t.TempDir(), StartTimeout: patience, CallTimeout: patience}, path, pythontest.Environment)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if a.Name() != "little-one" {
		t.Errorf("its name is %q", a.Name())
	}
	strategytest.Options{Patience: time.Minute}.Run(t, func() strategy.Assignor { return pythontest.Kept{Assignor: a} })
}
