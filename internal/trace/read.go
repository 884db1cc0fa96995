package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// maxLine is the longest line that is read.
const maxLine = 64 << 20

// An Error says where in a trace something is not as it should be.
type Error struct {
	File   string
	Line   int
	Column int // a byte, from 1; 0 is the line as a whole
	Err    error
}

func (e *Error) Error() string {
	if e.Column == 0 {
		return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
	}
	return fmt.Sprintf("%s:%d:%d: %v", e.File, e.Line, e.Column, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// The causes of an [Error] that a caller may want to tell from others.
var (
	ErrVersion = errors.New("the version of this line is not known")
	// ErrCut is of a last line that is not whole: its writer ended while it wrote, or is writing it now. All lines before it have been read.
	ErrCut = errors.New("the last line is not whole")
)

// Read returns the lines of a trace, one at a time; file is how errors name it. It ends with the first error, which is an [*Error].
// Empty lines and lines of another kind are passed over. How much is read in all is for the caller to bound.
func Read(file string, in io.Reader) iter.Seq2[*Rebalance, error] {
	return func(yield func(*Rebalance, error) bool) {
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxLine)
		lines.Split(wholeLines)
		number := 0
		for lines.Scan() {
			number++
			text := lines.Bytes()
			if number == 1 {
				text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // a byte order mark
			}
			r, err := read(text)
			if err != nil && lines.Err() != nil && errors.Is(err, ErrCut) {
				number-- // the line is not whole because the reader failed
				break
			}
			if err != nil {
				err.File, err.Line = file, number
				yield(nil, err)
				return
			}
			if r != nil && !yield(r, nil) {
				return
			}
		}
		err := lines.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("the line is longer than %d bytes", maxLine)
		}
		if err != nil {
			yield(nil, &Error{File: file, Line: number + 1, Err: err})
		}
	}
}

// wholeLines is bufio.ScanLines with the line's end, whose absence tells a line that is cut.
func wholeLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// read reads one line. It returns nil for one to be passed over.
func read(text []byte) (*Rebalance, *Error) {
	text, ended := bytes.CutSuffix(text, []byte("\n"))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	if !json.Valid(text) {
		return nil, invalid(text, ended)
	}
	if version, is, err := head(text); err != nil || version != Version || is != kind {
		if err == nil && version != Version {
			err = &Error{Err: fmt.Errorf("%w: it is %d, and not %d", ErrVersion, version, Version)}
		}
		return nil, err
	}
	d := newDecoder(text)
	r, err := d.rebalance()
	if err != nil {
		return nil, d.located(err)
	}
	return r, nil
}

// invalid says where a line stops being JSON.
func invalid(text []byte, ended bool) *Error {
	var value json.RawMessage
	err := json.Unmarshal(text, &value)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return &Error{Err: fmt.Errorf("is no line of a trace: %w", err)}
	}
	column := max(1, int(syntax.Offset))
	if !ended && column >= len(text) && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return &Error{Column: column, Err: ErrCut}
	}
	return &Error{Column: column, Err: fmt.Errorf("is no line of a trace: %w", syntax)}
}

// head looks for the version and the kind, before anything else is made of a line: those of other versions may have any other field.
func head(text []byte) (version int32, is string, failed *Error) {
	d := newDecoder(text)
	found := fields{}
	err := d.object(func(key string) (err error) {
		switch key {
		case "v":
			version, err = d.whole()
		case "kind":
			is, err = d.text()
		default:
			return d.skip()
		}
		if found[key] = true; err == nil && len(found) == 2 {
			return errFound
		}
		return err
	})
	switch {
	case err != nil && !errors.Is(err, errFound):
		failed = d.located(err)
		failed.Err = fmt.Errorf("is no line of a trace: %w", failed.Err)
	case !found["v"]:
		failed = &Error{Err: errors.New(`is no line of a trace: there is no "v"`)}
	}
	return version, is, failed
}

// errFound ends a look at a line early.
var errFound = errors.New("found")

// Is says whether text begins with a line of a trace. It reads nothing away.
func Is(in *bufio.Reader) bool {
	start, _ := in.Peek(512)
	return bytes.HasPrefix(bytes.TrimLeft(start, "\ufeff \t\r\n"), []byte("{")) && bytes.Contains(start, []byte(`"kind":"`+kind+`"`))
}
