package cli

import (
	"io"
	"syscall"
)

// closedPipe lists what writing to a pipe without a reader returns: ERROR_BROKEN_PIPE or ERROR_NO_DATA.
var closedPipe = []error{syscall.EPIPE, syscall.Errno(109), syscall.Errno(232), io.ErrClosedPipe}
