package plugin

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	host "github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategy"
)

// specName is what plugins are called in specifications, before the colon.
const specName = "plugin"

// ending is how long it may take to end the plugins that a command uses.
const ending = 3 * time.Second

// current has the streams of the run of the program that began last.
var current atomic.Pointer[iostreams.Streams]

// Register has specifications name plugins, unless the program has registered something of its own as "plugin". What goes wrong with plugins is
// logged to the standard error of the run that has called it last.
func Register(io *iostreams.Streams) {
	current.Store(io)
	register()
}

var register = sync.OnceFunc(func() {
	if _, taken := strategy.Lookup(specName); taken {
		return
	}
	d := host.Definition(host.Config{Logger: logger()})
	parsed := d.New
	d.New = func(s strategy.Spec) (strategy.Assignor, error) {
		a, err := parsed(s)
		if err == nil {
			linger(current.Load()) // an interrupted command closes it
		}
		return a, err
	}
	strategy.Register(specName, d)
})

// linger gives a run that is interrupted the time to end plugins.
func linger(s *iostreams.Streams) {
	for {
		now := s.Linger.Load()
		if now >= int64(ending) || s.Linger.CompareAndSwap(now, int64(ending)) {
			return
		}
	}
}

// logger tells people what is not in order.
func logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(errorStream{}, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// errorStream is the standard error of the current run.
type errorStream struct{}

func (errorStream) Write(p []byte) (int, error) { return current.Load().Err.Write(p) }
