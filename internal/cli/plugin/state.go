package plugin

import (
	"errors"
	"maps"
	"slices"
	"strings"

	host "github.com/assignkit/assignkit/plugin"
)

// state is in a word or two why a plugin would not run, "ok" if it would.
func state(f host.Found) string {
	switch {
	case f.Err == nil:
		return "ok"
	case errors.Is(f.Err, host.ErrNotLocked) && f.Locked != nil:
		return "not for this platform"
	case errors.Is(f.Err, host.ErrNotLocked):
		return "not locked"
	case errors.Is(f.Err, host.ErrNotFound):
		return "missing"
	case errors.Is(f.Err, host.ErrChanged):
		return "changed"
	case errors.Is(f.Err, host.ErrUnsafe):
		return "unsafe"
	}
	return "unreadable"
}

// reason is why a plugin would not run, "" if it would.
func reason(f host.Found) string {
	if f.Err == nil {
		return ""
	}
	return f.Err.Error()
}

func platforms(p *host.Locked) string {
	return strings.Join(slices.Sorted(maps.Keys(p.SHA256)), ", ")
}
