package connect

import (
	"errors"
	"net"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/embedded"
)

// A Client is a [sarama.Client] that is connected. It is safe for concurrent use.
type Client struct {
	sarama.Client

	target  *target
	gate    *gate
	addr    string
	cluster *embedded.Cluster // nil for a real one
}

var errCut = errors.New("the connections were cut")

// Addrs returns the addresses that the client was told. Which brokers there are, [sarama.Client.Brokers] tells.
func (c *Client) Addrs() []string {
	if c.cluster != nil {
		return c.cluster.Addrs()
	}
	return c.target.brokers
}

// Cut closes all connections at once, also those that others made with the client's Config, and lets no new ones through. Requests
// that are on their way fail. To end a command's requests with its context:
//
//	defer context.AfterFunc(ctx, client.Cut)()
func (c *Client) Cut() { c.gate.Shut(errCut) }

// Close ends the client and all its connections, and the embedded cluster with it. After the first call it does nothing and returns
// [sarama.ErrClosedClient].
func (c *Client) Close() error {
	err := c.Client.Close()
	c.gate.Shut(net.ErrClosed)
	if c.cluster != nil {
		c.cluster.Close()
	}
	return err
}
