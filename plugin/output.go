package plugin

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
)

const (
	tailSize    = 2 << 10 // of what a plugin wrote last, for errors
	lineSize    = 8 << 10 // the longest line that is logged; what is behind that is cut off
	causeSize   = 512     // of the line in which a crash says why
	linesASpell = 200     // how many lines are logged of those that come within a second
)

// output takes the lines that a plugin's process writes: it logs them, and keeps the last ones for errors. It is safe for concurrent use.
type output struct {
	log   *slog.Logger
	spell *spell

	mu    sync.Mutex
	tail  []byte
	cause string // the line in which a crash says why, which a long stack would push out of the tail
}

func newOutput(log *slog.Logger, s *spell) *output { return &output{log: log, spell: s} }

// line takes one.
func (o *output) line(now time.Time, text string) {
	text = strings.ToValidUTF8(strings.TrimRight(text, "\r\n"), "\uFFFD")
	if strings.TrimSpace(text) == "" {
		return
	}
	l := parseLogLine(text)
	logged, dropped := o.spell.line(now, o.keep(l.message))
	if dropped > 0 {
		o.reportDropped(dropped)
	}
	if logged {
		l.log(context.Background(), o.log)
	}
}

// keep adds a line to the tail, and says whether the process is crashing: then long stacks follow.
func (o *output) keep(text string) (crashing bool) {
	text = printable(text, lineSize)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.cause == "" && isCause(text) {
		o.cause = printable(text, causeSize)
	}
	o.tail = append(append(o.tail, text...), '\n')
	if extra := len(o.tail) - tailSize; extra > 0 {
		o.tail = append(o.tail[:0], o.tail[extra:]...)
	}
	return o.cause != ""
}

// crashLine begins the line in which Go's runtime, or C's below it, says why it gives up. The stacks of all goroutines follow it.
var crashLine = regexp.MustCompile(`^(panic|fatal error|runtime|runtime/cgo|SIG[A-Z]+): `)

func isCause(line string) bool { return crashLine.MatchString(line) }

// last returns what was written last, at most tailSize bytes.
func (o *output) last() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	tail := strings.ToValidUTF8(string(o.tail), "")
	if o.cause == "" || strings.Contains(tail, o.cause) {
		return tail
	}
	head := o.cause + "\n...\n"
	return head + strings.ToValidUTF8(tail[max(0, len(tail)-tailSize+len(head)):], "")
}

// end is called when everything has been written.
func (o *output) end() {
	if dropped := o.spell.end(); dropped > 0 {
		o.reportDropped(dropped)
	}
}

func (o *output) reportDropped(lines int) {
	o.log.Warn("the plugin writes too much; lines were dropped", "lines", lines)
}

// read takes lines until r ends. Each goes to see first, which may be nil; those it returns true for go no further. Of a line that is too long, what see
// gets is the end, and what is logged the beginning.
func (o *output) read(r io.Reader, see func(line string) bool) {
	lines := bufio.NewReaderSize(r, lineSize)
	for {
		part, more, err := lines.ReadLine()
		if err != nil {
			return
		}
		begin := string(part)
		end := begin
		for more && err == nil {
			before := end[max(0, len(end)-lineSize):]
			if part, more, err = lines.ReadLine(); err == nil {
				end = before + string(part)
			}
		}
		if see == nil || !see(end) {
			o.line(time.Now(), begin)
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

// A spell counts what a plugin's processes write, so that not more than linesASpell lines are logged in a second. It is safe for concurrent use.
type spell struct {
	mu      sync.Mutex
	began   time.Time
	lines   int
	dropped int
}

// line counts one, and says whether it is to be logged, and how many were dropped before it since that was last said. Lines of a stack are dropped without
// a word: that there is one says who was asked.
func (s *spell) line(now time.Time, stack bool) (logged bool, dropped int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.began) >= time.Second {
		s.began, s.lines = now, 0
	}
	if s.lines++; s.lines > linesASpell {
		if !stack {
			s.dropped++
		}
		return false, 0
	}
	dropped, s.dropped = s.dropped, 0
	return true, dropped
}

// end says how many were dropped since that was last said.
func (s *spell) end() (dropped int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dropped, s.dropped = s.dropped, 0
	return dropped
}

// printable makes a text that a plugin has sent one that can be shown: valid UTF-8 of at most some bytes, without control characters but for ends of lines and
// tabs.
func printable(text string, most int) string {
	cut := ""
	if len(text) > most {
		cut = fmt.Sprintf(" ... (%d bytes)", len(text))
		text = text[:max(0, most-len(cut))]
	}
	text = strings.ToValidUTF8(text, "")
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return '?'
		}
		return r
	}, text) + cut
}
