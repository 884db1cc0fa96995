package plugin

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	hclog "github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/assignkit/assignkit/strategy"
)

// closeTime is what an assignor's Close may take when the plugin ends.
const closeTime = 300 * time.Millisecond

// Serve is the whole main of a plugin: it answers a host's calls with an assignor, and returns or ends the process when the host ends it
// or is gone. Started by hand it says what it is and exits with 1.
//
// The assignor is asked from several goroutines at once, as [strategy.Assignor] says. An optional [strategy.Notifier],
// [strategy.UserDataProvider] or [strategy.SignalUser], which must always name the same signals, is offered to the host, and [Versioner] asked; an assignor with units ([strategy.UnitProvider]) that is
// to rebalance cooperatively has to be served as [strategy.Cooperative], as units do not go over the wire. One that is an [io.Closer]
// is closed at the end, which may take 300 ms. A panic becomes an error of the call, with its stack in the log.
//
// Serve panics without an assignor. It sets slog's default logger: what is logged reaches the log of the host with its level. What is printed to standard output or
// standard error is logged there line by line.
func Serve(a strategy.Assignor) {
	if a == nil {
		panic("plugin: Serve: no assignor")
	}
	if os.Getenv(handshake.MagicCookieKey) != handshake.MagicCookieValue {
		fmt.Fprintf(os.Stderr, "%[1]s is an assignor plugin (%[2]s), which a host starts. To have it used, lock it:\n  assignctl plugin lock %[1]s\n",
			filepath.Base(os.Args[0]), a.Name())
		os.Exit(1)
	}
	stdout, stderr := os.Stdout, os.Stderr
	slog.SetDefault(slog.New(newLogHandler(os.Stderr)))
	collectLate()
	go endWithHost(os.Stdin, a)
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: handshake,
		VersionedPlugins: pluginSets(&grpcPlugin{served: a, began: func() {
			// go-plugin has put pipes in their place, which lose what is written last before a crash.
			os.Stdout, os.Stderr = stdout, stderr
		}}),
		GRPCServer: func(o []grpc.ServerOption) *grpc.Server { return grpc.NewServer(serverOptions(o)...) },
		Logger:     hclog.New(&hclog.LoggerOptions{Level: hclog.Error, Output: os.Stderr, JSONFormat: true}),
	})
}

// endWithHost ends the process when standard input does, which a host holds open for as long as it wants the plugin: it closes it, or dies.
func endWithHost(in io.Reader, a strategy.Assignor) {
	_, _ = io.Copy(io.Discard, in)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		var err error
		defer func() {
			if err != nil {
				slog.Error("closing the assignor failed", "error", err)
			}
		}()
		defer strategy.Recover(&err)
		err = strategy.Close(a)
	}()
	select {
	case <-closed:
	case <-time.After(closeTime):
		slog.Warn("the assignor did not close in time", "time", closeTime)
	}
	os.Exit(0)
}
