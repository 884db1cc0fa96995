package membership

import (
	"testing"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// leavesInRound is a member that is told to leave while it waits for the assignment of a generation, and whose Revoke runs.
func leavesInRound(t *testing.T, generation int32) *rig {
	r := newRig(t, Config{})
	r.stable()
	r.step(Rejoin{Reason: "test"})
	r.reply(wire.JoinReply{MemberID: "me", Generation: generation, Protocol: "c", Leader: "other"})
	sync := r.out.Requests[0]
	r.step(Leave{})
	if c := r.out.Callback; c == nil || c.Kind != Revoke {
		t.Fatalf("%+v", r.out)
	}
	r.out.Requests = []Request{sync}
	return r
}

// A round was interrupted, and the group has gone on: a heartbeat of the old generation is refused, and the next has the new one.
func TestLeavingHeartbeatRefused(t *testing.T) {
	r := leavesInRound(t, 2)
	r.step(Disconnected{Lane: Group})
	r.beat()
	r.reply(wire.FindCoordinatorReply{Node: 2})
	for want := int32(1); want <= 2; want++ {
		r.beat()
		if h, ok := r.out.Requests[0].Body.(wire.Heartbeat); !ok || h.Generation != want {
			t.Fatalf("sends %s, want generation %d", wire.Describe(r.out.Requests[0].Body), want)
		}
		r.reply(wire.HeartbeatReply{Code: wire.IllegalGeneration})
		if lost := r.out.Cancel != 0; lost != (want == 2) {
			t.Errorf("generation %d is refused: %+v", want, r.out)
		}
	}
}

// What a member claimed in a round may be another's if a round before went by unnoticed. Then it does not go on in that generation.
func TestLeavingAfterMissedRound(t *testing.T) {
	for generation, may := range map[int32]bool{2: true, 3: false} {
		r := leavesInRound(t, generation)
		r.reply(wire.SyncReply{Code: wire.RebalanceInProgress})
		r.step(Commit{ID: 1, Offsets: []wire.Offset{{TopicPartition: strategy.TopicPartition{Topic: "t"}, Offset: 1}}})
		if c, ok := r.out.Requests[0].Body.(wire.Commit); !ok || (c.Generation == generation) != may {
			t.Fatalf("sends %s after generation %d", wire.Describe(r.out.Requests[0].Body), generation)
		}
		if r.reply(wire.CommitReply{Codes: []wire.Code{wire.IllegalGeneration}}); len(r.out.Answers) != 1 || r.out.Answers[0].Codes[0] != wire.UnknownMemberID {
			t.Errorf("%+v", r.out)
		}
	}
}
