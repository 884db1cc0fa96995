package plugin

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
)

// Unlocked starts the executable at a path as a plugin, whatever it is, and returns it as an assignor: for the tests of its author. It reads
// no lock file and trusts the caller. Of the configuration, Lock and Folders are not used; environment lists what the
// plugin gets of the host's environment, by name. Who calls it closes the assignor.
func Unlocked(ctx context.Context, cfg Config, path string, environment ...string) (*Assignor, error) {
	a, _, err := startUnlocked(ctx, cfg, path, environment)
	return a, err
}

// startUnlocked also returns the image, of which the copy runs that was made now.
func startUnlocked(ctx context.Context, cfg Config, path string, environment []string) (*Assignor, *image, error) {
	cfg = cfg.withDefaults()
	name := strings.TrimPrefix(filepath.Base(path), FilePrefix)
	own := &private{base: cfg.Private}
	i := &image{cfg: cfg, private: own, path: path, environment: environment}
	s := newSupervisor(name, cfg.Logger.With(slog.String("plugin", name)), i)
	closeAll := func() error {
		s.close()
		return own.remove()
	}
	p, err := s.acquire(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, closeAll())
	}
	s.release(p)
	said := described(p.said)
	if err := said.check(); err != nil {
		return nil, nil, errors.Join(s.fail("describe", err), closeAll())
	}
	return newAssignor(s, said, cfg, closeAll), i, nil
}
