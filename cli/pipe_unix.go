//go:build !windows

package cli

import (
	"io"
	"syscall"
)

// closedPipe lists what writing to a pipe without a reader returns. On the process's own standard output the runtime ends the
// program by SIGPIPE before that, which a shell reports with the same code.
var closedPipe = []error{syscall.EPIPE, io.ErrClosedPipe}
