package connect

import (
	"context"
	"net"
	"sync"
	"time"
)

// A gate is what a client's connections go through, so that they can be cut: Sarama knows no contexts, and a request that is on its way
// ends before its timeout only with its connection. It is safe for concurrent use.
type gate struct {
	ctx    context.Context // ends when the gate is shut; new connections need it
	cancel context.CancelCauseFunc
	dialer net.Dialer

	mu    sync.Mutex
	conns map[*gatedConn]struct{}
}

func newGate(timeout time.Duration) *gate {
	g := &gate{dialer: net.Dialer{Timeout: timeout}, conns: map[*gatedConn]struct{}{}}
	g.ctx, g.cancel = context.WithCancelCause(context.Background())
	return g
}

// Dial makes golang.org/x/net/proxy.Dialer of it.
func (g *gate) Dial(network, addr string) (net.Conn, error) {
	conn, err := g.dialer.DialContext(g.ctx, network, addr)
	if err != nil {
		if cause := context.Cause(g.ctx); cause != nil {
			err = cause
		}
		return nil, &dialError{addr: addr, err: err}
	}
	c := &gatedConn{Conn: conn, gate: g}
	g.mu.Lock()
	defer g.mu.Unlock()
	if cause := context.Cause(g.ctx); cause != nil { // cut after the dial, before the lock
		_ = conn.Close()
		return nil, &dialError{addr: addr, err: cause}
	}
	g.conns[c] = struct{}{}
	return c, nil
}

// shut closes all connections and lets none through any more. The first cause stays.
func (g *gate) shut(cause error) {
	g.cancel(cause)
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.conns {
		_ = c.Conn.Close()
	}
	clear(g.conns)
}

// backoff is how long to wait before asking for metadata again: not at all when it would be for nothing.
func (g *gate) backoff() time.Duration {
	if g.ctx.Err() != nil {
		return 0
	}
	return backoff
}

type gatedConn struct {
	net.Conn
	gate *gate
}

// Close closes the connection and forgets it.
func (c *gatedConn) Close() error {
	c.gate.mu.Lock()
	delete(c.gate.conns, c)
	c.gate.mu.Unlock()
	return c.Conn.Close()
}

// dialError says which address it was, as it was written: the network's own errors have it resolved, or not at all.
type dialError struct {
	addr string
	err  error
}

func (e *dialError) Error() string { return "dialling " + e.addr + ": " + e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }
