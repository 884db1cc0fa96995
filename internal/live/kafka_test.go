//go:build kafka

package live_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/connect"
	"github.com/assignkit/assignkit/internal/kafkatest"
	"github.com/assignkit/assignkit/internal/live"
	"github.com/assignkit/assignkit/strategy"
)

// consume has a member of Sarama's in a group until the test ends.
func consume(t *testing.T, c *kafkatest.Cluster, group, topic, id string) {
	t.Helper()
	conf := sarama.NewConfig()
	conf.ClientID, conf.RackID = id, "rack-1"
	conf.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{sarama.NewBalanceStrategyCooperativeSticky()}
	conf.Consumer.MaxWaitTime = 200 * time.Millisecond
	conf.Consumer.Offsets.Initial = sarama.OffsetOldest
	conf.Consumer.Offsets.AutoCommit.Interval = 100 * time.Millisecond
	c.Sarama(t, conf, group, []string{topic}, reader{})
}

type reader struct{}

func (reader) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (reader) Cleanup(sarama.ConsumerGroupSession) error { return nil }
func (reader) ConsumeClaim(s sarama.ConsumerGroupSession, c sarama.ConsumerGroupClaim) error {
	for m := range c.Messages() {
		s.MarkMessage(m, "")
	}
	return nil
}

// populate creates topics, in whose partitions are one record more each.
func populate(t *testing.T, c *kafkatest.Cluster, topics map[string]int32) {
	t.Helper()
	outside := c.Client()
	for topic, partitions := range topics {
		outside.Create(t, topic, partitions)
		for p := range partitions {
			outside.Produce(t, topic, p, slices.Repeat([]string{"x"}, int(p)+1)...)
		}
	}
}

// settled reads a group until it has so many members that have something.
func settled(t *testing.T, client *connect.Client, name string, members int, ok func(*live.Group) bool) *live.Group {
	t.Helper()
	until := time.Now().Add(time.Minute)
	for {
		g, err := live.Read(t.Context(), client, name, live.Options{})
		if err == nil && len(g.Members) == members && !slices.ContainsFunc(g.Members, func(m live.Member) bool { return m.Count() == 0 }) && (ok == nil || ok(g)) {
			return g
		}
		if err != nil && !errors.Is(err, live.ErrNoGroup) && !errors.Is(err, live.ErrRebalancing) && !errors.Is(err, connect.ErrUnreachable) {
			t.Fatal(err)
		}
		if time.Now().After(until) {
			if err != nil {
				t.Fatal(err)
			}
			t.Fatalf("group %s does not settle: %s", name, show(g))
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func consumed(g *live.Group) bool {
	_, lag := g.Lags()
	return lag == 0 && !slices.ContainsFunc(g.Topics, func(t live.Topic) bool { return slices.Contains(t.Committed, live.Unknown) })
}

// Groups of several clients are read as they are, from the coordinator that there is.
func TestKafka(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Config{Brokers: 3})
	populate(t, c, map[string]int32{"orders": 6, "orders.retry": 2})
	c.Console(t, nil, "--topic", "orders", "--group", "classic", "--from-beginning", "--consumer-property", "group.protocol=classic", "--consumer-property", "client.rack=rack-2")
	c.Console(t, nil, "--topic", "orders", "--group", "next", "--from-beginning", "--consumer-property", "group.protocol=consumer", "--consumer-property", "client.rack=rack-0")
	c.Console(t, nil, "--include", "orders.*", "--group", "pattern", "--from-beginning", "--consumer-property", "group.protocol=consumer")
	consume(t, c, "sarama", "orders", "one")
	consume(t, c, "sarama", "orders", "two")

	client := dialAddrs(t, c.Addrs())
	for _, want := range []struct {
		name, kind, protocol string
		members, partitions  int
	}{
		{"classic", live.Classic, "range", 1, 6},
		{"sarama", live.Classic, "cooperative-sticky", 2, 6},
		{"next", live.Consumer, "uniform", 1, 6},
		{"pattern", live.Consumer, "uniform", 1, 8},
	} {
		g := settled(t, client, want.name, want.members, consumed)
		if g.Type != want.kind || g.Protocol != want.protocol || g.State != "Stable" || g.Partitions() != want.partitions || len(g.Unconsumed()) != 0 || len(g.Remarks) != 0 {
			t.Errorf("%+v", g)
		}
		if (g.Epoch >= 0) != (want.kind == live.Consumer) {
			t.Errorf("%s: epoch %d", want.name, g.Epoch)
		}
		if len(g.Topics[0].Racks) != 6 || len(g.Topics[0].Racks[0]) != 3 {
			t.Errorf("racks %q", g.Topics[0].Racks)
		}
		s := g.Strategy()
		if _, err := strategy.Tabulate(&s); err != nil {
			t.Error(err)
		}
	}
	if g := settled(t, client, "pattern", 1, nil); g.Members[0].Pattern != "orders.*" && strings.Join(g.Members[0].Topics, " ") != "orders orders.retry" {
		t.Errorf("%+v", g.Members[0])
	}
	if g := settled(t, client, "classic", 1, nil); g.Members[0].Rack != "rack-2" {
		t.Errorf("%+v", g.Members[0])
	}

	groups, err := live.List(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range groups {
		got = append(got, fmt.Sprintf("%s %s %s %d", g.Name, g.Type, g.ProtocolType, g.Members))
	}
	if want := []string{"classic classic consumer 1", "next consumer consumer 1", "pattern consumer consumer 1", "sarama classic consumer 2"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if _, err := live.Read(t.Context(), client, "nosuch", live.Options{}); !errors.Is(err, live.ErrNoGroup) {
		t.Error(err)
	}

	// The coordinator dies: the next one is found, by the same client.
	before := settled(t, client, "sarama", 2, nil)
	c.Kill(int(before.Coordinator.ID))
	after := settled(t, client, "sarama", 2, func(g *live.Group) bool { return g.Coordinator != before.Coordinator })
	if after.Partitions() != 6 {
		t.Errorf("%s", show(after))
	}
	if groups, err := live.List(t.Context(), client); err != nil || len(groups) != 4 {
		t.Errorf("%+v, %v", groups, err)
	}
}

// A user sees what ACLs allow, and is told which are missing.
func TestKafkaACLs(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Config{
		Users: map[string]string{"bob": "secret"},
		Properties: map[string]string{
			"authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
			"super.users":           "User:ANONYMOUS",
		},
	})
	populate(t, c, map[string]int32{"orders": 2, "secrets": 2})
	consume(t, c, "billing", "orders", "one")
	consume(t, c, "hidden", "secrets", "two")
	consume(t, c, "mixed", "secrets", "three")
	c.Console(t, nil, "--topic", "secrets", "--group", "next", "--from-beginning", "--consumer-property", "group.protocol=consumer")
	admin := dialAddrs(t, c.Addrs())
	for _, name := range []string{"billing", "hidden", "mixed", "next"} {
		settled(t, admin, name, 1, consumed)
	}
	t.Setenv("ASSIGNKIT_SASL_PASSWORD", "secret")
	bob := dialAddrs(t, c.SecureAddrs(), "--tls-ca", c.Authority.File, "--sasl", "SCRAM-SHA-512", "--sasl-user", "bob")

	_, err := live.Read(t.Context(), bob, "billing", live.Options{})
	if !errors.Is(err, connect.ErrDenied) || !strings.Contains(err.Error(), "Describe on Group billing") {
		t.Errorf("without any ACL: %v", err)
	}
	allow(t, c, sarama.AclResourceGroup, "billing")
	allow(t, c, sarama.AclResourceGroup, "mixed")
	allow(t, c, sarama.AclResourceGroup, "next")
	allow(t, c, sarama.AclResourceTopic, "orders")
	g := settled(t, bob, "billing", 1, consumed)
	if len(g.Remarks) != 0 || g.Partitions() != 2 {
		t.Errorf("%s", show(g))
	}
	g = settled(t, bob, "mixed", 1, nil)
	if len(g.Remarks) != 1 || !strings.Contains(g.Remarks[0], "Describe on Topic secrets") || !g.Topics[0].Denied {
		t.Errorf("%s", show(g))
	}
	_, err = live.Read(t.Context(), bob, "next", live.Options{})
	if !errors.Is(err, connect.ErrDenied) || !strings.Contains(err.Error(), "Describe on Topic") {
		t.Errorf("a group of the consumer protocol with a hidden topic: %v", err)
	}
	groups, err := live.List(t.Context(), bob)
	if err != nil || slices.ContainsFunc(groups, func(s live.Summary) bool { return s.Name == "hidden" }) {
		t.Errorf("%+v, %v", groups, err)
	}
}

// allow lets bob describe something, and waits until brokers know it.
func allow(t *testing.T, c *kafkatest.Cluster, kind sarama.AclResourceType, name string) {
	t.Helper()
	acl := &sarama.Acl{Principal: "User:bob", Host: "*", Operation: sarama.AclOperationDescribe, PermissionType: sarama.AclPermissionAllow}
	to := sarama.Resource{ResourceType: kind, ResourceName: name, ResourcePatternType: sarama.AclPatternLiteral}
	if err := c.Client().Admin.CreateACLs([]*sarama.ResourceAcls{{Resource: to, Acls: []*sarama.Acl{acl}}}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
}
