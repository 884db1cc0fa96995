package metrics_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategies/sticky"
)

// TestMain plays a plugin: run under the name of one, the test binary is it.
func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "assignor-") {
		plugin.Serve(sticky.Assignor{})
		return
	}
	goleak.VerifyTestMain(m)
}

// openCatalog makes a catalog with a plugin called sticky in a folder of its own, which remove removes.
func openCatalog() (c *plugin.Catalog, remove func(), err error) {
	dir, err := os.MkdirTemp("", "plugins-")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	self, err := os.Executable()
	if err != nil {
		return nil, remove, err
	}
	program, err := os.ReadFile(self)
	if err != nil {
		return nil, remove, err
	}
	path := filepath.Join(dir, "assignor-sticky")
	cfg := plugin.Config{Lock: filepath.Join(dir, plugin.DefaultLock), Logger: slog.New(slog.DiscardHandler)}
	if err := os.WriteFile(path, program, 0o700); err != nil {
		return nil, remove, err
	}
	locked, err := plugin.Describe(context.Background(), cfg, path)
	if err != nil {
		return nil, remove, err
	}
	lock := &plugin.Lock{}
	lock.Add(locked)
	err = lock.Write(cfg.Lock)
	c, openErr := plugin.Open(cfg)
	return c, remove, errors.Join(err, openErr)
}
