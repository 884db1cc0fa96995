package lanes_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/lanes"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

func at(topic string, partition int32, offset int64) wire.Offset {
	return wire.Offset{TopicPartition: strategy.TopicPartition{Topic: topic, Partition: partition}, Offset: offset, LeaderEpoch: 7, Metadata: "by a test"}
}

// A group of machines joins, shares, commits and leaves, over the versions of brokers and of configurations that are to be spoken.
func TestMembers(t *testing.T) {
	for _, test := range []struct {
		name    string
		version sarama.KafkaVersion
		fake    []kfake.Opt
	}{
		{"newest", sarama.MaxVersion, nil},
		{"configured 2.4", sarama.V2_4_0_0, nil},
		{"configured 3.2", sarama.V3_2_0_0, nil},
		{"brokers 2.4", sarama.MaxVersion, []kfake.Opt{kfake.MaxVersions(kversion.V2_4_0())}},
		{"brokers 2.5", sarama.MaxVersion, []kfake.Opt{kfake.MaxVersions(kversion.V2_5_0())}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := start(t, 1, test.fake...)
			conf := c.Config("test")
			conf.Version = test.version
			members(t, connect(t, c.Addrs(), conf))
		})
	}
}

func members(t *testing.T, client sarama.Client) {
	a := join(t, client, nil)
	embeddedtest.Eventually(t, "a has all", func() bool { return a.settled(6) })
	b := join(t, client, nil)
	embeddedtest.Eventually(t, "a and b share", func() bool { return a.settled(3) && b.settled(3) })
	_, mine, lost := a.identity()
	_, others, _ := b.identity()
	if all := slices.Concat(mine, others); lost != 0 || len(slices.CompactFunc(sorted(all), func(x, y strategy.TopicPartition) bool { return x == y })) != 6 {
		t.Errorf("a has %v, b %v; a lost %d times", mine, others, lost)
	}
	p := mine[0]
	if codes := a.store(at(p.Topic, p.Partition, 42)); codes[0] != wire.None {
		t.Errorf("committing: %v", codes)
	}
	found, err := b.lanes.Committed(t.Context(), []strategy.TopicPartition{others[0], p})
	if err != nil || len(found) != 1 || found[p] != (lanes.Offset{Offset: 42, LeaderEpoch: 7, Metadata: "by a test"}) {
		t.Errorf("committed: %v, %v", found, err)
	}
	b.leave()
	embeddedtest.Eventually(t, "a has all again", func() bool { return a.settled(6) })
	a.leave()
}

func sorted(list []strategy.TopicPartition) []strategy.TopicPartition {
	slices.SortFunc(list, strategy.TopicPartition.Compare)
	return list
}

// A static member that is back has another member id and the same partitions.
func TestStaticMember(t *testing.T) {
	c := start(t, 1)
	static(t, connect(t, c.Addrs(), c.Config("test")), false) // the fake rebalances, as the member says that it owns nothing
}

func static(t *testing.T, client sarama.Client, quietly bool) {
	a := join(t, client, nil)
	embeddedtest.Eventually(t, "a has all", func() bool { return a.settled(6) }) // so that it leads
	named := func(cfg *membership.Config) { cfg.InstanceID = "billing-1" }
	s := join(t, client, named)
	embeddedtest.Eventually(t, "both have three", func() bool { return a.settled(3) && s.settled(3) })
	before, had, _ := s.identity()
	generation := s.generation()
	s.stop()
	s.lanes.Close()
	again := join(t, client, named)
	embeddedtest.Eventually(t, "it is back", func() bool { return again.settled(3) })
	id, has, _ := again.identity()
	if id == before || !slices.Equal(has, had) || quietly && again.generation() != generation {
		t.Errorf("%s had %v in generation %d; %s has %v in %d", before, had, generation, id, has, again.generation())
	}
	again.leave()
	a.leave()
}

// What befalls requests that are on their way costs the members nothing.
func TestFaults(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault func(*kfake.Cluster)
	}{
		{"not coordinator", func(c *kfake.Cluster) {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Err: kerr.NotCoordinator, Count: 3})
		}},
		{"loading", func(c *kfake.Cluster) {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat, kmsg.OffsetCommit}, Err: kerr.CoordinatorLoadInProgress, Count: 3})
		}},
		{"coordinator moved", func(c *kfake.Cluster) { c.RehashCoordinators() }},
		{"connections closed", func(c *kfake.Cluster) {
			for _, key := range []kmsg.Key{kmsg.Heartbeat, kmsg.OffsetCommit, kmsg.FindCoordinator} {
				c.ControlKey(int16(key), func(kmsg.Request) (kmsg.Response, error, bool) { return nil, context.Canceled, true })
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := start(t, 3)
			client := connect(t, c.Addrs(), c.Config("test"))
			a, b := join(t, client, nil), join(t, client, nil)
			embeddedtest.Eventually(t, "both have three", func() bool { return a.settled(3) && b.settled(3) })
			_, mine, _ := a.identity()
			test.fault(c.Fake())
			for i := range int64(5) {
				if codes := a.store(at(mine[0].Topic, mine[0].Partition, 10+i)); codes[0] != wire.None {
					t.Fatalf("commit %d: %v", i, codes)
				}
				time.Sleep(20 * time.Millisecond) // so that heartbeats meet the fault as well
			}
			embeddedtest.Eventually(t, "both are at rest", func() bool { return a.settled(3) && b.settled(3) })
			_, now, lost := a.identity()
			if lost != 0 || !slices.Equal(now, mine) {
				t.Errorf("had %v, has %v, lost %d times", mine, now, lost)
			}
			found, err := a.lanes.Committed(t.Context(), mine[:1])
			if err != nil || found[mine[0]].Offset != 14 {
				t.Errorf("committed: %v, %v", found, err)
			}
		})
	}
}
