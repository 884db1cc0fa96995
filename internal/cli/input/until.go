package input

import (
	"context"
	"io"
)

// Until returns what reads r until ctx ends: a Read that waits then, for somebody who types or for another program, returns the context's error. It
// leaves the wait behind, as nothing can end that, and takes what it brings with it.
func Until(ctx context.Context, r io.Reader) io.Reader {
	return &interruptible{ctx: ctx, in: r, result: make(chan read, 1)}
}

type interruptible struct {
	ctx    context.Context //nolint:containedctx // io.Reader has no place for it
	in     io.Reader
	buf    []byte // read into by a wait, which nobody else touches meanwhile
	result chan read
}

// A read is what one call of Read has returned.
type read struct {
	n   int
	err error
}

func (i *interruptible) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	if len(i.buf) < len(p) {
		i.buf = make([]byte, len(p))
	}
	buf := i.buf[:len(p)]
	go func() {
		n, err := i.in.Read(buf)
		i.result <- read{n, err}
	}()
	select {
	case r := <-i.result:
		copy(p, buf[:r.n])
		return r.n, r.err
	case <-i.ctx.Done():
		return 0, i.ctx.Err()
	}
}
