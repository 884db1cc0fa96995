// Package fault has the errors that commands return where the exit code depends on what went wrong. Which code that is, is
// decided in one place, package cli.
package fault

import "fmt"

// A UsageError says that the command line itself is wrong, whatever the files it names contain.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *UsageError) Unwrap() error { return e.Err }

// Usage makes a [*UsageError] from a format.
func Usage(format string, args ...any) error {
	return &UsageError{Err: fmt.Errorf(format, args...)}
}

// An AssertionError says that a command was asked to check something, did so, and found that it is not so.
type AssertionError struct{ Text string }

func (e *AssertionError) Error() string { return e.Text }

// Assertion makes an [*AssertionError] from a format.
func Assertion(format string, args ...any) error {
	return &AssertionError{Text: fmt.Sprintf(format, args...)}
}
