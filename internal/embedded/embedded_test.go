package embedded_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
)

func TestMain(m *testing.M) { embeddedtest.Main(m) }

func sample(t *testing.T) (*embedded.Cluster, sarama.Client) {
	t.Helper()
	c, err := embedded.StartSample(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	client, err := sarama.NewClient(c.Addrs(), c.Config("test"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return c, client
}

// What the sample shows is the same each time: every partition has an owner, and lags are as they are said to be.
func TestSample(t *testing.T) {
	_, client := sample(t)
	admin, err := sarama.NewClusterAdminFromClient(client)
	if err != nil {
		t.Fatal(err)
	}
	described, err := admin.DescribeConsumerGroups([]string{"billing", "shipping", "audit"})
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, g := range described {
		loads := map[string]int{}
		for _, m := range g.Members {
			a, err := m.GetMemberAssignment()
			if err != nil {
				t.Fatal(err)
			}
			for _, partitions := range a.Topics {
				loads[*m.GroupInstanceId] += len(partitions)
			}
			if !strings.HasPrefix(m.ClientId, g.GroupId+"-") {
				t.Errorf("member %s is client %s", m.MemberId, m.ClientId)
			}
		}
		fmt.Fprintf(&got, "%s %s %s", g.GroupId, g.State, g.Protocol)
		for _, name := range slices.Sorted(maps.Keys(loads)) {
			fmt.Fprintf(&got, " %s=%d", name, loads[name])
		}
		offsets, err := admin.ListConsumerGroupOffsets(g.GroupId, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, topic := range slices.Sorted(maps.Keys(offsets.Blocks)) {
			var lag int64
			for p, block := range offsets.Blocks[topic] {
				end, err := client.GetOffset(topic, p, sarama.OffsetNewest)
				if err != nil {
					t.Fatal(err)
				}
				lag += end - block.Offset
			}
			fmt.Fprintf(&got, " %s:lag=%d", topic, lag)
		}
		got.WriteByte('\n')
	}
	want := `billing Stable sticky billing-1=6 billing-2=6 billing-3=6 orders:lag=40 payments:lag=20
shipping Stable cooperative-sticky shipping-1=6 shipping-2=6 orders:lag=6
audit Stable range audit-1=7 audit-2=7 audit-3=6 clicks:lag=24 orders:lag=36
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

func TestProduceAndConsume(t *testing.T) {
	c, err := embedded.Start(t.Context(), embedded.Options{Brokers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Create(t.Context(), embedded.Topic{Name: "t", Partitions: 3, Records: []int{2, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := c.Create(t.Context(), embedded.Topic{Name: "t", Partitions: 3}); err == nil || !strings.Contains(err.Error(), "creating topic t") {
		t.Errorf("a topic twice: %v", err)
	}
	if err := c.Produce(t.Context(), "t", 0, 2); err != nil {
		t.Fatal(err)
	}
	if err := c.Produce(t.Context(), "nosuch", 0, 1); err == nil || !strings.Contains(err.Error(), "nosuch:0") {
		t.Errorf("an unknown topic: %v", err)
	}
	consumer, err := sarama.NewConsumer(c.Addrs(), c.Config("test"))
	if err != nil {
		t.Fatal(err)
	}
	defer consumer.Close()
	p, err := consumer.ConsumePartition("t", 0, sarama.OffsetOldest)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for i := range 4 {
		select {
		case m := <-p.Messages():
			if want := fmt.Sprintf("t-0-%d", i); string(m.Key) != want || string(m.Value) != "record "+want || m.Timestamp.UTC().Year() != 2025 {
				t.Errorf("record %d: %q %q %v", i, m.Key, m.Value, m.Timestamp)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("no record")
		}
	}
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if c, err := embedded.StartSample(ctx); err == nil {
		c.Close()
		t.Error("started although the context had ended")
	}
	c, err := embedded.Start(t.Context(), embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	c.Close()
}

func BenchmarkStartSample(b *testing.B) {
	for b.Loop() {
		c, err := embedded.StartSample(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}
