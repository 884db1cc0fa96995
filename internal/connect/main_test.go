package connect

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
)

func TestMain(m *testing.M) {
	for _, name := range []string{"ASSIGNKIT_BROKERS", "ASSIGNKIT_PROFILE", "ASSIGNKIT_SASL_PASSWORD"} {
		os.Unsetenv(name)
	}
	embeddedtest.Main(m)
}

// parse returns the options of a command line.
func parse(t *testing.T, args ...string) (*Options, error) {
	t.Helper()
	var o Options
	cmd := &cobra.Command{Use: "test", RunE: func(*cobra.Command, []string) error { return nil }, SilenceErrors: true, SilenceUsage: true}
	AddFlags(cmd, &o)
	cmd.SetArgs(args)
	return &o, cmd.Execute()
}

// dial connects as a command line says and returns what is printed on the way.
func dial(t *testing.T, ctx context.Context, args ...string) (*Client, string, error) {
	t.Helper()
	o, err := parse(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	var warnings bytes.Buffer
	c, err := o.Dial(ctx, &warnings)
	if err == nil {
		t.Cleanup(func() { c.Close() })
	}
	return c, warnings.String(), err
}

// write writes a file for a test.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
