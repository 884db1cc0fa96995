package membership

import (
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// hinted is an assignment of partitions of t, with what a leader says along.
func hinted(t *testing.T, u *protocol.UserData, partitions ...int32) []byte {
	t.Helper()
	data, err := u.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	a := protocol.Assignment{Partitions: []strategy.TopicPartitions{{Topic: "t", Partitions: partitions}}, UserData: data}
	if data, err = a.AppendBinary(nil); err != nil {
		t.Fatal(err)
	}
	return data
}

// A callback ends at the very moment at which what it was about is to be given up. It is not delivered then: who starts it behind its Revoke
// would go on with it for ever.
func TestNothingBeginsThatIsRevoked(t *testing.T) {
	r := newRig(t, Config{HandOver: true})
	r.stable()
	r.step(Rejoin{Reason: "test"})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
	r.reply(wire.SyncReply{Assignment: assignment(t, 0, 1, 2)})
	assign := r.out.Callback
	r.step(Rejoin{Reason: "test"})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 3, Protocol: "c", Leader: "other"})
	r.reply(wire.SyncReply{Assignment: hinted(t, &protocol.UserData{FollowUp: &protocol.FollowUp{After: 400 * time.Millisecond, Grace: 60 * time.Millisecond}}, 0, 1)})
	r.now += 460 * time.Millisecond
	r.step(CallbackDone{ID: assign.ID})
	if c := r.out.Callback; c == nil || c.Kind != Revoke || len(r.out.Start) > 0 || len(r.out.Stop) > 0 {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}

// A member waits in a round for longer than its rebalance timeout, as somebody else has more time, and is told to leave. Nobody waits for it,
// so it has time to revoke.
func TestRevokeWhileOthersAreWaitedFor(t *testing.T) {
	r := newRig(t, Config{Rebalance: 10 * time.Second})
	r.stable()
	r.step(Rejoin{Reason: "test"})
	r.now += 12 * time.Second
	r.step(Leave{Prompt: true})
	if c := r.out.Callback; c == nil || c.Kind != Revoke || c.Deadline <= r.now {
		t.Errorf("at %v %q, %+v", r.now, DescribeOutput(&r.out), c)
	}
}

// A static member that is to leave for good before the answer to its first join does not know its id. The group may have it all the same.
func TestStaticLeavesBeforeItIsNamed(t *testing.T) {
	r := newRig(t, Config{InstanceID: "i"})
	r.reply(wire.FindCoordinatorReply{Node: 1})
	r.step(Leave{Farewell: true})
	if len(r.out.Requests) != 1 || r.out.Requests[0].Body != (wire.Leave{Group: "g", InstanceID: "i"}) {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	if r.reply(wire.LeaveReply{}); r.out.Ended == nil {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}

// What a leader says wrongly is not read ahead, and not said again.
func TestComingThatCannotBe(t *testing.T) {
	r := newRig(t, Config{HandOver: true})
	r.stable()
	r.step(Metadata{Topics: []TopicCount{{Topic: "t", Partitions: 4}, {Topic: "u", Partitions: 4}}})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
	r.reply(wire.SyncReply{Assignment: hinted(t, &protocol.UserData{Coming: []strategy.TopicPartitions{
		{Topic: "", Partitions: []int32{0}}, {Topic: "t", Partitions: []int32{-1, 1, 3, 3, 4}}, {Topic: "u", Partitions: []int32{0}},
	}}, 0, 1)})
	if r.out.Coming == nil || len(*r.out.Coming) != 1 || (*r.out.Coming)[0] != (strategy.TopicPartition{Topic: "t", Partition: 3}) {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}

// A member waits in a round that took the place of one that was interrupted, and is told to leave. The group is in the generation of the one
// before, whose assignment the member has not seen: its last commits go out under that, and do not wait for the round.
func TestLeavingBehindAnInterruptedRound(t *testing.T) {
	r := newRig(t, Config{})
	r.stable()
	r.step(Rejoin{Reason: "test"})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
	r.reply(wire.SyncReply{Code: wire.RebalanceInProgress}) // and joins again
	r.step(Leave{Prompt: true})
	r.step(Commit{ID: 1, Offsets: []wire.Offset{{TopicPartition: strategy.TopicPartition{Topic: "t"}, Offset: 1}}})
	r.reply(wire.CommitReply{Codes: []wire.Code{wire.IllegalGeneration}})
	if len(r.out.Requests) == 0 {
		t.Fatalf("commits nothing: %s", r.m.Describe())
	}
	if c, ok := r.out.Requests[0].Body.(wire.Commit); !ok || c.Generation != 2 {
		t.Errorf("sends %s", wire.Describe(r.out.Requests[0].Body))
	}
}
