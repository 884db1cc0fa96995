//go:build kafka

package live_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/connect"
	"github.com/assignkit/assignkit/internal/describe"
	"github.com/assignkit/assignkit/internal/kafkatest"
	"github.com/assignkit/assignkit/internal/live"
	"github.com/assignkit/assignkit/strategy"
)

// consume has a member of Sarama's in a group until the test ends.
func consume(t *testing.T, addrs []string, group, topic, id string) {
	t.Helper()
	conf := sarama.NewConfig()
	conf.Version, conf.ClientID, conf.RackID = sarama.MaxVersion, id, "rack-1"
	conf.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{sarama.NewBalanceStrategyCooperativeSticky()}
	conf.Consumer.Group.Heartbeat.Interval = 200 * time.Millisecond
	conf.Consumer.MaxWaitTime = 200 * time.Millisecond
	conf.Consumer.Offsets.Initial = sarama.OffsetOldest
	conf.Consumer.Offsets.AutoCommit.Interval = 100 * time.Millisecond
	g, err := sarama.NewConsumerGroup(addrs, group, conf)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_ = g.Consume(ctx, []string{topic}, reader{})
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		g.Close()
	})
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

// java has one of Kafka's own consumers in a group until the test ends.
func java(t *testing.T, c *kafkatest.Cluster, args ...string) {
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() {
		if out, err := c.ConsoleConsumer(ctx, args...); ctx.Err() == nil {
			t.Errorf("%q: %s, %v", args, out, err)
		}
	})
	t.Cleanup(func() {
		cancel()
		work.Wait()
	})
}

func populate(t *testing.T, addrs []string, replicas int16, topics map[string]int32) {
	t.Helper()
	conf := sarama.NewConfig()
	conf.Version = sarama.MaxVersion
	conf.Producer.Return.Successes = true
	conf.Producer.Partitioner = sarama.NewManualPartitioner
	client, err := sarama.NewClient(addrs, conf)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	admin, err := sarama.NewClusterAdminFromClient(client)
	if err != nil {
		t.Fatal(err)
	}
	producer, err := sarama.NewSyncProducerFromClient(client)
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	for topic, partitions := range topics {
		if err := admin.CreateTopic(topic, &sarama.TopicDetail{NumPartitions: partitions, ReplicationFactor: replicas}, false); err != nil {
			t.Fatal(err)
		}
		for p := range partitions {
			for range p + 1 {
				if _, _, err := producer.SendMessage(&sarama.ProducerMessage{Topic: topic, Partition: p, Value: sarama.StringEncoder("x")}); err != nil {
					t.Fatal(err)
				}
			}
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

// What is read of groups of several clients is what Kafka's own tool prints about them.
func TestKafka(t *testing.T) {
	c := kafkatest.Start(t, kafkatest.Config{Brokers: 3})
	populate(t, c.Addrs(), 3, map[string]int32{"orders": 6, "orders.retry": 2})
	java(t, c, "--topic", "orders", "--group", "classic", "--from-beginning", "--consumer-property", "group.protocol=classic", "--consumer-property", "client.rack=rack-2")
	java(t, c, "--topic", "orders", "--group", "next", "--from-beginning", "--consumer-property", "group.protocol=consumer", "--consumer-property", "client.rack=rack-0")
	java(t, c, "--include", "orders.*", "--group", "pattern", "--from-beginning", "--consumer-property", "group.protocol=consumer")
	consume(t, c.Addrs(), "sarama", "orders", "one")
	consume(t, c.Addrs(), "sarama", "orders", "two")

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
		text, err := c.ConsumerGroups(t.Context(), "--describe", "--group", want.name, "--members", "--verbose")
		if err != nil {
			t.Fatal(err)
		}
		offsets, err := c.ConsumerGroups(t.Context(), "--describe", "--group", want.name)
		if err != nil {
			t.Fatal(err)
		}
		same(t, g, text+"\n"+offsets)
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

// same compares with what kafka-consumer-groups prints.
func same(t *testing.T, g *live.Group, text string) {
	t.Helper()
	groups, err := describe.Read("tool", strings.NewReader(text))
	if err != nil || len(groups) != 1 {
		t.Fatalf("%v\n%s", err, text)
	}
	theirs := map[string]describe.Member{}
	for _, m := range groups[0].Members {
		theirs[m.ID] = m
	}
	for i := range g.Members {
		m := &g.Members[i]
		other, ok := theirs[m.ID]
		if !ok || other.ClientID != m.ClientID || other.Host != "/"+m.Host || other.InstanceID != m.InstanceID || fmt.Sprint(other.Owned) != fmt.Sprint(m.Owned) {
			t.Errorf("here %+v\nthere %+v", m, other)
		}
	}
	if len(theirs) != len(g.Members) || len(groups[0].Topics) != len(g.Topics) {
		t.Errorf("%s\n%s", show(g), text)
		return
	}
	for i := range g.Topics {
		for p := range g.Topics[i].Owner {
			if lag := groups[0].Topics[i].Lag[p]; lag != g.Topics[i].Lag(p) {
				t.Errorf("%s:%d lags %d, not %d", g.Topics[i].Name, p, g.Topics[i].Lag(p), lag)
			}
		}
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
	populate(t, c.Addrs(), 1, map[string]int32{"orders": 2, "secrets": 2})
	consume(t, c.Addrs(), "billing", "orders", "one")
	consume(t, c.Addrs(), "hidden", "secrets", "two")
	consume(t, c.Addrs(), "mixed", "secrets", "three")
	java(t, c, "--topic", "secrets", "--group", "next", "--from-beginning", "--consumer-property", "group.protocol=consumer")
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
	conf := sarama.NewConfig()
	conf.Version = sarama.MaxVersion
	admin, err := sarama.NewClusterAdmin(c.Addrs(), conf)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	acl := &sarama.Acl{Principal: "User:bob", Host: "*", Operation: sarama.AclOperationDescribe, PermissionType: sarama.AclPermissionAllow}
	to := sarama.Resource{ResourceType: kind, ResourceName: name, ResourcePatternType: sarama.AclPatternLiteral}
	if err := admin.CreateACLs([]*sarama.ResourceAcls{{Resource: to, Acls: []*sarama.Acl{acl}}}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(500 * time.Millisecond)
}
