package membership

import (
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

func numbers(from, n int32) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = from + int32(i)
	}
	return list
}

// Hints fill the room that there is to the last partition, and two of them share it.
func TestHintsFillTheRoom(t *testing.T) {
	const many = 30_000
	for length := range 4 {
		r := newRig(t, Config{Offers: []Offer{{Name: "c"}}, Labels: map[string]string{"k": strings.Repeat("x", length)}})
		r.reply(wire.FindCoordinatorReply{Node: 1})
		r.again(1, numbers(0, many)...)
		r.step(CallbackDone{ID: r.out.Callback.ID})
		r.step(Rejoin{Reason: "test"})
		r.step(CallbackDone{ID: r.out.Callback.ID})
		if left := protocol.MaxUserData - len(r.said().UserData); left < 0 || left > 3 {
			t.Errorf("a label of %d: %d bytes are left", length, left)
		}
	}
	for _, coming := range []int32{0, 1, 16_000} {
		r := newRig(t, Config{HandOver: true})
		find := r.out
		r.step(Metadata{Topics: []TopicCount{{Topic: "t", Partitions: 2 * many}}})
		r.out = find
		r.reply(wire.FindCoordinatorReply{Node: 1})
		r.again(1, numbers(0, many)...)
		r.step(CallbackDone{ID: r.out.Callback.ID})
		r.step(Rejoin{Reason: "test"})
		r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
		r.reply(wire.SyncReply{Assignment: hinted(t, &protocol.UserData{Coming: []strategy.TopicPartitions{{Topic: "t", Partitions: numbers(many, coming)}}}, 0)})
		r.beat()
		r.reply(wire.HeartbeatReply{Code: wire.RebalanceInProgress})
		if len(r.out.Requests) == 0 {
			r.beat() // behind its patience
		}
		u, ok, err := protocol.DecodeUserData(r.said().UserData)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		expecting, releasing := len(newSet(u.Expecting)), len(newSet(u.Releasing))
		whole, half := protocol.MaxUserData/4-30, protocol.MaxUserData/8-30
		switch coming {
		case 0:
			if expecting != 0 || releasing < whole {
				t.Errorf("releases %d", releasing)
			}
		case 1:
			if expecting != 1 || releasing < half {
				t.Errorf("releases %d and expects %d", releasing, expecting)
			}
		default:
			if expecting < half || releasing < half {
				t.Errorf("releases %d and expects %d", releasing, expecting)
			}
		}
	}
}

// What cannot be worked on any longer is not worked on until the round that was announced: what a Revoke has already, what was not announced yet.
func TestNothingToGoOnWith(t *testing.T) {
	followUp := &protocol.UserData{FollowUp: &protocol.FollowUp{After: time.Second, Grace: time.Second}}
	r := newRig(t, Config{HandOver: true})
	r.stable()
	r.step(Rejoin{Reason: "test"})
	r.again(2, 0)
	r.beat()
	r.reply(wire.HeartbeatReply{Code: wire.RebalanceInProgress})
	r.beat() // joins, and Revoke runs
	r.reply(wire.JoinReply{MemberID: "me", Generation: 3, Protocol: "c", Leader: "other"})
	if r.reply(wire.SyncReply{Assignment: hinted(t, followUp, 0)}); r.m.State() != Revoking {
		t.Errorf("in a Revoke: %s", r.m.Describe())
	}
	r = newRig(t, Config{HandOver: true})
	r.stable()
	for generation := int32(2); generation <= 3; generation++ {
		r.step(Rejoin{Reason: "test"})
		r.again(generation, numbers(0, generation+1)...) // and an Assign runs on
	}
	r.step(Rejoin{Reason: "test"})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 4, Protocol: "c", Leader: "other"})
	if r.reply(wire.SyncReply{Assignment: hinted(t, followUp, 0, 1, 2)}); r.m.State() != Joining {
		t.Errorf("not announced: %s", r.m.Describe())
	}
}

// What was to be given up, and is lost before that, holds no round up. One partition is worth telling of.
func TestLosesWhatItWasToGiveUp(t *testing.T) {
	r := newRig(t, Config{HandOver: true})
	r.stable()
	r.step(Metadata{Topics: []TopicCount{{Topic: "t", Partitions: 2, ID: [16]byte{1}}}}) // starts a round
	r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
	r.reply(wire.SyncReply{Assignment: hinted(t, &protocol.UserData{FollowUp: &protocol.FollowUp{After: time.Minute, Grace: time.Minute}}, 0)})
	if got := r.m.Describe(); !strings.HasSuffix(got, "on t[1]") {
		t.Errorf("%s", got)
	}
	r.step(Metadata{Topics: []TopicCount{{Topic: "t", Partitions: 2, ID: [16]byte{2}}}})
	if c := r.out.Callback; c == nil || c.Kind != Lost || len(c.Partitions) != 2 || c.Generation != 2 {
		t.Fatalf("%q, %+v", DescribeOutput(&r.out), c)
	}
	r.beat()
	if r.reply(wire.HeartbeatReply{Code: wire.RebalanceInProgress}); r.m.State() == Stable {
		t.Errorf("%s", r.m.Describe())
	}
}

// A partition that is given back while its Revoke runs is read ahead once that has ended, if another callback comes first.
func TestReadsAheadWhatComesBack(t *testing.T) {
	r := newRig(t, Config{HandOver: true})
	r.stable()
	r.step(Rejoin{Reason: "test"})
	r.again(2, 0)
	revoke := r.out.Callback
	r.beat()
	r.reply(wire.HeartbeatReply{Code: wire.RebalanceInProgress})
	r.beat()
	r.again(3, 1)
	r.step(CallbackDone{ID: revoke.ID})
	if c := r.out.Callback; c == nil || c.Kind != Revoke || r.out.Coming == nil || len(*r.out.Coming) != 1 || (*r.out.Coming)[0] != at(1) {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}
