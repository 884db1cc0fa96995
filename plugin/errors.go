package plugin

import (
	"errors"
	"fmt"
	"strings"
)

// What is found, with errors.Is, in the errors of this package.
var (
	// ErrNotLocked means: the lock file does not name the plugin, or not for this platform.
	ErrNotLocked = errors.New("the plugin is not locked")
	// ErrChanged means: the file is not the one that was locked, by its sha256, or says something else of itself than the lock does.
	ErrChanged = errors.New("the plugin is not the one that was locked")
	// ErrNotFound means: no folder has an executable of that name.
	ErrNotFound = errors.New("no such plugin")
	// ErrUnsafe means: a name, a folder or a file is one that others could put a plugin into, so that nothing in it is run.
	ErrUnsafe = errors.New("not safe")
	// ErrLock means: the lock file cannot be read, or is of a newer version.
	ErrLock = errors.New("malformed lock file")
	// ErrStart means: the plugin did not get ready: it could not be executed, ended, took too long, or speaks another version of the protocol.
	ErrStart = errors.New("the plugin did not start")
	// ErrPrivate means: the folder of [Config.Private] is not there, not writable, full, or its path too long, so that nothing can be copied to it and started.
	// It comes with ErrStart.
	ErrPrivate = errors.New("the folder that plugins are copied to cannot be used")
	// ErrCrashed means: the plugin ended, or broke the connection, while it was asked.
	ErrCrashed = errors.New("the plugin crashed")
	// ErrUnresponsive means: the plugin did not answer in its time, and was killed.
	ErrUnresponsive = errors.New("the plugin did not answer in time")
	// ErrBackoff means: the plugin failed several times and is left alone for a while.
	ErrBackoff = errors.New("the plugin is not restarted yet")
	// ErrAnswer means: what the plugin answered cannot be read, or is no answer to the group.
	ErrAnswer = errors.New("the plugin's answer makes no sense")
	// ErrTooLarge means: the group does not fit into a message, or the answer was larger than one.
	ErrTooLarge = errors.New("larger than a message may be")
	// ErrClosed means: the catalog or the assignor has been closed.
	ErrClosed = errors.New("the plugin is closed")
)

// An Error says which plugin failed at what.
type Error struct {
	Plugin string // its name
	Op     string // what it was to do: "load", "start", "describe", "assign", "user data", "on assignment", "self-test", "upgrade"
	Err    error  // unwraps to one of the sentinels, if it is not the assignor's own error
	Stderr string // the last lines that it wrote, if it crashed or hung; at most 2 KiB
}

func (e *Error) Error() string {
	text := fmt.Sprintf("plugin %s: %s: %v", e.Plugin, e.Op, e.Err)
	if tail := strings.TrimSpace(e.Stderr); tail != "" {
		text += "; it wrote: " + strings.ReplaceAll(tail, "\n", " | ")
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }
