package main

import (
	"context"
	"slices"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/assignkit/assignkit/strategy"
)

// kafkagoPeers are the balancers of github.com/segmentio/kafka-go. Their members say nothing of what they own.
func kafkagoPeers() []Peer {
	var list []Peer
	for _, b := range []kafka.GroupBalancer{kafka.RangeGroupBalancer{}, kafka.RoundRobinGroupBalancer{}, kafka.RackAffinityGroupBalancer{}} {
		list = append(list, Peer{
			Library: "kafka-go", Assignor: b.ProtocolName(),
			Prepare: func(_ context.Context, g *strategy.Group) (Call, error) { return prepareKafkago(b, g) },
		})
	}
	return list
}

func prepareKafkago(b kafka.GroupBalancer, g *strategy.Group) (Call, error) {
	data, err := b.UserData()
	if err != nil {
		return nil, err
	}
	members := make([]kafka.GroupMember, 0, len(g.Members))
	for i := range g.Members {
		members = append(members, kafka.GroupMember{ID: g.Members[i].ID, Topics: slices.Clone(g.Members[i].Topics), UserData: data})
	}
	var partitions []kafka.Partition
	for i := range g.Topics {
		for p := range g.Topics[i].Partitions {
			partitions = append(partitions, kafka.Partition{Topic: g.Topics[i].Name, ID: int(p)})
		}
	}
	return func(context.Context) (plan, time.Duration, error) {
		started := time.Now()
		answer := b.AssignGroups(members, partitions)
		took := time.Since(started)
		p := make(plan, len(answer))
		for id, topics := range answer {
			p[id] = make(map[string][]int32, len(topics))
			for topic, list := range topics {
				for _, n := range list {
					p[id][topic] = append(p[id][topic], int32(n))
				}
			}
		}
		return p, took, nil
	}, nil
}
