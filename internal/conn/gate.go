package conn

import (
	"context"
	"net"
	"sync"
)

// A Gate is what all connections of a client go through, also those that Sarama opens by itself, so that they can be broken at once.
// It is safe for concurrent use.
type Gate struct {
	ctx    context.Context // ends when the gate is shut; new connections need it
	cancel context.CancelCauseFunc
	dialer Dialer

	mu    sync.Mutex
	conns map[*gatedConn]struct{}
}

// NewGate returns an open gate before d. A client goes through it when it is its configuration's proxy.
func NewGate(d Dialer) *Gate {
	g := &Gate{dialer: d, conns: map[*gatedConn]struct{}{}}
	g.ctx, g.cancel = context.WithCancelCause(context.Background())
	return g
}

// Dial makes golang.org/x/net/proxy.Dialer of it.
func (g *Gate) Dial(network, addr string) (net.Conn, error) {
	return g.DialContext(context.Background(), network, addr)
}

// DialContext makes golang.org/x/net/proxy.ContextDialer of it. It ends when ctx does, or the gate is shut.
func (g *Gate) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(g.ctx, func() { cancel(context.Cause(g.ctx)) })()
	raw, err := dial(ctx, g.dialer, network, addr)
	if err != nil {
		if cause := context.Cause(g.ctx); cause != nil {
			err = cause
		}
		return nil, err
	}
	c := &gatedConn{Conn: raw, gate: g}
	g.mu.Lock()
	defer g.mu.Unlock()
	if cause := context.Cause(g.ctx); cause != nil { // shut after the dial, before the lock
		_ = raw.Close()
		return nil, cause
	}
	g.conns[c] = struct{}{}
	return c, nil
}

// Shut breaks all connections and lets none through any more; dialling fails with cause. The first cause stays.
func (g *Gate) Shut(cause error) {
	g.cancel(cause)
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.conns {
		_ = c.Conn.Close()
	}
	clear(g.conns)
}

// Cause returns why the gate was shut, nil while it is open.
func (g *Gate) Cause() error { return context.Cause(g.ctx) }

type gatedConn struct {
	net.Conn
	gate *Gate
}

// Close closes the connection and forgets it.
func (c *gatedConn) Close() error {
	c.gate.mu.Lock()
	delete(c.gate.conns, c)
	c.gate.mu.Unlock()
	return c.Conn.Close()
}
