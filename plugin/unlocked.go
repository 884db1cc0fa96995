package plugin

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"

	pluginproto "github.com/assignkit/assignkit/plugin/proto"
)

// Unlocked starts the executable at a path as a plugin, whatever it is, and returns it as an assignor: for the tests of its author. It reads
// no lock file and trusts the caller. Of the configuration, Lock and Folders are not used; environment lists what the
// plugin gets of the host's environment, by name. Who calls it closes the assignor.
func Unlocked(ctx context.Context, cfg Config, path string, environment ...string) (*Assignor, error) {
	a, _, err := startUnlocked(ctx, cfg, path, environment)
	return a, err
}

// startUnlocked also returns the path of the copy that runs. What is started again after a crash is that copy.
func startUnlocked(ctx context.Context, cfg Config, path string, environment []string) (a *Assignor, copied string, err error) {
	cfg = cfg.withDefaults()
	name := strings.TrimPrefix(filepath.Base(path), filePrefix)
	own := &private{base: cfg.Private}
	if copied, err = own.copy(path, nil); err != nil {
		return nil, "", errors.Join(&Error{Plugin: name, Op: "start", Err: err}, own.remove())
	}
	var first *pluginproto.DescribeResponse
	check := func(said *pluginproto.DescribeResponse) error {
		if first == nil {
			first = said
		}
		return agree(described(said), described(first))
	}
	launch := func() (*launch, error) { return newLaunch(cfg, own, copied, environment), nil }
	s := newSupervisor(name, cfg.Logger.With(slog.String("plugin", name)), launch, check)
	closeAll := func() error {
		s.close()
		return own.remove()
	}
	p, err := s.acquire(ctx)
	if err != nil {
		return nil, "", errors.Join(err, closeAll())
	}
	s.release(p)
	said := described(p.said)
	if err := said.check(); err != nil {
		return nil, "", errors.Join(s.fail("describe", err), closeAll())
	}
	return newAssignor(s, said, cfg, closeAll), copied, nil
}
