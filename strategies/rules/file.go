package rules

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"github.com/assignkit/assignkit/strategy"
)

// File is an assignor by the rules in a file, which may be replaced while it is in use: Assign and Signals look whether the file has changed.
// A file that cannot be read, is wrong, or has another wire name leaves the rules as they were, and is reported once. What cannot be read is
// tried again each time. So members of a group may go by different versions for a while; which one counts is up to the leader. What is no
// regular file, such as a pipe, is read by [Open] only.
//
// It is safe for concurrent use. "rules:FILE" in a specification makes one.
type File struct {
	path   string
	logger *slog.Logger
	piped  bool // it is no regular file, and can be read once

	mu     sync.Mutex
	rules  *Assignor
	used   *Assignor   // by the last Assign
	seen   os.FileInfo // of what was read last, good or not
	unread string      // why the file could not be read when that was tried last
}

// same reports that a file has not changed, nor been replaced.
func same(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// Open reads rules from a file. logger is told of what is wrong with later versions and of what [Config.Logger] is told of; nil is
// slog.Default().
func Open(path string, logger *slog.Logger) (*File, error) {
	seen, err := stat(path)
	f := &File{path: path, logger: logger, piped: err != nil, seen: seen}
	a, err := Load(path)
	if err != nil {
		return nil, err
	}
	a.reports.logger = logger
	f.rules, f.used = a, a
	return f, nil
}

// stat looks at a regular file. What is none might never end, or not even begin.
func stat(path string) (os.FileInfo, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return info, err
}

// LogTo has another logger told from now on, nil being slog.Default(): "rules:FILE" in a specification names none.
func (f *File) LogTo(logger *slog.Logger) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.logger = logger
	f.rules.reports.logTo(logger)
	if f.used != f.rules {
		f.used.reports.logTo(logger)
	}
}

// Name returns the wire name, which stays what it was when the file was opened.
func (f *File) Name() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rules.Name()
}

// Assign decides by the file as it is now, see [Assignor].
func (f *File) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	f.mu.Lock()
	f.renew()
	a := f.rules
	f.used = a
	f.mu.Unlock()
	return a.Assign(ctx, g)
}

// Unit returns what [Assignor.Unit] does, by the rules of the last Assign.
func (f *File) Unit(g *strategy.Group, t *strategy.Topic, partition int32) string {
	f.mu.Lock()
	a := f.used
	f.mu.Unlock()
	return a.Unit(g, t, partition)
}

// latest is the rules as they are now.
func (f *File) latest() *Assignor {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.renew()
	return f.rules
}

// renew reads the file again if it has changed. It is called with f.mu held.
func (f *File) renew() {
	if f.piped {
		return
	}
	now, err := stat(f.path)
	if err == nil && same(now, f.seen) {
		f.unread = ""
		return
	}
	var text []byte
	if err == nil {
		text, err = read(f.path)
	}
	if err != nil { // there is no telling when that changes
		if err.Error() != f.unread {
			f.refuse(err)
		}
		f.unread = err.Error()
		return
	}
	f.seen, f.unread = now, ""
	a, err := Parse(f.path, text)
	if err == nil && a.Name() != f.rules.Name() {
		err = fmt.Errorf("%s: the wire name is %q now, and was %q; members have to be started anew for that", f.path, a.Name(), f.rules.Name())
	}
	if err != nil {
		f.refuse(err)
		return
	}
	a.reports.logger = f.logger
	f.rules = a
	f.log().Info("rules have changed", slog.String("rules", a.config.Name), slog.String("file", f.path))
}

func (f *File) refuse(err error) {
	f.log().Warn("rules have changed and cannot be used, so the old ones stay", slog.String("rules", f.rules.config.Name), slog.Any("error", err))
}

func (f *File) log() *slog.Logger {
	if f.logger == nil {
		return slog.Default()
	}
	return f.logger
}
