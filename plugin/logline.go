package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
)

// What the keys of a record are in a line, as in those of go-hclog.
const (
	timeKey    = "@timestamp"
	messageKey = "@message"
	levelKey   = "@level"
)

// newLogHandler writes records as lines of JSON that hosts read: the form of go-hclog, which plugins in other languages may write too.
func newLogHandler(w io.Writer) slog.Handler {
	return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) > 0 {
			return a
		}
		switch a.Key { // an attribute of that name comes behind it, and so is known from it
		case slog.TimeKey:
			a.Key = timeKey
		case slog.MessageKey:
			a.Key = messageKey
		case slog.LevelKey:
			a.Key = levelKey
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

// parseLogLine reads a line of JSON as [newLogHandler] and go-hclog write it; any other is a message of level Info. The time that it was written
// at is left out.
func parseLogLine(line string) logLine {
	plain := logLine{level: slog.LevelInfo, message: line}
	if !strings.HasPrefix(line, "{") {
		return plain
	}
	fields, err := decodeAttrs([]byte(line))
	if err != nil {
		return plain
	}
	var l logLine
	seen := map[string]bool{}
	for _, f := range fields {
		key := f.Key
		if first := !seen[key]; first {
			seen[key] = true
			switch key {
			case timeKey:
				continue
			case messageKey:
				l.message = f.Value.String()
				continue
			case levelKey:
				l.level = levelOf(f.Value.String())
				continue
			}
		}
		switch key {
		case timeKey:
			f.Key = slog.TimeKey
		case messageKey:
			f.Key = slog.MessageKey
		case levelKey:
			f.Key = slog.LevelKey
		}
		l.attrs = append(l.attrs, f)
	}
	if !seen[messageKey] {
		return plain
	}
	return l
}

// levelOf knows slog's names and those of others; what it does not know is Info.
func levelOf(name string) (level slog.Level) {
	if level.UnmarshalText([]byte(name)) == nil {
		return level
	}
	switch strings.ToLower(name) {
	case "trace":
		return slog.LevelDebug - 4
	case "warning":
		return slog.LevelWarn
	case "critical", "fatal":
		return slog.LevelError
	}
	return slog.LevelInfo
}

// decodeAttrs reads an object as attributes, in its order.
func decodeAttrs(object []byte) ([]slog.Attr, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(err, errors.New("no object"))
	}
	attrs, err := decodeGroup(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than an object")
	}
	return attrs, nil
}

// decodeGroup reads what is left of an object.
func decodeGroup(d *json.Decoder) ([]slog.Attr, error) {
	var attrs []slog.Attr
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, ok := t.(string)
		if !ok {
			return nil, errors.New("a key is no text")
		}
		value, err := decodeValue(d)
		if err != nil {
			return nil, err
		}
		attrs = append(attrs, slog.Attr{Key: key, Value: value})
	}
	_, err := d.Token()
	return attrs, err
}

func decodeValue(d *json.Decoder) (slog.Value, error) {
	t, err := d.Token()
	if err != nil {
		return slog.Value{}, err
	}
	switch v := t.(type) {
	case string:
		return slog.StringValue(v), nil
	case bool:
		return slog.BoolValue(v), nil
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return slog.Int64Value(i), nil
		}
		f, err := v.Float64()
		return slog.Float64Value(f), err
	case json.Delim:
		if v == '{' {
			attrs, err := decodeGroup(d)
			return slog.GroupValue(attrs...), err
		}
		return decodeList(d)
	}
	return slog.AnyValue(nil), nil
}

// decodeList reads what is left of a list.
func decodeList(d *json.Decoder) (slog.Value, error) {
	list := []any{}
	for d.More() {
		value, err := decodeValue(d)
		if err != nil {
			return slog.Value{}, err
		}
		list = append(list, plainValue(value))
	}
	_, err := d.Token()
	return slog.AnyValue(list), err
}

// plainValue is a value as JSON has it, since slog's groups are none within lists.
func plainValue(v slog.Value) any {
	if v.Kind() != slog.KindGroup {
		return v.Any()
	}
	out := map[string]any{}
	for _, a := range v.Group() {
		out[a.Key] = plainValue(a.Value)
	}
	return out
}

func (l *logLine) log(ctx context.Context, to *slog.Logger) {
	to.LogAttrs(ctx, l.level, l.message, l.attrs...)
}
