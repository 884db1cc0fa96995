package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	hclog "github.com/hashicorp/go-hclog"
)

// TestLogLines writes records as a plugin does and logs them as a host does: what comes out is what slog's own handler makes of them.
func TestLogLines(t *testing.T) {
	for name, log := range map[string]func(*slog.Logger){
		"levels": func(l *slog.Logger) {
			for _, level := range []slog.Level{-8, slog.LevelDebug, -1, slog.LevelInfo, 2, slog.LevelWarn, slog.LevelError, 12} {
				l.Log(context.Background(), level, "a message")
			}
		},
		"kinds": func(l *slog.Logger) {
			l.Info("m", "text", "x y", "int", int64(9007199254740993), "negative", -1, "float", 1.5, "small", 1e-9, "bool", true, "none", nil)
		},
		"order":          func(l *slog.Logger) { l.Info("m", "z", 1, "a", 2, "z", 3) },
		"groups":         func(l *slog.Logger) { l.WithGroup("g").Info("m", "a", 1, slog.Group("h", "b", "c", "level", 7)) },
		"slog's keys":    func(l *slog.Logger) { l.Warn("m", "level", "x", "msg", "y", "time", "z") },
		"hclog's keys":   func(l *slog.Logger) { l.Warn("m", "@module", "x") },
		"lists":          func(l *slog.Logger) { l.Info("m", "list", []any{"a", "b"}) },
		"awkward":        func(l *slog.Logger) { l.Info("a \"b\"\n\x1b\u2028", "k \"", "\xff\n") },
		"without a text": func(l *slog.Logger) { l.Info("") },
		"with":           func(l *slog.Logger) { l.With("w", 1).Error("m") },
	} {
		t.Run(name, func(t *testing.T) {
			var direct, wire, arrived bytes.Buffer
			options := &slog.HandlerOptions{Level: slog.Level(-100), ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
				if len(groups) == 0 && a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime {
					return slog.Attr{}
				}
				return a
			}}
			log(slog.New(levelled{slog.NewTextHandler(&direct, options)}))
			log(slog.New(levelled{newLogHandler(&wire)}))
			host := slog.New(slog.NewTextHandler(&arrived, options))
			for line := range strings.Lines(wire.String()) {
				l := parseLogLine(strings.TrimSpace(line))
				l.log(context.Background(), host)
			}
			want := strings.ReplaceAll(direct.String(), `\xff`, "\uFFFD") // JSON has only UTF-8
			if arrived.String() != want {
				t.Errorf("arrived\n%swant\n%son the way\n%s", arrived.String(), want, wire.String())
			}
		})
	}
}

// levelled lets all levels through, so that what handlers make of them can be compared.
type levelled struct{ slog.Handler }

func (levelled) Enabled(context.Context, slog.Level) bool { return true }

func TestHclogLines(t *testing.T) {
	var out bytes.Buffer
	l := hclog.New(&hclog.LoggerOptions{Name: "own", Level: hclog.Trace, Output: &out, JSONFormat: true})
	want := []slog.Level{slog.LevelDebug - 4, slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}
	for _, level := range []hclog.Level{hclog.Trace, hclog.Debug, hclog.Info, hclog.Warn, hclog.Error} {
		l.Log(level, "text", "n", 5, "s", "x")
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, line := range lines {
		got := parseLogLine(line)
		if got.level != want[i] || got.message != "text" {
			t.Errorf("%s is %s %q", line, got.level, got.message)
		}
		attrs := map[string]any{}
		for _, a := range got.attrs {
			attrs[a.Key] = a.Value.Any()
		}
		if !reflect.DeepEqual(attrs, map[string]any{"@module": "own", "n": int64(5), "s": "x"}) {
			t.Errorf("%s has %v", line, attrs)
		}
	}
}

func TestPlainLines(t *testing.T) {
	for _, line := range []string{
		"hello", "{", "{}", `{"a":1}`, `{"@message":"x"`, `{"@message":"x"} {}`, `{"@message":"x"}y`, `[{"@message":"x"}]`, `{"@level":"error"}`,
		strings.Repeat(`{"a":`, 5000), `{"@message":"x","a":` + strings.Repeat("[", 5000),
	} {
		if l := parseLogLine(line); l.level != slog.LevelInfo || l.message != line || l.attrs != nil {
			t.Errorf("%.40s is %s %.40q with %v", line, l.level, l.message, l.attrs)
		}
	}
	for name, want := range map[string]slog.Level{
		"WARN": slog.LevelWarn, "warning": slog.LevelWarn, "CRITICAL": slog.LevelError, "fatal": slog.LevelError, "Trace": -8, "": 0, "x": 0, "ERROR+2": 10,
	} {
		line, _ := json.Marshal(map[string]string{"@level": name, "@message": "m"})
		if l := parseLogLine(string(line)); l.level != want {
			t.Errorf("level %q is %s", name, l.level)
		}
	}
}

func FuzzParseLogLine(f *testing.F) {
	f.Add(`{"@level":"info","@message":"m","@timestamp":"2026-01-01T00:00:00Z","a":{"b":[1,2.5,null,{"c":true}]}}`)
	f.Add(`{"@message":1,"@message":2,"n":1e999}`)
	f.Fuzz(func(t *testing.T, line string) {
		o, book := newTestOutput()
		o.line(time.Unix(0, 0), line)
		for _, l := range book.all("") {
			if strings.Contains(l, "\n") {
				t.Errorf("%q makes two lines: %q", line, l)
			}
		}
	})
}
