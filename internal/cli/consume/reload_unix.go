//go:build unix

package consume

import (
	"os"
	"syscall"
)

// reloadSignals have plugins reloaded.
var reloadSignals = []os.Signal{syscall.SIGHUP}
