// Package conn opens connections to brokers for one purpose each. Sarama knows no contexts, and holds a broker's lock while a request is
// under way; so the only way to end a request before its timeout is to break the connection, and that needs one of its own.
package conn

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/IBM/sarama"
)

// ErrCut is the error of what was cut.
var ErrCut = errors.New("the connection was cut")

// A Conn is a connection to a broker. Requests go through [Do], as nothing else ends with it. An error may be about the connection: then it is
// of no further use, and is closed.
type Conn struct {
	broker *sarama.Broker
	socket *socket
}

// Open connects and logs in, as conf says, and waits until it has or ctx ends. Nothing ends the wait for an answer sooner than
// readTimeout but [Conn.Cut].
func Open(ctx context.Context, conf *sarama.Config, addr string, readTimeout time.Duration) (*Conn, error) {
	own := *conf
	own.Net.ReadTimeout = readTimeout
	s := &socket{ctx: ctx, dialer: DialerOf(conf), gone: make(chan struct{})}
	own.Net.Proxy.Enable, own.Net.Proxy.Dialer = true, s
	stop := context.AfterFunc(ctx, s.cut)
	defer stop()
	c := &Conn{broker: sarama.NewBroker(addr), socket: s}
	if err := c.broker.Open(&own); err != nil {
		return nil, fmt.Errorf("connecting to broker %s: %w", addr, err)
	}
	if ok, err := Do(c, (*sarama.Broker).Connected); err != nil || !ok {
		if err == nil {
			err = sarama.ErrNotConnected
		}
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		c.Close()
		return nil, fmt.Errorf("connecting to broker %s: %w", addr, err)
	}
	return c, nil
}

// Addr returns the broker's address.
func (c *Conn) Addr() string { return c.broker.Addr() }

// Cut breaks the connection: a request that is under way fails. It does not wait, and may be called at any time, by anybody. Close is still
// to be called.
func (c *Conn) Cut() { c.socket.cut() }

// Close cuts the connection and frees what belongs to it, when the request that is under way has failed.
func (c *Conn) Close() {
	c.Cut()
	_, _ = Do(c, func(b *sarama.Broker) (none struct{}, err error) { return none, b.Close() }) // that it is not connected any more is no news
}

// Do returns what send does with the broker, or [ErrCut] if the connection is cut and send does not notice.
func Do[T any](c *Conn, send func(*sarama.Broker) (T, error)) (T, error) {
	return Within(c.socket.gone, func() (T, error) { return send(c.broker) })
}

// grace is how long a request may take to notice that its connection is cut.
const grace = time.Second

// Within returns what send does, or [ErrCut] if gone is closed and send does not notice. A request that does not is one that Sarama has not
// sent yet, and holds back as long as the broker has asked for with its last answer, which may be for weeks: nothing ends that. It is left
// behind, so send writes to nothing that is used again.
func Within[T any](gone <-chan struct{}, send func() (T, error)) (answer T, err error) {
	type result struct {
		answer T
		err    error
	}
	done := make(chan result, 1)
	go func() {
		answer, err := send()
		done <- result{answer, err}
	}()
	select {
	case r := <-done:
		return r.answer, r.err
	case <-gone:
	}
	select {
	case r := <-done:
		return r.answer, r.err
	case <-time.After(grace):
		return answer, ErrCut
	}
}

// A socket dials for one connection and can break it.
type socket struct {
	ctx    context.Context
	dialer Dialer

	mu     sync.Mutex
	conn   net.Conn
	broken bool
	gone   chan struct{} // closed when it is broken
}

// Dial makes golang.org/x/net/proxy.Dialer of it.
func (s *socket) Dial(network, addr string) (net.Conn, error) {
	conn, err := dial(s.ctx, s.dialer, network, addr)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		_ = conn.Close()
		return nil, ErrCut
	}
	s.conn = conn
	return conn, nil
}

func (s *socket) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.broken {
		s.broken = true
		close(s.gone)
	}
	if s.conn != nil {
		_ = s.conn.Close()
	}
}
