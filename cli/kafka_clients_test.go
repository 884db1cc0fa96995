//go:build kafka

package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// java has console consumers in a group until the test ends. They commit nothing.
func (s *suite) java(t *testing.T, group, pattern string, members int, properties ...string) {
	t.Helper()
	for i := range members {
		args := []string{"--group", group, "--include", pattern}
		for _, p := range append([]string{"enable.auto.commit=false", fmt.Sprintf("client.id=%s-%d", group, i)}, properties...) {
			args = append(args, "--command-property", p)
		}
		s.Console(t, nil, args...)
	}
}

// franz has one of franz-go's consumers in a group until the test ends, or it is closed. It commits nothing by itself.
func (s *suite) franz(t *testing.T, group, id string, options ...kgo.Opt) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(s.Addrs()...), kgo.ConsumerGroup(group), kgo.ClientID(id), kgo.DisableAutoCommit(),
		kgo.HeartbeatInterval(200 * time.Millisecond),
	}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl
}

// commitOwned commits what such a member has, as members do.
func commitOwned(t *testing.T, cl *kgo.Client, m *describedMember) {
	t.Helper()
	offsets := map[string]map[int32]kgo.EpochOffset{}
	for topic, partitions := range m.Assignment {
		offsets[topic] = map[int32]kgo.EpochOffset{}
		for _, p := range partitions {
			if offset, ok := toCommit(topic, p); ok {
				offsets[topic][p] = kgo.EpochOffset{Epoch: -1, Offset: offset}
			}
		}
	}
	cl.CommitOffsetsSync(t.Context(), offsets, func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
		if err != nil {
			t.Error(err)
			return
		}
		for _, topic := range resp.Topics {
			for _, p := range topic.Partitions {
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
					t.Errorf("committing %s:%d: %v", topic.Topic, p.Partition, err)
				}
			}
		}
	})
}

// sarama has one of Sarama's consumers in a group until the test ends. It commits what it is given, once.
func (s *suite) sarama(t *testing.T, group, id, instance string, topics ...string) {
	t.Helper()
	conf := sarama.NewConfig()
	conf.ClientID = id
	conf.Consumer.Group.InstanceId = instance
	conf.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{sarama.NewBalanceStrategySticky()}
	conf.Consumer.Offsets.AutoCommit.Enable = false
	s.Sarama(t, conf, group, topics, commitsOnce{})
}

type commitsOnce struct{}

func (commitsOnce) Setup(session sarama.ConsumerGroupSession) error {
	for topic, partitions := range session.Claims() {
		for _, p := range partitions {
			if offset, ok := toCommit(topic, p); ok {
				session.MarkOffset(topic, p, offset, "")
			}
		}
	}
	session.Commit()
	return nil
}

func (commitsOnce) Cleanup(sarama.ConsumerGroupSession) error { return nil }

func (commitsOnce) ConsumeClaim(session sarama.ConsumerGroupSession, _ sarama.ConsumerGroupClaim) error {
	<-session.Context().Done()
	return nil
}

// A beater is a member of the consumer protocol that does only what the test has it do, as no client would.
type beater struct {
	cl            *kgo.Client
	group, member string
	topics        []string // that it subscribes to
	pattern       string   // likewise
	epoch         int32
	given         []kmsg.ConsumerGroupHeartbeatRequestTopic // what it was told to have
}

// beater makes a member, which has yet to join.
func (s *suite) beater(t *testing.T, group, member string) *beater {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(s.Addrs()...), kgo.ClientID(member))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return &beater{cl: cl, group: group, member: member}
}

// beat joins, or tells the broker that the member has what it was given last, and takes in the answer.
func (b *beater) beat(t *testing.T) {
	t.Helper()
	req := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	req.Group, req.MemberID, req.MemberEpoch, req.RebalanceTimeoutMillis = b.group, b.member, b.epoch, int32((5 * time.Minute).Milliseconds())
	req.SubscribedTopicNames = b.topics
	if b.pattern != "" {
		req.SubscribedTopicRegex = &b.pattern
	}
	req.Topics = append([]kmsg.ConsumerGroupHeartbeatRequestTopic{}, b.given...) // nil would be: as before
	resp, err := req.RequestWith(t.Context(), b.cl)
	if err == nil {
		err = kerr.ErrorForCode(resp.ErrorCode)
	}
	if err != nil {
		t.Fatalf("heartbeat of %s: %v", b.member, err)
	}
	b.epoch = resp.MemberEpoch
	if resp.Assignment == nil { // as before
		return
	}
	b.given = b.given[:0]
	for _, given := range resp.Assignment.Topics {
		topic := kmsg.NewConsumerGroupHeartbeatRequestTopic()
		topic.TopicID, topic.Partitions = given.TopicID, given.Partitions
		b.given = append(b.given, topic)
	}
}

// has counts the partitions that the member was told to have.
func (b *beater) has() int {
	n := 0
	for _, topic := range b.given {
		n += len(topic.Partitions)
	}
	return n
}

// until beats until the member was told to have so many partitions. It does not tell the broker that it does.
func (b *beater) until(t *testing.T, partitions int) {
	t.Helper()
	eventually(t, func() bool {
		b.beat(t)
		return b.has() == partitions
	}, func() string { return fmt.Sprintf("%+v", b) })
}

// block returns the table that Kafka's tool prints of one group, out of those of several.
func block(t *testing.T, text, group string) string {
	t.Helper()
	for part := range strings.SplitSeq(text, "\n\n") {
		if _, rows, ok := strings.Cut(strings.TrimSpace(part), "\n"); ok && strings.HasPrefix(rows, group+" ") {
			return strings.TrimSpace(part) + "\n"
		}
	}
	t.Fatalf("there is no table of %s:\n%s", group, text)
	return ""
}
