package conn

import (
	"context"
	"net"

	"github.com/IBM/sarama"
)

// A Dialer makes connections, as golang.org/x/net/proxy has it. One that has a DialContext as well ends sooner.
type Dialer interface {
	Dial(network, addr string) (net.Conn, error)
}

// DialerOf returns what conf dials with.
func DialerOf(conf *sarama.Config) Dialer {
	if conf.Net.Proxy.Enable {
		return conf.Net.Proxy.Dialer
	}
	return &net.Dialer{Timeout: conf.Net.DialTimeout, KeepAlive: conf.Net.KeepAlive, LocalAddr: conf.Net.LocalAddr}
}

// dial ends with ctx where the dialer can.
func dial(ctx context.Context, d Dialer, network, addr string) (net.Conn, error) {
	if d, ok := d.(interface {
		DialContext(ctx context.Context, network, addr string) (net.Conn, error)
	}); ok {
		return d.DialContext(ctx, network, addr)
	}
	return d.Dial(network, addr)
}
