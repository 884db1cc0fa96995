package plugin

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
)

const (
	tailSize    = 2 << 10 // of what a plugin wrote last, for errors
	lineSize    = 8 << 10 // the longest line that is logged; what is behind that is cut off
	linesASpell = 200     // how many lines are logged of those that come within a second
)

// output takes the lines that a plugin writes: it logs them, and keeps the last ones for errors. It is safe for concurrent use.
type output struct {
	log *slog.Logger

	mu      sync.Mutex
	tail    []byte
	second  time.Time // when the running second began
	lines   int       // in it
	dropped int
}

// line takes one.
func (o *output) line(now time.Time, text string) {
	text = strings.ToValidUTF8(strings.TrimRight(text, "\r\n"), "\uFFFD")
	if strings.TrimSpace(text) == "" {
		return
	}
	l := parseLogLine(text)
	o.mu.Lock()
	o.tail = append(append(o.tail, l.message...), '\n')
	if extra := len(o.tail) - tailSize; extra > 0 {
		o.tail = append(o.tail[:0], o.tail[extra:]...)
	}
	if now.Sub(o.second) >= time.Second {
		o.second, o.lines = now, 0
	}
	o.lines++
	if o.lines > linesASpell {
		o.dropped++
		o.mu.Unlock()
		return
	}
	dropped := o.dropped
	o.dropped = 0
	o.mu.Unlock()
	if dropped > 0 {
		o.log.Warn("the plugin writes too much; lines were dropped", "lines", dropped)
	}
	l.log(context.Background(), o.log)
}

// last returns what was written last.
func (o *output) last() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.ToValidUTF8(string(o.tail), "")
}

// read takes lines until r ends. Each goes to see first, which may be nil; those it returns true for go no further.
func (o *output) read(r io.Reader, see func(line string) bool) {
	lines := bufio.NewReaderSize(r, lineSize)
	for {
		line, cut, err := lines.ReadLine()
		if err != nil {
			return
		}
		text := string(line)
		for cut && err == nil {
			_, cut, err = lines.ReadLine()
		}
		if see == nil || !see(text) {
			o.line(time.Now(), text)
		}
	}
}

// Write takes what go-plugin passes on of the standard output and standard error that a plugin has after its start.
func (o *output) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		o.line(time.Now(), line[:min(len(line), lineSize)])
	}
	return len(p), nil
}

var _ io.Writer = (*output)(nil)
