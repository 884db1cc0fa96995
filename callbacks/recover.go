package callbacks

import (
	"runtime/debug"

	"github.com/assignkit/assignkit/strategy"
)

// protect returns f's error, or its panic as one.
func protect(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &strategy.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}
