package embeddedtest

import (
	"encoding/binary"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/IBM/sarama"
)

// A Network is a client's, for Sarama a proxy. It can lose what brokers answer, as if a machine had gone without a word, and break.
type Network struct {
	mu     sync.Mutex
	conns  map[*connection]bool
	deaf   bool            // connections for records to come are mute, too
	frozen map[string]bool // brokers of which nothing comes any more
	down   map[string]bool // brokers that are not reached
	bytes  map[string]int  // read, by broker
}

// Through has conf use a new network, and wait for answers for longer than any test takes.
func Through(conf *sarama.Config) *Network {
	n := &Network{conns: map[*connection]bool{}, frozen: map[string]bool{}, down: map[string]bool{}, bytes: map[string]int{}}
	conf.Net.Proxy.Enable, conf.Net.Proxy.Dialer = true, n
	conf.Net.ReadTimeout = time.Hour
	return n
}

// Dial is called by Sarama.
func (n *Network) Dial(kind, addr string) (net.Conn, error) {
	raw, err := net.DialTimeout(kind, addr, Patience)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down[addr] {
		_ = raw.Close()
		return nil, syscall.ECONNREFUSED
	}
	c := &connection{Conn: raw, network: n, addr: addr, closed: make(chan struct{})}
	n.conns[c] = true
	return c, nil
}

// Mute loses all that comes over the connections for records that there are, and over those to come if forGood is set.
func (n *Network) Mute(forGood bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.deaf = forGood
	for c := range n.conns {
		c.mute = c.mute || c.records
	}
}

// Freeze loses all that comes from a broker.
func (n *Network) Freeze(addr string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.frozen[addr] = true
}

// Break breaks all connections to a broker and lets no more through, or mends that.
func (n *Network) Break(addr string, broken bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.down[addr] = broken
	for c := range n.conns {
		if broken && c.addr == addr {
			_ = c.Conn.Close()
		}
	}
}

// Bytes returns how many bytes came from a broker.
func (n *Network) Bytes(addr string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.bytes[addr]
}

type connection struct {
	net.Conn
	network *Network
	addr    string
	once    sync.Once
	closed  chan struct{}

	records  bool // it was asked for some; all guarded by the network's mutex
	mute     bool
	deadline time.Time
}

// fetchKey is that of requests for records, behind their size.
const fetchKey = 1

func (c *connection) Write(b []byte) (int, error) {
	if len(b) >= 6 && binary.BigEndian.Uint16(b[4:]) == fetchKey {
		c.network.mu.Lock()
		c.records, c.mute = true, c.mute || c.network.deaf
		c.network.mu.Unlock()
	}
	return c.Conn.Write(b)
}

func (c *connection) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.network.mu.Lock()
	c.network.bytes[c.addr] += n
	mute, deadline := c.mute || c.network.frozen[c.addr], c.deadline
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

func (c *connection) SetReadDeadline(t time.Time) error {
	c.network.mu.Lock()
	c.deadline = t
	c.network.mu.Unlock()
	return c.Conn.SetReadDeadline(t)
}

func (c *connection) Close() error {
	c.once.Do(func() { close(c.closed) })
	c.network.mu.Lock()
	delete(c.network.conns, c)
	c.network.mu.Unlock()
	return c.Conn.Close()
}
