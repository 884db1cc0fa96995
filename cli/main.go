// Package cli is the program assignctl as a function, for programs that add assignors of their own to it:
//
//	func init() { strategy.Register("pinned", ...) }
//	func main() { os.Exit(cli.Main(context.Background(), os.Args[1:], cli.OS())) }
//
// Such programs import strategies/standard as well, for the assignors that come with the project. The commands are in internal/cli.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/cli/plugin"
	"github.com/assignkit/assignkit/internal/cli/root"
	"github.com/assignkit/assignkit/internal/fault"
)

// The exit codes. They are a help topic as well; see package root.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitAssertion   = 3
	exitInterrupted = 130
	exitClosedPipe  = 141
)

// grace is how long a command has to end by itself after an interrupt. Reads from a terminal or a pipe cannot be interrupted, and an
// assignor need not look at its context, so it is not waited for longer. A command that is in the middle of something says so itself.
const grace = 200 * time.Millisecond

// Main runs the program with the arguments behind its name and returns its exit code. It ends when ctx does, or on SIGINT or
// SIGTERM; a command that does not stop then is left behind, so the caller is expected to exit.
func Main(ctx context.Context, args []string, streams Streams) int {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	io := streams.internal()
	done := make(chan error, 1)
	go func() { done <- execute(ctx, args, io) }()
	select {
	case err := <-done:
		return report(err, streams)
	case <-ctx.Done():
		stop() // a second interrupt ends the program at once
	}
	select {
	case err := <-done:
		return report(err, streams)
	case <-time.After(max(grace, time.Duration(io.Linger.Load()))):
		return report(ctx.Err(), streams)
	}
}

// execute runs a command and writes out what it printed. A panic, most likely in an assignor of the caller's own, becomes an error.
func execute(ctx context.Context, args []string, io *iostreams.Streams) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	err = root.Run(ctx, args, io)
	if flushed := io.Out.Flush(); flushed != nil {
		return flushed // whatever else went wrong, the answer did not arrive
	}
	return err
}

// report tells what went wrong and turns it into an exit code. Nothing else in the program decides on one.
func report(err error, streams Streams) int {
	var usage *fault.UsageError
	var assertion *fault.AssertionError
	code := exitError
	switch {
	case err == nil:
		return exitOK
	case isClosedPipe(err):
		return exitClosedPipe // whoever read the output has seen enough
	case errors.Is(err, context.Canceled):
		code, err = exitInterrupted, errors.New("interrupted")
	case errors.As(err, &usage):
		code = exitUsage
	case errors.As(err, &assertion):
		code = exitAssertion
	}
	fmt.Fprintf(streams.Err, "%s: %s\n", streams.name(), output.CleanText(plugin.Message(err)))
	return code
}

// isClosedPipe says whether the output failed because nobody reads it any more.
func isClosedPipe(err error) bool {
	var write *iostreams.WriteError
	if !errors.As(err, &write) {
		return false
	}
	for _, closed := range closedPipe {
		if errors.Is(write.Err, closed) {
			return true
		}
	}
	return false
}
