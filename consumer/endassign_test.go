package consumer_test

import (
	"context"
	"errors"
	"testing"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
)

// TestEndWhileAssignIsRetried ends a member that cannot take its partitions over, as what OnAssign needs is away. That is not tried for as long as
// the end may take.
func TestEndWhileAssignIsRetried(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*member)
	}{{"Close", func(*member) {}}, {"context", func(m *member) { m.cancel() }}} {
		t.Run(c.name, func(t *testing.T) {
			cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
			cfg := config(cluster.Addrs(), "g", "orders")
			cfg.RetryAssign, cfg.CloseTimeout = true, 10*embeddedtest.Patience
			tries := make(chan struct{}, 1000)
			cfg.Callbacks = callbacks.Funcs{OnAssign: func(context.Context, *callbacks.Assignment) error {
				tries <- struct{}{}
				return errors.New("the store is away")
			}}
			a := start(t, "a", cfg, nil)
			<-tries
			<-tries
			c.end(a)
			a.Stop()
			if err := a.ended(); err != nil {
				t.Error(err)
			}
		})
	}
}
