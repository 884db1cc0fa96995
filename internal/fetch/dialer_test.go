package fetch_test

import (
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/IBM/sarama"
)

// A dialer makes connections that can be frozen, so that it looks as if the broker's machine had gone without a word, or broken.
type dialer struct {
	mu     sync.Mutex
	frozen map[string]bool
	broken map[string]bool
	conns  []*freezing
	bytes  map[string]int // read, by broker
}

// through has conf dial through a new dialer, and wait for answers for longer than any test takes.
func through(conf *sarama.Config) *dialer {
	d := &dialer{frozen: map[string]bool{}, broken: map[string]bool{}, bytes: map[string]int{}}
	conf.Net.Proxy.Enable, conf.Net.Proxy.Dialer = true, d
	conf.Net.ReadTimeout = time.Hour
	return d
}

func (d *dialer) freeze(addr string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.frozen[addr] = true
}

// breakUp breaks all connections to a broker and lets no more through, or mends that.
func (d *dialer) breakUp(addr string, broken bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.broken[addr] = broken
	for _, c := range d.conns {
		if broken && c.addr == addr {
			c.Close()
		}
	}
}

// read returns how many bytes came from a broker.
func (d *dialer) read(addr string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.bytes[addr]
}

func (d *dialer) isFrozen(addr string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.frozen[addr]
}

func (d *dialer) Dial(network, addr string) (net.Conn, error) {
	raw, err := net.DialTimeout(network, addr, time.Minute)
	if err != nil {
		return nil, err
	}
	c := &freezing{Conn: raw, dialer: d, addr: addr, closed: make(chan struct{})}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.broken[addr] {
		_ = raw.Close()
		return nil, syscall.ECONNREFUSED
	}
	d.conns = append(d.conns, c)
	return c, nil
}

type freezing struct {
	net.Conn
	dialer *dialer
	addr   string
	once   sync.Once
	closed chan struct{}

	mu       sync.Mutex
	deadline time.Time
}

func (c *freezing) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.dialer.mu.Lock()
	c.dialer.bytes[c.addr] += n
	c.dialer.mu.Unlock()
	if !c.dialer.isFrozen(c.addr) {
		return n, err
	}
	c.mu.Lock()
	late := time.NewTimer(time.Until(c.deadline))
	c.mu.Unlock()
	select {
	case <-c.closed:
		return 0, net.ErrClosed
	case <-late.C:
		return 0, os.ErrDeadlineExceeded
	}
}

func (c *freezing) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	c.deadline = t
	c.mu.Unlock()
	return c.Conn.SetReadDeadline(t)
}

func (c *freezing) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
