package membership

import (
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
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

// leads is a member that is told to plan generation 2 or later, and has not begun to.
func leads(t *testing.T, generation int32) *rig {
	r := newRig(t, Config{})
	r.stable()
	r.step(Rejoin{Reason: "test"})
	r.reply(wire.JoinReply{MemberID: "me", Generation: generation, Protocol: "c", Leader: "me", Members: []protocol.JoinMember{{ID: "me"}}})
	return r
}

// A leader that leaves is told that its round is interrupted: it commits in the generation of that, unless it may have missed one. If the round
// is not known any more, the group may be in the generation before.
func TestLeavingLeaderIsInterrupted(t *testing.T) {
	for _, c := range []struct {
		round int32
		code  wire.Code
		want  int32
	}{{2, wire.RebalanceInProgress, 2}, {3, wire.RebalanceInProgress, 1}, {2, wire.IllegalGeneration, 1}, {3, wire.IllegalGeneration, 1}} {
		r := leads(t, c.round)
		r.step(Leave{Prompt: true})
		if r.commit(1, 0, 5); len(r.out.Requests) > 0 {
			t.Fatalf("%q", DescribeOutput(&r.out))
		}
		r.beat()
		r.reply(wire.HeartbeatReply{Code: c.code})
		if len(r.out.Requests) == 0 {
			t.Fatalf("%+v: commits nothing", c)
		}
		if commit, ok := r.out.Requests[0].Body.(wire.Commit); !ok || commit.Generation != c.want {
			t.Errorf("%+v: sends %s", c, wire.Describe(r.out.Requests[0].Body))
		}
	}
}

// A heartbeat of the generation before is answered when the member commits in the next. That says nothing any more.
func TestLateHeartbeatWhileLeaving(t *testing.T) {
	r := leavesInRound(t, 2)
	r.step(Disconnected{Lane: Group})
	r.beat()
	r.reply(wire.FindCoordinatorReply{Node: 2})
	r.beat()
	beat := r.out.Requests[0]
	r.commit(1, 0, 5)
	r.reply(wire.CommitReply{Codes: []wire.Code{wire.IllegalGeneration}})
	commit := r.out.Requests
	r.step(Replied{ID: beat.ID, Body: wire.HeartbeatReply{Code: wire.RebalanceInProgress}})
	if _, generation, _ := r.m.Identity(); beat.Body.(wire.Heartbeat).Generation != 1 || len(commit) != 1 || generation != 2 {
		t.Errorf("%s, sent %+v", r.m.Describe(), commit)
	}
}

// A commit was refused as the member's round is on its way. The member waits for that, whatever it waits for in it.
func TestCommitRefusedWhileLeaving(t *testing.T) {
	for _, leader := range []string{"", "me", "other"} {
		r := newRig(t, Config{})
		r.stable()
		r.step(Rejoin{Reason: "test"})
		join := r.out
		r.commit(1, 0, 5)
		commit := r.out.Requests[0].ID
		r.step(Leave{Prompt: true})
		if r.out = join; leader != "" {
			r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: leader, Members: []protocol.JoinMember{{ID: "me"}}})
		}
		r.step(Replied{ID: commit, Body: wire.CommitReply{Codes: []wire.Code{wire.IllegalGeneration}}})
		if r.out.Cancel != 0 || len(r.out.Answers) > 0 || len(r.out.Requests) > 0 || r.m.completing != (leader != "") {
			t.Errorf("leader %q: %q", leader, DescribeOutput(&r.out))
		}
	}
}

// A leader that has nothing is out of its round when it leaves, and does not say any more what it planned.
func TestPlanOfWhoHasLeft(t *testing.T) {
	r := newRig(t, Config{})
	r.reply(wire.FindCoordinatorReply{Node: 1})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 1, Protocol: "c", Leader: "me", Members: []protocol.JoinMember{{ID: "me"}}})
	if r.step(Leave{}); len(r.out.Requests) != 1 {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	if r.step(Computed{Generation: 1}); len(r.out.Requests)+len(r.out.Close) > 0 {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}

// Who has said farewell while a Lost runs has no generation, and waits for that only.
func TestLostOutlivesFarewell(t *testing.T) {
	r := newRig(t, Config{})
	r.stable()
	r.step(Rejoin{Reason: "test"})
	r.again(3)
	lost := r.out.Callback
	r.step(Leave{Prompt: true})
	r.reply(wire.LeaveReply{})
	if _, generation, commits := r.m.Identity(); lost.Kind != Lost || r.out.Ended != nil || generation != strategy.NoGeneration || commits {
		t.Fatalf("%s", r.m.Describe())
	}
	if r.step(CallbackDone{ID: lost.ID}); r.out.Ended == nil {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}

// Who has no name in the group says no farewell.
func TestNoFarewellWithoutAName(t *testing.T) {
	r := newRig(t, Config{})
	r.reply(wire.FindCoordinatorReply{Node: 1})
	r.step(Leave{})
	if r.step(Disconnected{Lane: Group}); r.out.Ended == nil {
		t.Errorf("that was never named: %q", DescribeOutput(&r.out))
	}
	r = newRig(t, Config{})
	r.stable()
	r.beat()
	r.reply(wire.HeartbeatReply{Code: wire.UnknownMemberID})
	r.step(CallbackDone{ID: r.out.Callback.ID})
	if r.step(Leave{}); r.out.Ended == nil {
		t.Errorf("that the group has forgotten: %q", DescribeOutput(&r.out))
	}
}

// A static member that leaves without a farewell has nobody to send heartbeats to while it does not know the coordinator.
func TestStaticLeavesWithoutCoordinator(t *testing.T) {
	r := newRig(t, Config{InstanceID: "i"})
	r.stable()
	r.step(Leave{})
	r.step(Disconnected{Lane: Group})
	for r.now < 10*time.Second {
		r.now += time.Second
		if r.step(Tick{}); len(r.out.Requests) > 0 {
			t.Fatalf("at %v %q", r.now, DescribeOutput(&r.out))
		}
	}
}

// Who cannot say what it reads leaves: with a farewell, unless it is static.
func TestBadSubscription(t *testing.T) {
	for _, instance := range []string{"", "i"} {
		r := newRig(t, Config{InstanceID: instance})
		r.stable()
		r.step(Subscribe{Topics: []string{strings.Repeat("x", 1<<16)}})
		r.step(CallbackDone{ID: r.out.Callback.ID})
		if says := len(r.out.Requests) == 1; says != (instance == "") || r.m.State() == Stable {
			t.Errorf("instance %q: %q", instance, DescribeOutput(&r.out))
		}
	}
}

// Who hands over before it leaves has a third of its time for that.
func TestHandsOverInTime(t *testing.T) {
	r := newRig(t, Config{HandOver: true, Leave: 30 * time.Second})
	r.stable()
	began := r.now
	r.step(Leave{})
	if r.out.Wake != began+10*time.Second {
		t.Errorf("wakes at %v", r.out.Wake-began)
	}
	for wait, want := range map[time.Duration]State{10*time.Second - 1: Joining, 10 * time.Second: Leaving} {
		q := *r
		m := *r.m
		q.m, q.now = &m, began+wait
		if q.step(Tick{}); q.m.State() != want {
			t.Errorf("after %v: %v, want %v", wait, q.m.State(), want)
		}
	}
}
