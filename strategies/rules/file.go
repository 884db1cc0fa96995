package rules

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/assignkit/assignkit/strategy"
)

// File is an assignor by the rules in a file, which may be replaced while it is in use: each Assign looks whether the file has changed.
// A file that cannot be read, is wrong, or has another wire name leaves the rules as they were, and is reported once. So members
// of a group may go by different versions for a while; which one counts is up to the leader.
//
// It is safe for concurrent use. "rules:FILE" in a specification makes one.
type File struct {
	path   string
	logger *slog.Logger

	mu    sync.Mutex
	rules *Assignor
	seen  version // the last one that was looked at, good or not
}

// version is what tells one state of a file from another.
type version struct {
	modified time.Time
	size     int64
	missing  bool
}

// Open reads rules from a file. logger is told of what is wrong with later versions and of what [Config.Logger] is told of; nil is
// slog.Default().
func Open(path string, logger *slog.Logger) (*File, error) {
	f := &File{path: path, logger: logger, seen: versionOf(path)}
	a, err := Load(path)
	if err != nil {
		return nil, err
	}
	a.reports.logger = logger
	f.rules = a
	return f, nil
}

func versionOf(path string) version {
	info, err := os.Stat(path)
	if err != nil {
		return version{missing: true}
	}
	return version{modified: info.ModTime(), size: info.Size()}
}

// Name returns the wire name, which stays what it was when the file was opened.
func (f *File) Name() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rules.Name()
}

// Assign decides by the file as it is now, see [Assignor].
func (f *File) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	return f.latest().Assign(ctx, g)
}

// Unit returns what [Assignor.Unit] does, by the rules of the last Assign.
func (f *File) Unit(g *strategy.Group, t *strategy.Topic, partition int32) string {
	f.mu.Lock()
	a := f.rules
	f.mu.Unlock()
	return a.Unit(g, t, partition)
}

// latest reads the file again if it has changed.
func (f *File) latest() *Assignor {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := versionOf(f.path)
	if now == f.seen {
		return f.rules
	}
	f.seen = now
	a, err := Load(f.path)
	if err == nil && a.Name() != f.rules.Name() {
		err = fmt.Errorf("%s: the wire name is %q now, and was %q; members have to be started anew for that", f.path, a.Name(), f.rules.Name())
	}
	logger := f.logger
	if logger == nil {
		logger = slog.Default()
	}
	if err != nil {
		logger.Warn("rules have changed and cannot be used, so the old ones stay", slog.String("rules", f.rules.config.Name), slog.Any("error", err))
		return f.rules
	}
	a.reports.logger = f.logger
	f.rules = a
	logger.Info("rules have changed", slog.String("rules", a.config.Name), slog.String("file", f.path))
	return a
}
