package main

import (
	"context"
	"time"

	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// ours is the library that the others are compared with.
const ours = "assignkit"

// ourPeers are our sticky, which times are set in relation to, and the same made cooperative.
func ourPeers() []Peer {
	var list []Peer
	for _, a := range []strategy.Assignor{sticky.Assignor{}, strategy.Cooperative(sticky.Assignor{})} {
		list = append(list, Peer{
			Library: ours, Assignor: a.Name(), Cooperative: strategy.ProtocolOf(a) == strategy.ProtocolCooperative,
			Prepare: func(_ context.Context, g *strategy.Group) (Call, error) {
				return func(ctx context.Context) (plan, time.Duration, error) { return assignOurs(ctx, a, g) }, nil
			},
		})
	}
	return list
}

// assignOurs goes from names to names, as every peer does.
func assignOurs(ctx context.Context, a strategy.Assignor, g *strategy.Group) (plan, time.Duration, error) {
	fresh := *g // a group that has been tabulated remembers it, and a copy does not: understanding the group is part of our time
	started := time.Now()
	answer, err := a.Assign(ctx, &fresh)
	took := time.Since(started)
	if err != nil {
		return nil, took, err
	}
	p := make(plan, len(answer.Members))
	for id, list := range answer.Members {
		p[id] = ownedMap(list)
	}
	return p, took, nil
}
