//go:build !unix

package consume

import "os"

// reloadSignals have plugins reloaded: this system has none for that.
var reloadSignals []os.Signal
