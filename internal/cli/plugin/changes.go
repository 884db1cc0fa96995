package plugin

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/internal/cli/output"
	host "github.com/assignkit/assignkit/plugin"
)

// clone copies a lock whose entries are to be changed.
func clone(l *host.Lock) *host.Lock {
	out := &host.Lock{Version: l.Version, Plugins: slices.Clone(l.Plugins)}
	for i := range out.Plugins {
		out.Plugins[i].SHA256 = maps.Clone(out.Plugins[i].SHA256)
	}
	return out
}

// appendChanges writes what the plugins of the given names are allowed by a lock, and what is new about that.
func appendChanges(dst []byte, before, after *host.Lock, names []string) []byte {
	for _, name := range names {
		was, known := before.Find(name)
		is, there := after.Find(name)
		switch {
		case !there:
			dst = fmt.Appendf(dst, "%s %s: not allowed any more\n", was.Name, output.Clean(was.Version))
			continue
		case !known:
			dst = fmt.Appendf(dst, "%s %s: new\n", is.Name, output.Clean(is.Version))
		default:
			dst = fmt.Appendf(dst, "%s %s: %s\n", is.Name, output.Clean(is.Version), changed(was, is))
		}
		dst = appendAllowed(dst, is)
	}
	return dst
}

// changed says in which way an entry is another one.
func changed(was, is host.Locked) string {
	var what []string
	differs := func(name, was, is string) {
		if was != is {
			what = append(what, fmt.Sprintf("%s was %s", name, output.Clean(was)))
		}
	}
	differs("version", was.Version, is.Version)
	differs("assignor", kind(was), kind(is))
	differs("environment", environment(was), environment(is))
	platforms := slices.Sorted(maps.Keys(is.SHA256))
	for p := range was.SHA256 {
		if _, ok := is.SHA256[p]; !ok {
			platforms = append(platforms, p)
		}
	}
	slices.Sort(platforms)
	for _, p := range platforms {
		old, had := was.SHA256[p]
		switch sum, has := is.SHA256[p]; {
		case !had:
			what = append(what, p+" is new")
		case !has:
			what = append(what, p+" is not locked any more")
		case sum != old:
			what = append(what, p+" has another sha256")
		}
	}
	if len(what) == 0 && !reflect.DeepEqual(was, is) {
		what = append(what, "changed")
	}
	if len(what) == 0 {
		return "as it was"
	}
	return strings.Join(what, ", ")
}

// appendAllowed writes what an entry allows.
func appendAllowed(dst []byte, p host.Locked) []byte {
	dst = fmt.Appendf(dst, "  assignor     %s\n  protocol     %d\n  environment  %s\n", output.Clean(kind(p)), p.Protocol, environment(p))
	for _, platform := range slices.Sorted(maps.Keys(p.SHA256)) {
		dst = fmt.Appendf(dst, "  sha256 for %s\n    %s\n", platform, p.SHA256[platform])
	}
	return dst
}

// kind is the assignor's name on the wire, and how it rebalances.
func kind(p host.Locked) string {
	text := p.Assignor + ", " + p.Rebalance
	if p.UserData {
		text += ", sends data with joins"
	}
	if p.OnAssignment {
		text += ", is told of assignments"
	}
	if len(p.Signals) > 0 {
		text += ", looks at " + strings.Join(p.Signals, ", ")
	}
	return text
}

func environment(p host.Locked) string {
	if len(p.Environment) == 0 {
		return "empty"
	}
	return strings.Join(p.Environment, ", ")
}
