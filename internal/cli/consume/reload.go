package consume

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"sync"

	"github.com/assignkit/assignkit/plugin"
	"github.com/assignkit/assignkit/strategy"
)

// reloads has plugins reloaded on the signal that says so, where the system has one, until the function that it returns is called. Without plugins the
// signal does what it always does.
func (s *session) reloads(assignors []strategy.Assignor) (end func()) {
	if len(reloadSignals) == 0 || !slices.ContainsFunc(assignors, isPlugin) {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, reloadSignals...)
	var loop sync.WaitGroup
	loop.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-signals:
				s.reload(ctx)
			}
		}
	})
	return func() {
		signal.Stop(signals)
		cancel()
		loop.Wait()
	}
}

func isPlugin(a strategy.Assignor) bool {
	_, ok := strategy.As[*plugin.Assignor](a)
	return ok
}

// reload reads lock files again, upgrades plugins, and says how that went.
func (s *session) reload(ctx context.Context) {
	if err := plugin.ReloadAll(ctx); err != nil {
		s.problem(fmt.Sprintf("reloading plugins: %v", err))
		return
	}
	fmt.Fprintf(s.options.io.Err, "%s: plugins are reloaded: they are what the lock files say\n", s.options.io.Name)
}
