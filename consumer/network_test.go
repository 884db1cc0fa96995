package consumer_test

import (
	"encoding/binary"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/IBM/sarama"
)

// A network is a member's, for Sarama a proxy. It can lose what brokers answer to requests for records, and break.
type network struct {
	mu    sync.Mutex
	conns map[*wireConn]bool
	deaf  bool            // new connections for records are mute, too
	down  map[string]bool // brokers that are not reached
}

// through has conf use a new network, and wait for answers for longer than any test takes.
func through(conf *sarama.Config) *network {
	n := &network{conns: map[*wireConn]bool{}, down: map[string]bool{}}
	conf.Net.Proxy.Enable, conf.Net.Proxy.Dialer = true, n
	conf.Net.ReadTimeout = time.Hour
	return n
}

func (n *network) Dial(kind, addr string) (net.Conn, error) {
	raw, err := net.DialTimeout(kind, addr, patience)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down[addr] {
		raw.Close()
		return nil, syscall.ECONNREFUSED
	}
	c := &wireConn{Conn: raw, network: n, addr: addr, closed: make(chan struct{})}
	n.conns[c] = true
	return c, nil
}

// mute loses all that comes over the connections for records that there are, and over those to come if forGood is set.
func (n *network) mute(forGood bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.deaf = forGood
	for c := range n.conns {
		c.mute = c.mute || c.records
	}
}

// breakUp breaks all connections to a broker and lets no more through, or mends that.
func (n *network) breakUp(addr string, broken bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down[addr] = broken
	for c := range n.conns {
		if broken && c.addr == addr {
			c.Conn.Close()
		}
	}
}

type wireConn struct {
	net.Conn
	network *network
	addr    string
	once    sync.Once
	closed  chan struct{}

	records  bool // it was asked for some; all guarded by the network's mutex
	mute     bool
	deadline time.Time
}

// fetchKey is that of requests for records, behind their size.
const fetchKey = 1

func (c *wireConn) Write(b []byte) (int, error) {
	if len(b) >= 6 && binary.BigEndian.Uint16(b[4:]) == fetchKey {
		c.network.mu.Lock()
		c.records, c.mute = true, c.mute || c.network.deaf
		c.network.mu.Unlock()
	}
	return c.Conn.Write(b)
}

func (c *wireConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.network.mu.Lock()
	mute, deadline := c.mute, c.deadline
	c.network.mu.Unlock()
	if !mute {
		return n, err
	}
	late := time.NewTimer(time.Until(deadline))
	defer late.Stop()
	select {
	case <-c.closed:
		return 0, net.ErrClosed
	case <-late.C:
		return 0, os.ErrDeadlineExceeded
	}
}

func (c *wireConn) SetReadDeadline(t time.Time) error {
	c.network.mu.Lock()
	c.deadline = t
	c.network.mu.Unlock()
	return c.Conn.SetReadDeadline(t)
}

func (c *wireConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	c.network.mu.Lock()
	delete(c.network.conns, c)
	c.network.mu.Unlock()
	return c.Conn.Close()
}
