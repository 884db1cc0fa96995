package plugin

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"slices"
	"strings"
)

// newLogHandler writes records as lines of JSON that hosts read: the form of go-hclog, which plugins in other languages may write too.
func newLogHandler(w io.Writer) slog.Handler {
	return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) > 0 {
			return a
		}
		switch a.Key {
		case slog.TimeKey:
			a.Key = "@timestamp"
		case slog.MessageKey:
			a.Key = "@message"
		case slog.LevelKey:
			a.Key = "@level"
		}
		return a
	}})
}

// A logLine is a line that a plugin has written.
type logLine struct {
	level   slog.Level
	message string
	attrs   []slog.Attr
}

// parseLogLine reads a line of JSON as [newLogHandler] and go-hclog write it; any other is a message of level Info.
func parseLogLine(line string) logLine {
	plain := logLine{level: slog.LevelInfo, message: line}
	if !strings.HasPrefix(line, "{") {
		return plain
	}
	var fields map[string]any
	if err := json.Unmarshal([]byte(line), &fields); err != nil {
		return plain
	}
	message, ok := fields["@message"].(string)
	if !ok {
		return plain
	}
	l := logLine{message: message}
	level, _ := fields["@level"].(string)
	if err := l.level.UnmarshalText([]byte(level)); err != nil {
		l.level = map[string]slog.Level{"trace": slog.LevelDebug - 4, "warning": slog.LevelWarn, "critical": slog.LevelError}[level]
	}
	keys := make([]string, 0, len(fields))
	for k := range fields {
		if !strings.HasPrefix(k, "@") {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		l.attrs = append(l.attrs, slog.Any(k, fields[k]))
	}
	return l
}

func (l *logLine) log(ctx context.Context, to *slog.Logger) {
	to.LogAttrs(ctx, l.level, l.message, l.attrs...)
}
