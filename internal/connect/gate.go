package connect

import (
	"context"
	"net"
	"time"

	"github.com/assignkit/assignkit/internal/conn"
)

// A gate is what a client's connections go through, so that they can be cut, with errors that say where to.
type gate struct{ *conn.Gate }

func newGate(timeout time.Duration) *gate {
	return &gate{conn.NewGate(&net.Dialer{Timeout: timeout})}
}

// Dial makes golang.org/x/net/proxy.Dialer of it.
func (g *gate) Dial(network, addr string) (net.Conn, error) {
	return g.DialContext(context.Background(), network, addr)
}

// DialContext makes golang.org/x/net/proxy.ContextDialer of it.
func (g *gate) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := g.Gate.DialContext(ctx, network, addr)
	if err != nil {
		return nil, &dialError{addr: addr, err: err}
	}
	return c, nil
}

// backoff is how long to wait before asking for metadata again: not at all when it would be for nothing.
func (g *gate) backoff() time.Duration {
	if g.Cause() != nil {
		return 0
	}
	return backoff
}

// dialError says which address it was, as it was written: the network's own errors have it resolved, or not at all.
type dialError struct {
	addr string
	err  error
}

func (e *dialError) Error() string { return "dialling " + e.addr + ": " + e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }
