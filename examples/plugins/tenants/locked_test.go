//go:build python

package tenants

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/pythontest"
	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategy"
)

// TestLocked locks the plugin, uses what is locked, and changes it.
func TestLocked(t *testing.T) {
	pythontest.Use(t)
	path := pythontest.Build(t, ".", "tenants")
	cfg := plugin.Config{
		Lock: filepath.Join(t.TempDir(), plugin.DefaultLock), Folders: []string{filepath.Dir(path)}, Private: t.TempDir(),
		StartTimeout: time.Minute, CallTimeout: time.Minute, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	locked, err := plugin.Describe(context.Background(), cfg, path, pythontest.Environment)
	if err != nil {
		t.Fatal(err)
	}
	if locked.SHA256[plugin.AnyPlatform] == "" || locked.Version != "1.0.0" || !slices.Equal(locked.Environment, []string{"PATH"}) {
		t.Errorf("locked is %+v", locked)
	}
	var lock plugin.Lock
	lock.Add(locked)
	if err := lock.Write(cfg.Lock); err != nil {
		t.Fatal(err)
	}
	assign := func() (answer strategy.Assignment, err error) {
		catalog, err := plugin.Open(cfg)
		if err != nil {
			return answer, err
		}
		defer catalog.Close()
		a, err := catalog.Load("tenants")
		if err != nil {
			return answer, err
		}
		defer a.Close()
		return a.Assign(context.Background(), &strategy.Group{
			Topics:  []strategy.Topic{{Name: "acme.orders", Partitions: 2}},
			Members: []strategy.Member{{ID: "a", Topics: []string{"acme.orders"}}, {ID: "b", Topics: []string{"acme.orders"}}},
		})
	}
	if answer, err := assign(); err != nil || strategy.Count(answer.Members["a"]) != 1 {
		t.Errorf("the locked plugin answers %v, %v", answer, err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString("\n")
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := assign(); !errors.Is(err, plugin.ErrChanged) {
		t.Errorf("a changed plugin: %v", err)
	}
}
