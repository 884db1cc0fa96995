package protocol

import (
	"context"
	"testing"

	"github.com/assignkit/assignkit/bench"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// What a leader does between JoinGroup's response and SyncGroup's request, where members say in their subscriptions what they own.
func BenchmarkLeader(b *testing.B) { shapes(b, CooperativeStickyName) }

// The same where members say it in their user data, and are sent it there as well.
func BenchmarkLeaderSticky(b *testing.B) { shapes(b, StickyName) }

func shapes(b *testing.B, name string) {
	for _, s := range []bench.Shape{
		{Topics: 1000, Partitions: 1000, Members: 5000, Subscriptions: bench.Equal},
		{Topics: 1000, Partitions: 100, Members: 1000, Subscriptions: bench.Half},
	} {
		b.Run(s.String(), func(b *testing.B) {
			g, err := s.Group(b.Context(), "join", sticky.Assignor{})
			if err != nil {
				b.Fatal(err)
			}
			leader(b, g, name)
		})
	}
}

func leader(b *testing.B, g *strategy.Group, name string) {
	members := joined(b, g, name)
	join := DecodeJoin(name, members)
	decoded := join.Group(g.Name, g.Generation, g.Leader, g.Topics)
	answer, err := sticky.Assignor{}.Assign(context.Background(), decoded)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			DecodeJoin(name, members).Group(g.Name, g.Generation, g.Leader, g.Topics)
		}
	})
	b.Run("assign", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := (sticky.Assignor{}).Assign(context.Background(), decoded); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := join.EncodeAssignments(g.Generation, &answer, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("whole", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			j := DecodeJoin(name, members)
			a, err := sticky.Assignor{}.Assign(context.Background(), j.Group(g.Name, g.Generation, g.Leader, g.Topics))
			if err != nil {
				b.Fatal(err)
			}
			if _, err := j.EncodeAssignments(g.Generation, &a, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// joined returns what the members of g would send, with this project's user data where the name allows.
func joined(tb testing.TB, g *strategy.Group, name string) []JoinMember {
	tb.Helper()
	members := make([]JoinMember, len(g.Members))
	for i := range g.Members {
		m := &g.Members[i]
		s := Subscription{Version: Newest, Topics: m.Topics, Owned: m.Owned, Generation: m.Generation, Rack: m.Rack}
		var err error
		if name == StickyName {
			s.Owned = nil
			if m.Generation != strategy.NoGeneration {
				s.UserData, err = AppendSticky(nil, m.Owned, m.Generation)
			}
		} else {
			u := UserData{Labels: m.Labels, Capacity: m.Capacity, Draining: m.Draining, Assignor: m.UserData}
			s.UserData, err = u.AppendBinary(nil)
		}
		if err != nil {
			tb.Fatal(err)
		}
		members[i] = JoinMember{ID: m.ID, InstanceID: m.InstanceID}
		if members[i].Metadata, err = s.AppendBinary(nil); err != nil {
			tb.Fatal(err)
		}
	}
	return members
}
