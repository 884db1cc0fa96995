package plugin

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"

	pluginproto "github.com/assignkit/assignkit/plugin/proto"
)

// Unlocked starts the executable at a path as a plugin, whatever it is, and returns it as an assignor: for the tests of its author, and for
// locking it. It reads no lock file and trusts the caller. Of the configuration, Lock and Folders are not used; environment lists what the
// plugin gets of the host's environment, by name. Who calls it closes the assignor.
func Unlocked(ctx context.Context, cfg Config, path string, environment ...string) (*Assignor, error) {
	cfg = cfg.withDefaults()
	name := strings.TrimPrefix(filepath.Base(path), filePrefix)
	own := &private{base: cfg.Private}
	var first *pluginproto.DescribeResponse
	launch := func() (*launch, error) {
		copied, err := own.copy(path, nil)
		if err != nil {
			return nil, err
		}
		return newLaunch(cfg, own, copied, environment), nil
	}
	check := func(said *pluginproto.DescribeResponse) error {
		if first == nil {
			first = said
		}
		return agree(described(said), described(first))
	}
	s := newSupervisor(name, cfg.Logger.With(slog.String("plugin", name)), launch, check)
	closeAll := func() error {
		s.close()
		return own.remove()
	}
	p, err := s.acquire(ctx)
	if err != nil {
		_ = closeAll()
		return nil, err
	}
	s.release(p)
	said := described(p.said)
	if err := said.check(); err != nil {
		_ = closeAll()
		return nil, s.fail("describe", err)
	}
	return newAssignor(s, said, cfg, closeAll), nil
}
