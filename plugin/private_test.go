package plugin

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLongPrivateFolder(t *testing.T) {
	dir := folder(t)
	cfg := quiet(t, dir)
	cfg.Private = filepath.Join(cfg.Private, strings.Repeat("x", 60))
	if err := os.Mkdir(cfg.Private, 0o700); err != nil {
		t.Fatal(err)
	}
	executable(t, dir, "sticky")
	lockSelf(t, cfg, "sticky")
	if err := use(cfg); !errors.Is(err, ErrStart) || !strings.Contains(err.Error(), "bytes too long for sockets in it: set Private to a shorter one") {
		t.Error(err)
	}
}
