// Package pythontest builds assignor plugins in Python for tests, and finds the interpreter that runs them: "python3" in the folder that
// ASSIGNKIT_PYTHON names (that of a virtual environment is its bin), or else in PATH.
//
// What belongs here: what tests of several packages share. Such tests carry the build tag python, as they need Python and what
// plugin/python/requirements.txt lists; the package itself compiles everywhere.
package pythontest

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/assignkit/assignkit/plugin"
)

// Environment is what a plugin in Python gets of the host's environment.
const Environment = "PATH"

// modules are those of the requirements.
const modules = "import cryptography, google.protobuf, grpc"

// Use has the test run plugins with the interpreter. Where it is missing, or what plugins import, the test fails.
func Use(t *testing.T) {
	t.Helper()
	if folder := os.Getenv("ASSIGNKIT_PYTHON"); folder != "" {
		t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	if out, err := exec.CommandContext(t.Context(), "python3", "-c", modules).CombinedOutput(); err != nil {
		t.Fatalf("python3 cannot run plugins: %v\n%s\nInstall plugin/python/requirements.txt into a virtual environment, and set ASSIGNKIT_PYTHON to its bin.", err, out)
	}
}

// SDK is the folder that has the package assignkit_plugin.
func SDK() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "plugin", "python")
}

// Run runs python3 in a folder, with the package assignkit_plugin in reach, and returns what it prints.
func Run(t *testing.T, folder string, args ...string) string {
	t.Helper()
	return run(t, folder, "PYTHONPATH="+SDK(), args)
}

// Alone runs python3 in a folder that has a package assignkit_plugin of its own.
func Alone(t *testing.T, folder string, args ...string) string {
	t.Helper()
	return run(t, folder, "PYTHONPATH=", args)
}

func run(t *testing.T, folder, path string, args []string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "python3", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), path, "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("python3 %q in %s: %v\n%s", args, folder, err, out)
	}
	return string(out)
}

// Build builds the plugin of a folder as "assignor-" and a name, in a folder of the test's own, and returns its path.
func Build(t *testing.T, folder, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "assignor-"+name)
	Run(t, folder, "-m", "assignkit_plugin.build", path)
	return path
}

// Open builds the plugin of the folder that the test is in, and has it run as long as the test does.
func Open(t *testing.T, name string) *plugin.Assignor {
	t.Helper()
	Use(t)
	cfg := plugin.Config{Private: t.TempDir(), StartTimeout: time.Minute, CallTimeout: time.Minute, Logger: slog.New(slog.NewTextHandler(t.Output(), nil))}
	a, err := plugin.Unlocked(context.Background(), cfg, Build(t, ".", name), Environment)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

// Kept is not closed by who is given it, so that it need not start for each rule of the contract anew.
type Kept struct{ *plugin.Assignor }

// Close leaves the plugin running.
func (Kept) Close() error { return nil }

// Write writes a plugin whose main is a text, builds it, and returns its path.
func Write(t *testing.T, name, main string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "__main__.py"), []byte(main), 0o600); err != nil {
		t.Fatal(err)
	}
	return Build(t, folder, name)
}
