package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

const leaderTime = 150 * time.Millisecond

// leader measures what a group's leader does between the answer to its JoinGroup and its SyncGroup: from bytes to bytes.
func leader(ctx context.Context, w io.Writer) (missed int, err error) {
	s := bench.Shape{Topics: 1000, Partitions: 1000, Members: 5000, Subscriptions: bench.Equal}
	g, err := s.Group(ctx, "join", sticky.Assignor{})
	if err != nil {
		return 0, err
	}
	members, size, err := joined(g)
	if err != nil {
		return 0, err
	}
	const calls = 15
	var times []time.Duration
	for range calls {
		started := time.Now()
		join := protocol.DecodeJoin(protocol.CooperativeStickyName, members)
		answer, err := sticky.Assignor{}.Assign(ctx, join.Group(g.Name, g.Generation, g.Leader, g.Topics))
		if err != nil {
			return 0, err
		}
		if _, err := join.EncodeAssignments(g.Generation, &answer, nil); err != nil {
			return 0, err
		}
		times = append(times, time.Since(started))
	}
	slices.Sort(times)
	took := times[calls/2]
	if took > leaderTime {
		missed = 1
	}
	fmt.Fprintf(w, `| shape | to reach | median of %d | fastest | reached |
|---|---|---|---|---|
| %d topics × %d partitions × %d members, join, %.0f MB of subscriptions | ≤ %v | %.0f ms | %.0f ms | %s |
`, calls, s.Topics, s.Partitions, s.Members, float64(size)/1e6, leaderTime, took.Seconds()*1e3, times[0].Seconds()*1e3, yes(missed == 0))
	return missed, nil
}

// joined is what the members of g send.
func joined(g *strategy.Group) (members []protocol.JoinMember, size int, err error) {
	for i := range g.Members {
		m := &g.Members[i]
		s := protocol.Subscription{Version: protocol.Newest, Topics: m.Topics, Owned: m.Owned, Generation: m.Generation}
		metadata, err := s.AppendBinary(nil)
		if err != nil {
			return nil, 0, err
		}
		size += len(metadata)
		members = append(members, protocol.JoinMember{ID: m.ID, Metadata: metadata})
	}
	return members, size, nil
}
