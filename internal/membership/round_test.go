package membership

import (
	"reflect"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// Observers are told all of an assignment; one that cannot be read ends membership, and the farewell is said.
func TestAssigned(t *testing.T) {
	r := newRig(t, Config{})
	r.reply(wire.FindCoordinatorReply{Node: 1})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 3, Protocol: "c", Leader: "other"})
	data := hinted(t, &protocol.UserData{Assignor: []byte("x")}, 0)
	r.reply(wire.SyncReply{Assignment: data})
	a := r.out.Assigned
	if a == nil || a.Generation != 3 || a.Protocol != "c" || a.Leader != "other" || len(a.Partitions) != 1 || len(a.UserData) == 0 || r.m.LossCode() != wire.None {
		t.Errorf("%+v", a)
	}
	for _, instance := range []string{"", "i"} {
		r = newRig(t, Config{InstanceID: instance})
		r.reply(wire.FindCoordinatorReply{Node: 1})
		r.reply(wire.JoinReply{MemberID: "me", Generation: 1, Protocol: "c", Leader: "other"})
		r.reply(wire.SyncReply{Assignment: []byte{0}})
		if instance == "" {
			if leave, ok := r.out.Requests[0].Body.(wire.Leave); !ok || leave.Reason != "bad assignment" {
				t.Fatalf("%q", DescribeOutput(&r.out))
			}
			r.reply(wire.LeaveReply{})
		}
		if r.out.Ended == nil || r.out.Ended.Err == nil {
			t.Errorf("%q", DescribeOutput(&r.out))
		}
	}
}

// What was refused in one generation need not wait in the next, and what is in doubt is put right in it at once.
func TestCommitsInANewGeneration(t *testing.T) {
	for _, doubt := range []bool{false, true} {
		r := newRig(t, Config{RetryMin: 20 * time.Second, RetryMax: 20 * time.Second})
		r.stable()
		r.commit(1, 0, 5)
		if doubt {
			r.step(Disconnected{Lane: Offsets})
			r.commit(2, 0, 7)
			for r.out.Requests == nil || r.out.Requests[0].Lane != Offsets {
				if r.out.Requests != nil {
					r.reply(wire.HeartbeatReply{})
				}
				r.beat()
			}
			r.reply(wire.CommitReply{Codes: []wire.Code{wire.None}})
		} else {
			r.reply(wire.CommitReply{Codes: []wire.Code{wire.CoordinatorLoading}})
		}
		for r.m.flights[slotGroup] != nil {
			r.step(Replied{ID: r.m.flights[slotGroup].id, Body: wire.HeartbeatReply{}})
		}
		r.step(Rejoin{Reason: "test"})
		r.again(2, 0, 1)
		if len(r.out.Requests) != 1 {
			t.Fatalf("doubt %v: %q", doubt, DescribeOutput(&r.out))
		}
		if c, ok := r.out.Requests[0].Body.(wire.Commit); !ok || c.Generation != 2 {
			t.Errorf("doubt %v: %q", doubt, DescribeOutput(&r.out))
		}
	}
}

// An assignment that was long under way may not hold any more: a heartbeat asks at once.
func TestAsksBehindALongWait(t *testing.T) {
	for waited, asks := range map[time.Duration]bool{3 * time.Second: false, 3*time.Second + 1: true} {
		r := newRig(t, Config{})
		r.reply(wire.FindCoordinatorReply{Node: 1})
		r.reply(wire.JoinReply{MemberID: "me", Generation: 1, Protocol: "c", Leader: "other"})
		r.now += waited
		if r.reply(wire.SyncReply{Assignment: assignment(t, 0)}); len(r.out.Requests) == 1 != asks {
			t.Errorf("%v: %q", waited, DescribeOutput(&r.out))
		}
	}
}

// A static member that is back and given what only its former self subscribed to asks for another round; nobody else does.
func TestFormerSelfSubscribedToMore(t *testing.T) {
	for _, instance := range []string{"", "i"} {
		r := newRig(t, Config{InstanceID: instance})
		r.reply(wire.FindCoordinatorReply{Node: 1})
		a := protocol.Assignment{Partitions: []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{0}}, {Topic: "u", Partitions: []int32{0}}}}
		for generation := int32(1); generation <= 2; generation++ {
			data, err := a.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			r.reply(wire.JoinReply{MemberID: "me", Generation: generation, Protocol: "c", Leader: "other"})
			r.reply(wire.SyncReply{Assignment: data})
			if again := r.m.State() == Joining; again != (instance != "" && generation == 1) {
				t.Fatalf("%q, generation %d: joins again %v", instance, generation, again)
			}
			if instance == "" {
				break
			}
		}
	}
}

// A round that went by unnoticed is told of once.
func TestMissedRoundIsOver(t *testing.T) {
	r := newRig(t, Config{})
	r.stable()
	r.step(Rejoin{Reason: "test"})
	r.again(3, 0)
	if r.out.Callback.Kind != Lost || r.m.LossCode() != wire.IllegalGeneration {
		t.Fatalf("%q, %v", DescribeOutput(&r.out), r.m.LossCode())
	}
	join := r.out // for the follow-up
	r.step(CallbackDone{ID: r.out.Callback.ID})
	r.out = join
	r.again(4)
	if c := r.out.Callback; c == nil || c.Kind != Revoke {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}

// Topics are a set, whatever order and number they are named in, and what the driver hands over stays as it is.
func TestSubscribe(t *testing.T) {
	r := newRig(t, Config{})
	r.stable()
	if r.step(Subscribe{Topics: []string{"t", "t"}, UserData: nil}); len(r.out.Requests) > 0 {
		t.Errorf("a topic named twice: %q", DescribeOutput(&r.out))
	}
	counts := []TopicCount{{Topic: "x", Partitions: 1}, {Topic: "a", Partitions: 2}}
	if r.step(Metadata{Topics: counts}); counts[0].Topic != "x" || len(r.out.Requests) > 0 {
		t.Errorf("%v: %q", counts, DescribeOutput(&r.out))
	}
	r.step(Subscribe{Topics: []string{"u", "t", "b", "t"}})
	if got := r.said().Topics; !reflect.DeepEqual(got, []string{"b", "t", "u"}) {
		t.Errorf("subscribes to %v", got)
	}
	if got := State(99).String(); got != "state 99" {
		t.Error(got)
	}
}
