// Package iostreams is where commands read and write: the three streams of a process with what is known about the terminal
// behind them. It decides nothing about what is written.
package iostreams

import (
	"bytes"
	"io"
	"sync/atomic"
)

// Streams are the streams of one run of the program. They are used by one goroutine.
type Streams struct {
	Name string   // of the program
	Args []string // what stood behind its name

	In  io.Reader
	Out *Writer
	Err io.Writer

	InTerminal  bool // In is somebody who types
	OutTerminal bool // Out is a screen, on which what was written can be written over
	ErrTerminal bool // Err is one
	Width       int  // columns that a line of Out has room for
	Color       bool // Out may be coloured

	// Linger is how long, in nanoseconds, the command needs to end in good order after an interrupt. A command that does more than
	// write its answer sets it before it begins.
	Linger atomic.Int64
}

// Test returns streams over buffers, 80 columns wide and without colour, and the buffers behind Out and Err. What was written is
// in the first of them once Out has been flushed.
func Test(in string) (s *Streams, out, err *bytes.Buffer) {
	out, err = &bytes.Buffer{}, &bytes.Buffer{}
	return &Streams{Name: "assignctl", In: bytes.NewBufferString(in), Out: NewWriter(out), Err: err, Width: 80}, out, err
}
