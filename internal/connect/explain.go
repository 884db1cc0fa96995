package connect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/IBM/sarama"
)

// A Resource is what an ACL is about, as Kafka calls it.
type Resource string

// The resources that commands use.
const (
	Topic   Resource = "Topic"
	Group   Resource = "Group"
	Cluster Resource = "Cluster"
)

// An Access is what a request needs an ACL for: Describe on Group billing. A cluster has no name.
type Access struct {
	Operation string
	Resource  Resource
	Name      string
}

func (a Access) String() string {
	if a.Name == "" {
		return fmt.Sprintf("%s on %s", a.Operation, a.Resource)
	}
	return fmt.Sprintf("%s on %s %s", a.Operation, a.Resource, a.Name)
}

// flag is what kafka-acls wants for the resource.
func (a Access) flag() string {
	if a.Resource == Cluster {
		return "--cluster"
	}
	return "--" + strings.ToLower(string(a.Resource)) + " " + a.Name
}

// Explain says more about an error of a request that was made with the client: which ACL is missing, given what the request needs, and
// which broker did not answer or cannot be reached. Errors that it knows nothing about, and nil, are returned as they are; contexts'
// errors stay what they are, and whatever errors.Is and errors.As found in err they find in the result.
func (c *Client) Explain(err error, needs ...Access) error {
	var ours *Error
	var dial *dialError
	var op *net.OpError
	switch {
	case err == nil, errors.As(err, &ours), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, sarama.ErrTopicAuthorizationFailed):
		return c.denied(err, Topic, needs)
	case errors.Is(err, sarama.ErrGroupAuthorizationFailed):
		return c.denied(err, Group, needs)
	case errors.Is(err, sarama.ErrClusterAuthorizationFailed):
		return c.denied(err, Cluster, needs)
	case errors.As(err, &dial):
		return c.unreachable(dial, err)
	case silent(err) && errors.As(err, &op) && op.Addr != nil:
		return broker(op.Addr.String(), ErrSilent, err, "does not answer within %s (--timeout)", c.target.timeout)
	case errors.Is(err, sarama.ErrOutOfBrokers):
		return &Error{Kind: ErrUnreachable, Cause: err, Text: "no broker can be reached any more: " + reason(err)}
	}
	return err
}

// denied names what is missing of a resource.
func (c *Client) denied(err error, resource Resource, needs []Access) error {
	var missing, commands []string
	for _, n := range needs {
		if n.Resource == resource {
			missing = append(missing, n.String())
			commands = append(commands, fmt.Sprintf("--operation %s %s", n.Operation, n.flag()))
		}
	}
	who := c.target.user
	if who == "" {
		who = "the user of this connection"
	}
	if len(missing) == 0 {
		return &Error{Kind: ErrDenied, Cause: err, Text: fmt.Sprintf("%s is not allowed to: an ACL on %s is missing", who, resource)}
	}
	text := fmt.Sprintf("%s is not allowed to: an ACL is missing: %s", who, strings.Join(missing, ", "))
	if c.target.user != "" {
		text += fmt.Sprintf("; an administrator adds it with kafka-acls --add --allow-principal User:%s %s", who, commands[0])
	}
	return &Error{Kind: ErrDenied, Cause: err, Text: text}
}

// unreachable is about a broker that the cluster told of, as the one that was asked first could be reached.
func (c *Client) unreachable(dial *dialError, err error) error {
	kind := ErrUnreachable
	if silent(dial) {
		kind = ErrSilent
	}
	if dial.addr == c.addr {
		return broker(dial.addr, kind, err, "cannot be reached any more: %s", bare(dial.err))
	}
	return broker(dial.addr, kind, err, "cannot be reached: %s; that address comes from the cluster (advertised.listeners), and it has to be reachable from here", bare(dial.err))
}
