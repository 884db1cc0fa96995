package iostreams

import "io"

// limit is how much a Writer keeps back before it writes.
const limit = 64 << 10

// A Writer is a buffer that never splits what one call of Write was given, so that a program that is interrupted leaves no half
// answer behind. The first error stays: all later calls return it, and write nothing.
type Writer struct {
	out io.Writer
	buf []byte
	err error
}

// NewWriter returns a Writer that writes to out.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// A WriteError says that the output could not be written, in whole or in part.
type WriteError struct{ Err error }

func (e *WriteError) Error() string { return "writing output: " + e.Err.Error() }

// Unwrap returns what the stream said.
func (e *WriteError) Unwrap() error { return e.Err }

// Write takes all of p. Its errors are of type [*WriteError].
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if len(p) >= limit {
		if err := w.Flush(); err != nil {
			return 0, err
		}
		if err := w.write(p); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	if len(w.buf)+len(p) > limit {
		if err := w.Flush(); err != nil {
			return 0, err
		}
	}
	w.buf = append(w.buf, p...)
	return len(p), nil
}

// Flush writes what is still kept back.
func (w *Writer) Flush() error {
	if w.err != nil || len(w.buf) == 0 {
		return w.err
	}
	err := w.write(w.buf)
	w.buf = w.buf[:0]
	return err
}

func (w *Writer) write(p []byte) error {
	if _, err := w.out.Write(p); err != nil {
		w.err = &WriteError{Err: err}
	}
	return w.err
}
