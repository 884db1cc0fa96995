package embedded

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kfake"
)

// heartbeat is how soon members notice a rebalance. Groups come to rest in a few of them.
const heartbeat = 50 * time.Millisecond

// A Group is a consumer group to start. Its members join it as static members NAME-1, NAME-2 and so on.
type Group struct {
	Name     string
	Strategy func() sarama.BalanceStrategy // called for each member
	Members  int
	Topics   []string
	Lag      []int64 // that the group keeps on partition n of each topic, a shorter list repeats; none if empty
}

// join starts a group's members and waits until all partitions have their owners and all offsets are committed. The members stay until
// their context ends. They process nothing: they commit where the group is said to be.
func (c *Cluster) join(ctx, members context.Context, g Group) error {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	partitions := 0
	for _, topic := range g.Topics {
		all, err := c.client.Partitions(topic)
		if err != nil {
			return fmt.Errorf("group %s: %w", g.Name, err)
		}
		partitions += len(all)
	}
	for i := range g.Members {
		m := &member{cluster: c, group: g, name: fmt.Sprintf("%s-%d", g.Name, i+1)}
		if err := m.open(); err != nil {
			return fmt.Errorf("group %s: %w", g.Name, err)
		}
		c.members.Go(func() { fail(m.run(members)) })
	}
	_, err := c.fake.WaitGroupInfo(ctx, g.Name, func(i *kfake.GroupInfo) bool {
		if i == nil {
			return false
		}
		commits := 0
		for _, topic := range i.Commits {
			commits += len(topic)
		}
		return i.State == "Stable" && len(i.Members) == g.Members && i.NumAssigned() == partitions && commits == partitions
	})
	if err != nil {
		return fmt.Errorf("group %s: %w", g.Name, context.Cause(ctx))
	}
	return nil
}

// A member is one of a group, from open to the end of run.
type member struct {
	cluster  *Cluster
	group    Group
	name     string
	consumer sarama.ConsumerGroup
}

func (m *member) open() error {
	conf := m.cluster.Config(m.name)
	conf.Consumer.Group.InstanceId = m.name
	conf.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{m.group.Strategy()}
	conf.Consumer.Group.Heartbeat.Interval = heartbeat
	conf.Consumer.Group.Rebalance.Retry.Backoff = heartbeat
	conf.Consumer.MaxWaitTime = heartbeat // a fetch that waits for records keeps what the group has to say waiting
	conf.Consumer.Offsets.AutoCommit.Enable = false
	conf.Consumer.Offsets.Initial = sarama.OffsetOldest
	var err error
	m.consumer, err = sarama.NewConsumerGroup(m.cluster.Addrs(), m.group.Name, conf)
	return err
}

// run is in the group until ctx ends.
func (m *member) run(ctx context.Context) error {
	defer func() { _ = m.consumer.Close() }() // the cluster ends as well
	for ctx.Err() == nil {
		if err := m.consumer.Consume(ctx, m.group.Topics, m); err != nil && ctx.Err() == nil && !errors.Is(err, sarama.ErrRebalanceInProgress) {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}

// Setup is called when the member has been assigned partitions.
func (m *member) Setup(sarama.ConsumerGroupSession) error { return nil }

// Cleanup is called when it loses them.
func (m *member) Cleanup(sarama.ConsumerGroupSession) error { return nil }

// ConsumeClaim commits where the group is in a partition, and keeps it.
func (m *member) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	end := claim.HighWaterMarkOffset()
	if lags := m.group.Lag; len(lags) > 0 {
		end -= min(end, lags[int(claim.Partition())%len(lags)])
	}
	session.MarkOffset(claim.Topic(), claim.Partition(), end, "")
	retry := time.NewTimer(heartbeat)
	defer retry.Stop()
	session.Commit()
	for wait := heartbeat; ; {
		select {
		case <-session.Context().Done():
			return nil
		case _, ok := <-claim.Messages():
			if !ok { // the partition goes to another member
				return nil
			}
		case <-retry.C:
			session.Commit() // says not whether it failed, as in a rebalance; where it did not, there is nothing left to commit
			wait *= 2
			retry.Reset(wait)
		}
	}
}
