package input

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the longest line that is read, in bytes.
const MaxLine = 256 << 20

// A LongLineError says that a line was longer than is read. The lines after it can be read.
type LongLineError struct{ Limit int }

func (e *LongLineError) Error() string {
	return fmt.Sprintf("the line is longer than %d bytes", e.Limit)
}

// Lines reads lines, however long they are up to a limit.
type Lines struct {
	Number int // of the line that Next returned, from 1

	in    *bufio.Reader
	limit int
	line  []byte
}

// NewLines returns the lines of r.
func NewLines(r io.Reader, limit int) *Lines {
	return &Lines{in: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// Idle says whether the next line has to be waited for.
func (l *Lines) Idle() bool { return l.in.Buffered() == 0 }

// Next returns the next line that is not blank, without spaces around it; it is valid until the next call. The error is io.EOF at the
// end, a [*LongLineError], or that of the reader.
func (l *Lines) Next() ([]byte, error) {
	for {
		l.line = l.line[:0]
		l.Number++
		err := l.read()
		line := bytes.TrimSpace(l.line)
		if l.Number == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")) // a byte order mark
		}
		switch {
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		case err != nil:
			return nil, err
		case len(line) > 0:
			return line, nil
		}
	}
}

// read reads one line into l.line. Of a line that is too long it reads the rest, and keeps nothing.
func (l *Lines) read() error {
	long := false
	for {
		part, err := l.in.ReadSlice('\n')
		switch {
		case long:
		case len(l.line)+len(part) > l.limit:
			long, l.line = true, nil
		default:
			l.grow(len(part))
			l.line = append(l.line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long && (err == nil || errors.Is(err, io.EOF)) {
			return &LongLineError{Limit: l.limit}
		}
		return err
	}
}

// grow makes room for n bytes more, at most as much as the longest line takes.
func (l *Lines) grow(n int) {
	if need := len(l.line) + n; need > cap(l.line) {
		line := make([]byte, len(l.line), max(need, min(2*cap(l.line), l.limit)))
		copy(line, l.line)
		l.line = line
	}
}
