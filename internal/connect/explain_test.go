package connect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// What a cluster refuses is said as the ACL that is missing.
func TestExplainDenied(t *testing.T) {
	addr := fake(t, kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "admin", "pw"), kfake.User("PLAIN", "alice", "pw",
		kfake.ACL{Resource: kmsg.ACLResourceTypeTopic, Name: "orders", Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: kmsg.ACLOperationWrite, Allow: true}))
	c, _, err := dial(t, t.Context(), "--brokers", addr, "--sasl", "PLAIN", "--sasl-user", "alice", "--sasl-password-file", write(t, "password", "pw"))
	if err != nil {
		t.Fatal(err)
	}
	coordinator, err := c.Coordinator("billing")
	if coordinator != nil || !errors.Is(err, sarama.ErrGroupAuthorizationFailed) {
		t.Fatalf("the fake lets alice in: %v", err)
	}
	err = c.Explain(err, Access{"Describe", Group, "billing"}, Access{"Describe", Topic, "orders"})
	want := "alice is not allowed to: an ACL is missing: Describe on Group billing; an administrator adds it with kafka-acls --add --allow-principal User:alice --operation Describe --group billing"
	if !errors.Is(err, ErrDenied) || !errors.Is(err, sarama.ErrGroupAuthorizationFailed) || err.Error() != want {
		t.Errorf("%v", err)
	}
}

func TestExplain(t *testing.T) {
	c := &Client{target: &target{settings: settings{user: "alice", timeout: defaultTimeout}}, addr: "a:1"}
	other := errors.New("something else")
	tests := []struct {
		err   error
		kind  error
		says  string
		needs []Access
	}{
		{sarama.ErrTopicAuthorizationFailed, ErrDenied, "Read on Topic t, Describe on Topic u;", []Access{{"Read", Topic, "t"}, {"Describe", Topic, "u"}}},
		{fmt.Errorf("listing: %w", sarama.ErrClusterAuthorizationFailed), ErrDenied, "Describe on Cluster; an administrator adds it with kafka-acls --add --allow-principal User:alice --operation Describe --cluster", []Access{{"Describe", Cluster, ""}}},
		{sarama.ErrTopicAuthorizationFailed, ErrDenied, "alice is not allowed to: an ACL on Topic is missing", nil},
		{&dialError{"b:1", io.ErrUnexpectedEOF}, ErrUnreachable, "the broker at b:1 cannot be reached: unexpected EOF; that address comes from the cluster (advertised.listeners)", nil},
		{&dialError{"a:1", io.ErrUnexpectedEOF}, ErrUnreachable, "the broker at a:1 cannot be reached any more", nil},
		{sarama.Wrap(sarama.ErrOutOfBrokers, io.EOF), ErrUnreachable, "no broker can be reached any more: the connection was closed", nil},
		{other, other, "something else", nil},
		{context.Canceled, context.Canceled, "context canceled", nil},
	}
	for _, test := range tests {
		err := c.Explain(test.err, test.needs...)
		if !errors.Is(err, test.kind) || !errors.Is(err, test.err) && !errors.As(err, new(*dialError)) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v: %v, wanted %s", test.err, err, test.says)
		}
	}
	if c.Explain(nil) != nil {
		t.Error("nil is explained")
	}
}

// A broker that stops answering after the dial is named as well, and Cut ends the wait.
func TestExplainSilent(t *testing.T) {
	stop := make(chan struct{})
	addr := controlled(t, int16(kmsg.ListGroups), func(kmsg.Request) (kmsg.Response, error, bool) { <-stop; return nil, io.EOF, true })
	defer close(stop)
	ask := func(c *Client) error {
		_, err := c.Brokers()[0].ListGroups(&sarama.ListGroupsRequest{})
		return c.Explain(err)
	}
	open := func(timeout string) *Client {
		c, _, err := dial(t, t.Context(), "--brokers", addr, "--timeout", timeout)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Brokers()[0].Open(c.Config()); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Brokers()[0].Connected(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	short, long := open("300ms"), open("1m")
	if err := ask(short); !errors.Is(err, ErrSilent) || !strings.Contains(err.Error(), addr+" does not answer within 300ms") {
		t.Error(err)
	}
	go long.Cut()
	if err := ask(long); err == nil {
		t.Error("was answered")
	}
}
