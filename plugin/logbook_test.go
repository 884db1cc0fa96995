package plugin

import (
	"strings"
	"sync"
)

// A logBook keeps lines of slog's text handler. It is safe for concurrent use.
type logBook struct {
	mu    sync.Mutex
	lines []string
}

func (b *logBook) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, strings.TrimSpace(string(p)))
	return len(p), nil
}

// all returns the lines with a text in them.
func (b *logBook) all(text string) (out []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.lines {
		if strings.Contains(l, text) {
			out = append(out, l)
		}
	}
	return out
}

// alarms returns the lines that somebody is to look at, but for a panic's stack, which the plugin logs itself.
func (b *logBook) alarms() (out []string) {
	for _, l := range append(b.all(" level=WARN "), b.all(" level=ERROR ")...) {
		if !strings.Contains(l, `msg="the assignor panicked"`) {
			out = append(out, l)
		}
	}
	return out
}
