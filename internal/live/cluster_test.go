package live_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/IBM/sarama"
	"github.com/spf13/cobra"

	"github.com/assignkit/assignkit/internal/connect"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/live"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

// start starts a cluster with the topics given, and a client of it.
func start(t *testing.T, topics ...embedded.Topic) (*embedded.Cluster, *connect.Client) {
	t.Helper()
	c := embeddedtest.Start(t, embedded.Options{}, topics...)
	return c, dial(t, c)
}

// sample starts the sample cluster, and a client of it.
func sample(t *testing.T) (*embedded.Cluster, *connect.Client) {
	t.Helper()
	c, err := embedded.StartSample(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, dial(t, c)
}

func dial(t *testing.T, c *embedded.Cluster, flags ...string) *connect.Client {
	t.Helper()
	return dialAddrs(t, c.Addrs(), flags...)
}

func dialAddrs(t *testing.T, addrs []string, flags ...string) *connect.Client {
	t.Helper()
	var o connect.Options
	cmd := &cobra.Command{}
	connect.AddFlags(cmd, &o)
	if err := cmd.ParseFlags(append([]string{"--brokers", strings.Join(addrs, ",")}, flags...)); err != nil {
		t.Fatal(err)
	}
	client, err := o.Dial(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func read(t *testing.T, client *connect.Client, name string) *live.Group {
	t.Helper()
	g, err := live.Read(t.Context(), client, name, live.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A rawMember is in a group by requests of its own, with whatever bytes it likes. It sends no heartbeats: the session outlasts the test.
type rawMember struct {
	t          *testing.T
	broker     *sarama.Broker
	group      string
	id         string
	generation int32
}

func newRaw(t *testing.T, c *embedded.Cluster, group string) *rawMember {
	t.Helper()
	b := sarama.NewBroker(c.Addrs()[0])
	if err := b.Open(c.Config("raw")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return &rawMember{t: t, broker: b, group: group}
}

// join sends what the member says under the name of an assignor.
func (m *rawMember) join(protocolType, protocol string, metadata []byte) error {
	resp, err := m.broker.JoinGroup(&sarama.JoinGroupRequest{
		Version: 2, GroupId: m.group, MemberId: m.id, ProtocolType: protocolType, SessionTimeout: 30_000, RebalanceTimeout: 30_000,
		OrderedGroupProtocols: []*sarama.GroupProtocol{{Name: protocol, Metadata: metadata}},
	})
	if err != nil {
		return err
	}
	if resp.Err != sarama.ErrNoError {
		return resp.Err
	}
	m.id, m.generation = resp.MemberId, resp.GenerationId
	return nil
}

// sync sends assignments if there are any, as the leader does, and waits for its own.
func (m *rawMember) sync(assignments map[string][]byte) error {
	req := &sarama.SyncGroupRequest{Version: 2, GroupId: m.group, GenerationId: m.generation, MemberId: m.id}
	for id, bytes := range assignments {
		req.GroupAssignments = append(req.GroupAssignments, sarama.SyncGroupRequestAssignment{MemberId: id, Assignment: bytes})
	}
	resp, err := m.broker.SyncGroup(req)
	if err != nil {
		return err
	}
	if resp.Err != sarama.ErrNoError {
		return resp.Err
	}
	return nil
}

// together has two raw members in one stable group. They say and are given what is said here.
func together(t *testing.T, c *embedded.Cluster, group, protocol string, says, given [2][]byte) (ids [2]string) {
	t.Helper()
	a, b := newRaw(t, c, group), newRaw(t, c, group)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(a.join("consumer", protocol, says[0]))
	check(a.sync(map[string][]byte{a.id: nil}))
	joined := make(chan error, 1)
	go func() { joined <- b.join("consumer", protocol, says[1]) }()
	waitFor(t, c, group, "PreparingRebalance")
	check(a.join("consumer", protocol, says[0]))
	check(<-joined)
	synced := make(chan error, 1)
	go func() { synced <- b.sync(nil) }()
	check(a.sync(map[string][]byte{a.id: given[0], b.id: given[1]}))
	check(<-synced)
	return [2]string{a.id, b.id}
}

func waitFor(t *testing.T, c *embedded.Cluster, group, state string) {
	t.Helper()
	embeddedtest.Eventually(t, fmt.Sprintf("group %s becomes %s", group, state), func() bool {
		i := c.Fake().GroupInfo(group)
		return i != nil && i.State == state
	})
}

// show prints a group, with the random ends of its members' ids cut off.
func show(g *live.Group) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s %s\n", g.Name, g.Type, g.Protocol, g.State)
	for i := range g.Members {
		m := &g.Members[i]
		fmt.Fprintf(&b, "  %s %s: reads %s, has", m.ClientID, m.InstanceID, strings.Join(m.Topics, " "))
		for _, tp := range m.Owned {
			fmt.Fprintf(&b, " %s%v", tp.Topic, tp.Partitions)
		}
		if m.SetAside {
			b.WriteString(", set aside")
		}
		if m.Problem != "" {
			fmt.Fprintf(&b, ", %s", m.Problem)
		}
		b.WriteByte('\n')
	}
	for i := range g.Topics {
		t := &g.Topics[i]
		fmt.Fprintf(&b, "  %s", t.Name)
		if !t.Subscribed {
			b.WriteString(" (nobody reads it)")
		}
		if t.Gone {
			b.WriteString(" (gone)")
		}
		if t.Denied {
			b.WriteString(" (denied)")
		}
		for p := range t.Owner {
			fmt.Fprintf(&b, " %d:%d/%d@%d", p, t.Committed[p], t.End[p], t.Owner[p])
		}
		b.WriteByte('\n')
	}
	for _, r := range g.Remarks {
		fmt.Fprintf(&b, "  remark: %s\n", r)
	}
	for _, tp := range g.Unconsumed() {
		fmt.Fprintf(&b, "  nobody: %s%v\n", tp.Topic, tp.Partitions)
	}
	return b.String()
}

// commit commits an offset for a group that nobody is in.
func commit(t *testing.T, c *embedded.Cluster, group, topic string, partition int32, offset int64) {
	t.Helper()
	m := newRaw(t, c, group)
	req := &sarama.OffsetCommitRequest{Version: 2, ConsumerGroup: group, ConsumerGroupGeneration: -1, RetentionTime: -1}
	req.AddBlock(topic, partition, offset, 0, "")
	if _, err := m.broker.CommitOffset(req); err != nil {
		t.Fatal(err)
	}
}

func subscription(t *testing.T, s protocol.Subscription) []byte {
	t.Helper()
	b, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func given(t *testing.T, list ...strategy.TopicPartitions) []byte {
	t.Helper()
	b, err := (&protocol.Assignment{Version: 1, Partitions: list}).AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
