package consumer_test

import (
	"sync/atomic"
	"testing"

	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// closing is an assignor that closes its consumer when it is asked what to send along with a join.
type closing struct {
	strategy.Assignor
	consumer *atomic.Pointer[member]
}

func (c closing) Name() string                { return "cooperative-closing" }
func (c closing) Protocol() strategy.Protocol { return strategy.ProtocolCooperative }

func (c closing) UserData([]string) ([]byte, error) {
	if m := c.consumer.Load(); m != nil {
		return nil, m.Close()
	}
	return nil, nil
}

// TestCloseInAnAssignor has an assignor close its consumer, on the goroutine that has to end it.
func TestCloseInAnAssignor(t *testing.T) {
	cluster := startCluster(t, embedded.Topic{Name: "orders", Partitions: 2})
	cfg := config(cluster.Addrs(), "g", "orders")
	var c atomic.Pointer[member]
	cfg.Assignors = []strategy.Assignor{closing{strategy.Cooperative(sticky.Assignor{}), &c}}
	a := start(t, "a", cfg, nil)
	a.waitOwned(2)
	c.Store(a)
	if err := a.Rejoin("test"); err != nil {
		t.Fatal(err)
	}
	if err := a.ended(); err != nil {
		t.Error(err)
	}
}
