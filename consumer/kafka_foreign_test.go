//go:build kafka

package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"
)

// beat is the heartbeat interval of foreign members: they notice rebalances by it.
const beat = 200 * time.Millisecond

// Members of other clients read a topic from the beginning, and commit what they have counted, before they give partitions up. leave has one
// leave its group, unless it is Java's, which is killed.

// franz starts a member of franz-go's.
func (c *realCluster) franz(t *testing.T, id, group, topic string, records *tally, balancers ...kgo.GroupBalancer) (leave func()) {
	t.Helper()
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(c.Addrs()...), kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic), kgo.ClientID(id), kgo.HeartbeatInterval(beat),
		kgo.Balancers(balancers...), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(),
	)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			fetches := cl.PollFetches(ctx)
			for _, e := range fetches.Errors() {
				if !errors.Is(e.Err, context.Canceled) {
					t.Errorf("%s: %s-%d: %v", id, e.Topic, e.Partition, e.Err)
				}
			}
			fetches.EachRecord(func(r *kgo.Record) { records.add(id, recordName(r.Topic, r.Partition, r.Offset)) })
			if err := cl.CommitUncommittedOffsets(context.WithoutCancel(ctx)); err != nil {
				t.Errorf("%s commits: %v", id, err)
			}
			cl.AllowRebalance()
		}
	}()
	leave = sync.OnceFunc(func() {
		cancel()
		<-done
		cl.CloseAllowingRebalance()
	})
	t.Cleanup(leave)
	return leave
}

// sarama starts a member of Sarama's.
func (c *realCluster) sarama(t *testing.T, id, group, topic string, records *tally, strategies ...sarama.BalanceStrategy) (leave func()) {
	t.Helper()
	conf := sarama.NewConfig()
	conf.ClientID = id
	conf.Consumer.Offsets.Initial = sarama.OffsetOldest
	conf.Consumer.Offsets.AutoCommit.Interval = beat
	conf.Consumer.Group.Rebalance.GroupStrategies = strategies
	return c.Sarama(t, conf, group, []string{topic}, counting{id, records})
}

type counting struct {
	id      string
	records *tally
}

func (counting) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (counting) Cleanup(sarama.ConsumerGroupSession) error { return nil }

func (h counting) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	for {
		select {
		case m, ok := <-claim.Messages():
			if !ok {
				return nil
			}
			h.records.add(h.id, recordName(m.Topic, m.Partition, m.Offset))
			session.MarkMessage(m, "")
		case <-session.Context().Done():
			return nil
		}
	}
}

// java starts Kafka's console consumer. What it has read is counted when it was killed.
func (c *realCluster) java(t *testing.T, id, group, topic string, records *tally, strategy string) (leave func()) {
	t.Helper()
	args := []string{"--group", group, "--topic", topic, "--from-beginning"}
	for _, p := range []string{
		"client.id=" + id, "partition.assignment.strategy=org.apache.kafka.clients.consumer." + strategy,
		fmt.Sprintf("heartbeat.interval.ms=%d", beat.Milliseconds()), fmt.Sprintf("auto.commit.interval.ms=%d", beat.Milliseconds()),
	} {
		args = append(args, "--command-property", p)
	}
	for _, p := range []string{"print.partition=true", "print.offset=true", "print.value=false"} {
		args = append(args, "--formatter-property", p)
	}
	return c.Console(t, func(out string) {
		for _, m := range printed.FindAllStringSubmatch(out, -1) {
			records.add(id, fmt.Sprintf("%s-%s@%s", topic, m[1], m[2]))
		}
	}, args...)
}

var printed = regexp.MustCompile(`(?m)^Partition:(\d+)\tOffset:(\d+)`)

// A writer appends records to all partitions of a topic, until it is stopped.
type writer struct {
	stop func()
}

func (c *realCluster) write(t *testing.T, topic string, partitions int32, pause time.Duration) *writer {
	t.Helper()
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			var list []*sarama.ProducerMessage
			for p := range partitions {
				list = append(list, &sarama.ProducerMessage{Topic: topic, Partition: p, Value: sarama.StringEncoder(strconv.Itoa(i))})
			}
			if err := c.Producer.SendMessages(list); err != nil {
				t.Errorf("writing to %s: %v", topic, err)
				return
			}
			select {
			case <-quit:
				return
			case <-time.After(pause):
			}
		}
	}()
	w := &writer{stop: sync.OnceFunc(func() {
		close(quit)
		<-done
	})}
	t.Cleanup(w.stop)
	return w
}

// allOf returns the client ids that own something.
func allOf(owners map[string][]string) []string {
	var ids []string
	for _, who := range owners {
		ids = append(ids, who...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
