package main

import (
	"context"
	"errors"

	"github.com/IBM/sarama"
)

// saramaClients are Sarama's ConsumerGroup with its cooperative strategy and with an eager one. It has no commits whose results a
// program could wait for: Commit returns nothing, and the background's failures come as errors of the group.
func saramaClients() []client {
	start := func(strategy func() sarama.BalanceStrategy) func(context.Context, *member) (running, error) {
		return func(_ context.Context, m *member) (running, error) { return startSarama(m, strategy()) }
	}
	return []client{
		{"sarama/cooperative-sticky", []commits{commitAuto, commitSync}, start(sarama.NewBalanceStrategyCooperativeSticky)},
		{"sarama/sticky", []commits{commitAuto}, start(sarama.NewBalanceStrategySticky)},
	}
}

func saramaConfig() *sarama.Config {
	conf := sarama.NewConfig()
	conf.Version = sarama.MaxVersion
	conf.Consumer.Offsets.Initial = sarama.OffsetOldest
	return conf
}

func startSarama(m *member, strategy sarama.BalanceStrategy) (running, error) {
	conf := saramaConfig()
	conf.Consumer.Return.Errors = true
	conf.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{strategy}
	conf.Consumer.Group.InstanceId = m.instance
	if m.heartbeat > 0 {
		conf.Consumer.Group.Heartbeat.Interval = m.heartbeat
	}
	group, err := sarama.NewConsumerGroup(m.brokers, m.group, conf)
	if err != nil {
		return running{}, err
	}
	listening := make(chan struct{})
	go func() {
		defer close(listening)
		for err := range group.Errors() {
			var about *sarama.ConsumerError
			if errors.As(err, &about) && about.Topic != "" { // others are about the group
				m.commitFailed(err)
			}
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil { // an eager session ends with each rebalance; others after errors, and are tried again as examples do
			if errors.Is(group.Consume(ctx, []string{m.topic}, saramaHandler{m}), sarama.ErrClosedConsumerGroup) {
				return
			}
		}
	}()
	return running{stop: func() error {
		cancel()
		<-done
		err := group.Close()
		<-listening
		return err
	}}, nil
}

// A saramaHandler has a claim for each partition. What Sarama has for callbacks is a claim's beginning and end.
type saramaHandler struct{ m *member }

func (saramaHandler) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (saramaHandler) Cleanup(sarama.ConsumerGroupSession) error { return nil }

func (h saramaHandler) ConsumeClaim(s sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	h.m.assign(claim.Partition())
	for message := range claim.Messages() {
		h.m.deliver(message.Partition, message.Offset)
		h.m.generation(s.GenerationID())
		s.MarkMessage(message, "")
		if h.m.commits == commitSync && message.Partition == syncPartition {
			s.Commit()
		}
	}
	h.m.revoke(claim.Partition())
	return nil
}
