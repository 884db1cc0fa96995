package main

import (
	"context"
	"slices"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/strategy"
)

// saramaPeers are the strategies of github.com/IBM/sarama. They keep state, so each call has one of its own.
func saramaPeers() []Peer {
	var list []Peer
	for _, create := range []func() sarama.BalanceStrategy{
		sarama.NewBalanceStrategyCooperativeSticky, sarama.NewBalanceStrategySticky, sarama.NewBalanceStrategyRange, sarama.NewBalanceStrategyRoundRobin,
	} {
		name := create().Name()
		list = append(list, Peer{
			Library: "sarama", Assignor: name, Cooperative: name == sarama.CooperativeStickyBalanceStrategyName,
			Prepare: func(_ context.Context, g *strategy.Group) (Call, error) { return prepareSarama(create, g) },
		})
	}
	return list
}

func prepareSarama(create func() sarama.BalanceStrategy, g *strategy.Group) (Call, error) {
	members := make(map[string]sarama.ConsumerGroupMemberMetadata, len(g.Members))
	for i := range g.Members {
		m, err := saramaMember(create(), &g.Members[i])
		if err != nil {
			return nil, err
		}
		members[g.Members[i].ID] = m
	}
	topics := make(map[string][]int32, len(g.Topics))
	for i := range g.Topics {
		list := make([]int32, g.Topics[i].Partitions)
		for p := range list {
			list[p] = int32(p)
		}
		topics[g.Topics[i].Name] = list
	}
	leader := create()
	return func(context.Context) (plan, time.Duration, error) {
		started := time.Now()
		answer, err := leader.Plan(members, topics)
		return plan(answer), time.Since(started), err
	}, nil
}

// saramaMember is what a member with this strategy says when it joins. An eager one repeats what it had as the user data that the
// leader sent it along; a cooperative one claims it in the subscription, and sends the generation that it was told.
func saramaMember(s sarama.BalanceStrategy, m *strategy.Member) (sarama.ConsumerGroupMemberMetadata, error) {
	joined := sarama.ConsumerGroupMemberMetadata{Version: 2, Topics: slices.Clone(m.Topics), GenerationID: m.Generation}
	if m.Generation == strategy.NoGeneration {
		return joined, nil
	}
	var err error
	if s.Name() != sarama.CooperativeStickyBalanceStrategyName {
		joined.UserData, err = s.AssignmentData(m.ID, ownedMap(m.Owned), m.Generation)
		return joined, err
	}
	for _, tp := range m.Owned {
		joined.OwnedPartitions = append(joined.OwnedPartitions, &sarama.OwnedPartition{Topic: tp.Topic, Partitions: slices.Clone(tp.Partitions)})
	}
	if told, ok := s.(sarama.OnAssignmentBalanceStrategy); ok {
		told.OnAssignment(&sarama.ConsumerGroupMemberAssignment{Topics: ownedMap(m.Owned)}, m.Generation)
	}
	if says, ok := s.(sarama.SubscriptionUserDataBalanceStrategy); ok {
		joined.UserData, err = says.SubscriptionUserData(slices.Clone(m.Topics))
	}
	return joined, err
}
