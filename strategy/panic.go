package strategy

import (
	"fmt"
	"runtime/debug"
)

// A PanicError is a panic as an error: of an assignor, and with the packages that run other code of applications, of that.
type PanicError struct {
	Value any    // what it panicked with
	Stack []byte // of the goroutine, as debug.Stack prints it
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Unwrap returns the value if it is an error, such as a [runtime.Error], or nil.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Recover sets err to the panic of who defers it, if there is one. It is for those who run assignors, as they must not die of them.
func Recover(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Value: v, Stack: debug.Stack()}
	}
}
