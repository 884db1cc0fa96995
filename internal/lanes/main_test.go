package lanes_test

import (
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/lanes"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/membership/wire"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// start starts a cluster with the topics orders, of 6 partitions, and payments, of 2.
func start(t *testing.T, brokers int, fake ...kfake.Opt) *embedded.Cluster {
	t.Helper()
	return embeddedtest.Start(t, embedded.Options{Brokers: brokers, Fake: fake},
		embedded.Topic{Name: "orders", Partitions: 6}, embedded.Topic{Name: "payments", Partitions: 2})
}

func connect(t *testing.T, addrs []string, conf *sarama.Config) sarama.Client {
	t.Helper()
	client, err := sarama.NewClient(addrs, conf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// open makes lanes for the group billing whose deliveries are kept.
func open(t *testing.T, client sarama.Client) (*lanes.Lanes, <-chan lanes.Delivery) {
	t.Helper()
	arrived := make(chan lanes.Delivery, 100)
	l := lanes.New(lanes.Config{Client: client, Group: "billing", Rebalance: time.Minute, Request: 10 * time.Second}, func(d lanes.Delivery) { arrived <- d })
	t.Cleanup(l.Close)
	return l, arrived
}

// next returns what is delivered next.
func next(t *testing.T, arrived <-chan lanes.Delivery) lanes.Delivery {
	t.Helper()
	select {
	case d := <-arrived:
		return d
	case <-time.After(embeddedtest.Patience):
		t.Fatal("nothing is delivered")
		return lanes.Delivery{}
	}
}

// ask sends a request and returns the reply, which has to be of the type given.
func ask[R wire.Reply](t *testing.T, l *lanes.Lanes, arrived <-chan lanes.Delivery, r membership.Request) R {
	t.Helper()
	l.Send(r)
	d := next(t, arrived)
	replied, ok := d.Input.(membership.Replied)
	if !ok {
		t.Fatalf("%s: %T: %v", wire.Describe(r.Body), d.Input, l.LastError())
	}
	reply, ok := replied.Body.(R)
	if !ok || replied.ID != r.ID || !l.Current(d) {
		t.Fatalf("%s is answered by %+v, current %v", wire.Describe(r.Body), replied, l.Current(d))
	}
	return reply
}

// locate finds the coordinator.
func locate(t *testing.T, l *lanes.Lanes, arrived <-chan lanes.Delivery) int32 {
	t.Helper()
	reply := ask[wire.FindCoordinatorReply](t, l, arrived, membership.Request{ID: 1, Lane: membership.Any, Node: -1, Body: wire.FindCoordinator{Group: "billing"}})
	if reply.Code != wire.None {
		t.Fatalf("finding the coordinator: %v", reply.Code)
	}
	return reply.Node
}

// broke waits for the disconnection of a lane.
func broke(t *testing.T, arrived <-chan lanes.Delivery, lane membership.Lane) {
	t.Helper()
	if d := next(t, arrived); d.Input != (membership.Disconnected{Lane: lane}) {
		t.Fatalf("delivered: %+v", d.Input)
	}
}
