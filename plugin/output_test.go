package plugin

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func newTestOutput() (*output, *logBook) {
	book := &logBook{}
	return newOutput(slog.New(slog.NewTextHandler(book, &slog.HandlerOptions{Level: slog.LevelDebug})), &spell{}), book
}

func TestOutputDrops(t *testing.T) {
	o, book := newTestOutput()
	now := time.Unix(1000, 0)
	for i := range 1000 {
		o.line(now, fmt.Sprint("line ", i))
	}
	if n := len(book.all("line ")); n != linesASpell {
		t.Errorf("%d lines were logged, want %d", n, linesASpell)
	}
	if tail := o.last(); !strings.HasSuffix(tail, "line 999\n") || len(tail) > tailSize {
		t.Errorf("the tail is %q", tail)
	}
	o.line(now.Add(time.Second), "later")
	if said := book.all("lines were dropped"); len(said) != 1 || !strings.Contains(said[0], "level=WARN") || !strings.Contains(said[0], "lines=800") {
		t.Error(said)
	}
	if len(book.all("later")) != 1 {
		t.Error("the next second's line is not there")
	}
	for range 201 {
		o.line(now.Add(time.Second), "more")
	}
	o.end()
	o.end()
	if said := book.all("lines were dropped"); len(said) != 2 || !strings.Contains(said[1], "lines=2") {
		t.Error(said)
	}
}

// TestOutputShares has two processes of one plugin write: the bound is that of the plugin, and each has a tail of its own.
func TestOutputShares(t *testing.T) {
	a, book := newTestOutput()
	b := newOutput(a.log, a.spell)
	for range linesASpell {
		a.line(time.Unix(1000, 0), "of a")
		b.line(time.Unix(1000, 0), "of b")
	}
	if n := len(book.all("of ")); n != linesASpell {
		t.Errorf("%d lines were logged", n)
	}
	if strings.Contains(a.last(), "of b") || strings.Contains(b.last(), "of a") {
		t.Error("a tail has lines of another process")
	}
}

func TestOutputCause(t *testing.T) {
	for _, cause := range []string{"panic: boom", "fatal error: runtime: out of memory", "panic: " + strings.Repeat("x", 3*tailSize)} {
		o, book := newTestOutput()
		o.line(time.Unix(1000, 0), "before")
		o.line(time.Unix(1000, 0), cause)
		for i := range 1000 {
			o.line(time.Unix(1000, 0), fmt.Sprintf("goroutine %d", i))
		}
		o.end()
		tail := o.last()
		if !strings.HasPrefix(tail, cause[:min(400, len(cause))]) || !strings.HasSuffix(tail, "goroutine 999\n") || len(tail) > tailSize {
			t.Errorf("%d bytes: %q", len(tail), tail)
		}
		if alarms := book.alarms(); len(alarms) > 0 {
			t.Errorf("a long stack is no alarm: %q", alarms)
		}
	}
}

func TestOutputLines(t *testing.T) {
	for name, c := range map[string]struct{ in, logged, tail string }{
		"ends":             {"a\r\nb\n\n  \nc", "a b c", "a\nb\nc\n"},
		"invalid UTF-8":    {"a\xff\xfeb", "a\uFFFDb", "a\uFFFDb\n"},
		"control bytes":    {"\x1b[31mred\x00\ttab", "\x1b[31mred\x00\ttab", "?[31mred?\ttab\n"},
		"JSON's own lines": {`{"@message":"a\nb\u001b"}`, "a\nb\x1b", "a\nb?\n"},
	} {
		t.Run(name, func(t *testing.T) {
			o, book := newTestOutput()
			o.read(strings.NewReader(c.in), nil)
			var logged []string
			for _, l := range book.all("msg=") {
				_, text, _ := strings.Cut(l, "msg=")
				if unquoted, err := unquote(text); err == nil {
					text = unquoted
				}
				logged = append(logged, text)
			}
			if got := strings.Join(logged, " "); got != c.logged {
				t.Errorf("logged %q, want %q", got, c.logged)
			}
			if o.last() != c.tail {
				t.Errorf("the tail is %q, want %q", o.last(), c.tail)
			}
		})
	}
}

func unquote(s string) (text string, err error) {
	_, err = fmt.Sscanf(s, "%q", &text)
	return text, err
}

func TestOutputLongLines(t *testing.T) {
	o, book := newTestOutput()
	var seen []string
	see := func(line string) bool { seen = append(seen, line); return strings.HasSuffix(line, "end") }
	long := strings.Repeat("ä", 10*lineSize)
	o.read(strings.NewReader(long+"\nshort\n"+long+"the end\nlast"), see)
	if len(seen) != 4 || len(seen[0]) > 2*lineSize || seen[1] != "short" || !strings.HasSuffix(seen[2], "ääthe end") || seen[3] != "last" {
		t.Errorf("%d lines were seen", len(seen))
	}
	if n := len(book.all("msg=")); n != 3 {
		t.Errorf("%d lines were logged, and those that were for somebody else were not to be", n)
	}
	for _, l := range book.all("msg=") {
		if len(l) > lineSize+200 || !utf8.ValidString(l) {
			t.Errorf("a line of %d bytes", len(l))
		}
	}
	if tail := o.last(); len(tail) > tailSize || !utf8.ValidString(tail) {
		t.Errorf("a tail of %d bytes", len(tail))
	}
}

func TestOutputBroken(t *testing.T) {
	o, book := newTestOutput()
	o.read(io.MultiReader(strings.NewReader("a\nb"), brokenReader{}), nil)
	if len(book.all("msg=a")) != 1 {
		t.Error("what came before is not there")
	}
	if n, err := o.Write([]byte("x\n" + strings.Repeat("y", 2*lineSize))); n != 2+2*lineSize || err != nil {
		t.Error(n, err)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"a\tb\nc":                 "a\tb\nc",
		"\x1b]0;x\x07\x7f\u0085":  "?]0;x???",
		"\xff":                    "",
		strings.Repeat("x", 30):   strings.Repeat("x", 30),
		strings.Repeat("x", 31):   strings.Repeat("x", 15) + " ... (31 bytes)",
		strings.Repeat("ä", 16):   strings.Repeat("ä", 7) + " ... (32 bytes)",
		strings.Repeat("\x00", 9): strings.Repeat("?", 9),
	} {
		if got := printable(in, 30); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
