//go:build kafka

package consumer_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	"github.com/assignkit/assignkit/internal/kafkatest"
)

// A realCluster is one of real brokers, with what tests do to it from outside the group.
type realCluster struct {
	*kafkatest.Cluster
	*kafkatest.Client
}

// startKafka starts one. Many subtests share it, so they name topics and groups after themselves.
func startKafka(t *testing.T, config kafkatest.Config) *realCluster {
	t.Helper()
	c := kafkatest.Start(t, config)
	return &realCluster{c, c.Client()}
}

// place makes a topic with partitions on the brokers named, the first of each leading.
func (c *realCluster) place(t *testing.T, topic string, replicas ...[]int32) {
	t.Helper()
	detail := &sarama.TopicDetail{NumPartitions: -1, ReplicationFactor: -1, ReplicaAssignment: map[int32][]int32{}}
	for p, list := range replicas {
		detail.ReplicaAssignment[int32(p)] = list
	}
	if err := c.Admin.CreateTopic(topic, detail, false); err != nil {
		t.Fatal(err)
	}
	c.Await(t, topic, int32(len(replicas)))
}

// coordinator returns the broker that a group's commits go to.
func (c *realCluster) coordinator(t *testing.T, group string) (id int32) {
	t.Helper()
	eventually(t, "the coordinator of "+group, func() (string, bool) {
		if err := c.RefreshCoordinator(group); err != nil {
			return err.Error(), false
		}
		b, err := c.Coordinator(group)
		if err != nil {
			return err.Error(), false
		}
		id = int32(slices.Index(c.Addrs(), b.Addr()))
		return b.Addr(), id >= 0
	})
	return id
}

// groupAt returns a group's name whose coordinator is a certain broker.
func (c *realCluster) groupAt(t *testing.T, prefix string, broker int32) string {
	t.Helper()
	for i := 0; ; i++ {
		if group := fmt.Sprintf("%s-%d", prefix, i); c.coordinator(t, group) == broker {
			return group
		}
	}
}

// produce appends n records to a partition. Their values are numbers from 0.
func (c *realCluster) produce(t *testing.T, topic string, partition int32, n int) {
	t.Helper()
	var values []string
	for i := range n {
		values = append(values, strconv.Itoa(i))
	}
	c.Produce(t, topic, partition, values...)
}

// fill appends n records to each partition.
func (c *realCluster) fill(t *testing.T, topic string, partitions int32, n int) {
	t.Helper()
	for p := range partitions {
		c.produce(t, topic, p, n)
	}
}

// ends returns the offset behind the last record of each partition.
func (c *realCluster) ends(t *testing.T, topic string, partitions int32) map[int32]int64 {
	t.Helper()
	ends := map[int32]int64{}
	for p := range partitions {
		end, err := c.GetOffset(topic, p, sarama.OffsetNewest)
		if err != nil {
			t.Fatal(err)
		}
		ends[p] = end
	}
	return ends
}

// committed returns what a group has committed, -1 where it has not.
func (c *realCluster) committed(group, topic string, partitions int32) (map[int32]int64, error) {
	var list []int32
	for p := range partitions {
		list = append(list, p)
	}
	resp, err := c.Admin.ListConsumerGroupOffsets(group, map[string][]int32{topic: list})
	if err != nil {
		_ = c.RefreshCoordinator(group) // for the next time
		return nil, err
	}
	offsets := map[int32]int64{}
	for p, block := range resp.Blocks[topic] {
		if block.Err != sarama.ErrNoError {
			_ = c.RefreshCoordinator(group)
			return nil, block.Err
		}
		offsets[p] = block.Offset
	}
	return offsets, nil
}

// waitCommitted waits until a group has committed all there is.
func (c *realCluster) waitCommitted(t *testing.T, group, topic string, partitions int32) {
	t.Helper()
	eventually(t, "commits of all of "+topic, func() (string, bool) {
		want := c.ends(t, topic, partitions) // where a transaction's marker may still come
		got, err := c.committed(group, topic, partitions)
		return fmt.Sprintf("%v of %v, %v", got, want, err), maps.Equal(got, want)
	})
}

// members returns how many members a stable group has, 0 otherwise, and who has each partition, by the member's client id.
func (c *realCluster) members(group string) (n int, owners map[string][]string, err error) {
	groups, err := c.Admin.DescribeConsumerGroups([]string{group})
	if err != nil {
		_ = c.RefreshCoordinator(group) // for the next time
		return 0, nil, err
	}
	g := groups[0]
	if g.State != "Stable" {
		_ = c.RefreshCoordinator(group) // who is not the coordinator knows no members
		return 0, nil, fmt.Errorf("the group is %s", g.State)
	}
	owners = map[string][]string{}
	for _, m := range g.Members {
		a, err := m.GetMemberAssignment()
		if err != nil {
			return 0, nil, err
		}
		if a == nil {
			continue
		}
		for topic, partitions := range a.Topics {
			for _, p := range partitions {
				at := fmt.Sprintf("%s-%d", topic, p)
				owners[at] = append(owners[at], m.ClientId)
			}
		}
	}
	return len(g.Members), owners, nil
}

// waitShared waits until a group is stable with n members that have so many partitions together, each one owner.
func (c *realCluster) waitShared(t *testing.T, group string, n, partitions int) (owners map[string][]string) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d members of %s with %d partitions", n, group, partitions), func() (string, bool) {
		members, found, err := c.members(group)
		owners = found
		whole := err == nil && members == n && len(found) == partitions
		for _, who := range found {
			whole = whole && len(who) == 1
		}
		return fmt.Sprint(members, " members, ", found, err), whole
	})
	return owners
}

// eventually waits until f is true. f says what it has seen.
func eventually(t *testing.T, what string, f func() (string, bool)) {
	t.Helper()
	deadline := time.Now().Add(2 * embeddedtest.Patience)
	for {
		seen, ok := f()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("waiting for %s in vain; last: %s", what, seen)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// named is config with a client id, by which members are known and sorted.
func named(c *realCluster, id, group string, topics ...string) consumer.Config {
	cfg := config(c.Addrs(), group, topics...)
	cfg.Sarama = sarama.NewConfig()
	cfg.Sarama.ClientID = id
	return cfg
}

// has returns what the member owns, sorted.
func (m *member) has() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []string
	for _, p := range slices.Sorted(maps.Keys(m.owned)) {
		if m.owned[p] > 0 {
			list = append(list, p)
		}
	}
	return list
}

// rounds returns the rebalances that have ended.
func (m *member) rounds() []consumer.RebalanceEnded {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []consumer.RebalanceEnded
	for _, e := range m.events {
		if r, ok := e.(consumer.RebalanceEnded); ok {
			list = append(list, r)
		}
	}
	return list
}

// A tally notes who has read which records, as topic-partition@offset.
type tally struct {
	mu   sync.Mutex
	read map[string][]string // record -> members
}

func newTally() *tally { return &tally{read: map[string][]string{}} }

func (y *tally) add(who string, records ...string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	for _, r := range records {
		y.read[r] = append(y.read[r], who)
	}
}

// once checks that all records of a topic were read, and by one member each. Who repeats may have read some that were read again, though.
func (y *tally) once(t *testing.T, topic string, ends map[int32]int64, repeats ...string) {
	t.Helper()
	y.mu.Lock()
	defer y.mu.Unlock()
	var wrong []string
	for p, end := range ends {
		for offset := range end {
			r := recordName(topic, p, offset)
			if who := y.read[r]; len(who) != 1 && !slices.ContainsFunc(who, func(m string) bool { return slices.Contains(repeats, m) }) {
				wrong = append(wrong, fmt.Sprintf("%s by %q", r, who))
			}
		}
	}
	if slices.Sort(wrong); len(wrong) > 0 {
		t.Errorf("%d records not once: %s", len(wrong), strings.Join(wrong[:min(20, len(wrong))], "; "))
	}
}

func recordName(topic string, partition int32, offset int64) string {
	return fmt.Sprintf("%s-%d@%d", topic, partition, offset)
}
