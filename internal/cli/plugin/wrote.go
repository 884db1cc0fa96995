package plugin

import (
	"errors"
	"strings"

	host "github.com/assignkit/assignkit/plugin"
)

// Message is what an error says to people: what a plugin wrote last, which the error has in one line, as logs do, stands on lines of its own.
func Message(err error) string {
	text := err.Error()
	e, ok := errors.AsType[*host.Error](err)
	if !ok {
		return text
	}
	tail := strings.TrimSpace(e.Stderr)
	lines := strings.Split(tail, "\n")
	before, after, found := strings.Cut(text, "; it wrote: "+strings.Join(lines, " | "))
	if !found || len(lines) == 1 {
		return text
	}
	text = before + "; it wrote:\n    " + strings.Join(lines, "\n    ")
	if after = strings.TrimPrefix(after, "; "); after != "" {
		text += "\n" + after
	}
	return text
}
