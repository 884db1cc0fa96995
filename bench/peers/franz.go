package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/strategy"
)

// franzPeers are the balancers of github.com/twmb/franz-go.
func franzPeers() []Peer {
	var list []Peer
	for _, b := range []kgo.GroupBalancer{kgo.CooperativeStickyBalancer(), kgo.StickyBalancer(), kgo.RangeBalancer(), kgo.RoundRobinBalancer()} {
		list = append(list, Peer{
			Library: "franz-go", Assignor: b.ProtocolName(), Cooperative: b.IsCooperative(),
			Prepare: func(_ context.Context, g *strategy.Group) (Call, error) { return prepareFranz(b, g) },
		})
	}
	return list
}

// prepareFranz goes as far as franz-go's leader does before it balances: members' metadata, as their clients write it, is decoded.
func prepareFranz(b kgo.GroupBalancer, g *strategy.Group) (Call, error) {
	members := make([]kmsg.JoinGroupResponseMember, 0, len(g.Members))
	for i := range g.Members { // in the order that balancers are promised
		m := &g.Members[i]
		joined := kmsg.NewJoinGroupResponseMember()
		joined.MemberID = m.ID
		if m.InstanceID != "" {
			joined.InstanceID = kmsg.StringPtr(m.InstanceID)
		}
		joined.ProtocolMetadata = b.JoinGroupMetadata(slices.Clone(m.Topics), ownedMap(m.Owned), m.Generation)
		members = append(members, joined)
	}
	balancer, _, err := b.MemberBalancer(members)
	if err != nil {
		return nil, err
	}
	topics := make(map[string]int32, len(g.Topics))
	for i := range g.Topics {
		topics[g.Topics[i].Name] = g.Topics[i].Partitions
	}
	return func(context.Context) (plan, time.Duration, error) {
		var answer kgo.IntoSyncAssignment
		var err error
		started := time.Now()
		if able, ok := balancer.(kgo.GroupMemberBalancerOrError); ok {
			answer, err = able.BalanceOrError(topics)
		} else {
			answer = balancer.Balance(topics)
		}
		took := time.Since(started)
		if err != nil {
			return nil, took, err
		}
		balanced, ok := answer.(*kgo.BalancePlan)
		if !ok {
			return nil, took, fmt.Errorf("the balancer answers with a %T, which this program cannot read", answer)
		}
		return balanced.AsMemberIDMap(), took, nil
	}, nil
}
