package membership

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// What each code that answers a first join leads to.
func TestJoinCodes(t *testing.T) {
	for _, c := range []struct {
		code  wire.Code
		state State
		waits bool // before it tries again
	}{
		{wire.MemberIDRequired, Joining, false},
		{wire.RebalanceInProgress, Joining, true},
		{wire.IllegalGeneration, Joining, true},
		{wire.UnknownMemberID, Joining, true},
		{wire.CoordinatorLoading, Joining, true},
		{wire.NotCoordinator, Discovering, true},
		{wire.InconsistentGroupProtocol, Ended, false},
		{wire.GroupMaxSizeReached, Ended, false},
	} {
		t.Run(c.code.String(), func(t *testing.T) {
			r := newRig(t, Config{})
			if find := r.out.Requests[0].Body; find != (wire.FindCoordinator{Group: "g"}) {
				t.Errorf("looks for %+v", find)
			}
			r.reply(wire.FindCoordinatorReply{Node: 1})
			r.reply(wire.JoinReply{Code: c.code, MemberID: "named"})
			if r.m.State() != c.state || len(r.out.Requests) > 0 == (c.waits || c.state == Ended) {
				t.Fatalf("%v: %q", r.m.State(), DescribeOutput(&r.out))
			}
			switch {
			case c.state == Ended:
				if !errors.Is(r.out.Ended.Err, c.code) {
					t.Error(r.out.Ended.Err)
				}
			case !c.waits:
				if j := r.out.Requests[0].Body.(wire.Join); j.MemberID != "named" {
					t.Errorf("joins as %q", j.MemberID)
				}
			default:
				if r.beat(); r.now < 80*time.Millisecond || r.now > 150*time.Millisecond {
					t.Errorf("tries again at %v", r.now)
				}
			}
		})
	}
}

// What each code that answers a sync leads to. What the member has it keeps unless it is told that it is not of the group.
func TestSyncCodes(t *testing.T) {
	for _, c := range []struct {
		code  wire.Code
		state State
		lost  bool
		waits bool
	}{
		{wire.RebalanceInProgress, Joining, false, false},
		{wire.IllegalGeneration, Joining, false, true},
		{wire.CoordinatorLoading, Joining, false, true},
		{wire.NotCoordinator, Rediscovering, false, true},
		{wire.UnknownMemberID, Joining, true, true},
		{wire.FencedInstanceID, Leaving, true, false},
	} {
		t.Run(c.code.String(), func(t *testing.T) {
			r := newRig(t, Config{})
			r.stable()
			r.step(Rejoin{Reason: "test"})
			r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
			r.reply(wire.SyncReply{Code: c.code})
			if lost := r.out.Callback != nil && r.out.Callback.Kind == Lost; r.m.State() != c.state || lost != c.lost {
				t.Fatalf("%v: %q", r.m.State(), DescribeOutput(&r.out))
			}
			if sends := len(r.out.Requests) > 0; sends == c.waits && c.state != Leaving {
				t.Errorf("sends: %v", sends)
			}
		})
	}
}

// What each code that answers a farewell leads to.
func TestFarewellCodes(t *testing.T) {
	for _, c := range []struct {
		code wire.Code
		next wire.Request // nil for the end
	}{
		{wire.None, nil},
		{wire.UnknownMemberID, nil},
		{wire.NotCoordinator, wire.FindCoordinator{Group: "g"}},
		{wire.CoordinatorLoading, wire.Leave{Group: "g", MemberID: "me", Reason: "test"}},
	} {
		r := newRig(t, Config{})
		r.stable()
		r.step(Leave{Reason: "test", Prompt: true})
		r.step(CallbackDone{ID: r.out.Callback.ID})
		r.reply(wire.LeaveReply{Code: c.code})
		if ended := r.out.Ended != nil; ended != (c.next == nil) {
			t.Fatalf("%v: %q", c.code, DescribeOutput(&r.out))
		}
		if c.next == nil {
			continue
		}
		if len(r.out.Requests) > 0 {
			t.Errorf("%v: does not wait: %q", c.code, DescribeOutput(&r.out))
		}
		if r.beat(); r.out.Requests[0].Body != c.next {
			t.Errorf("%v: sends %s", c.code, wire.Describe(r.out.Requests[0].Body))
		}
	}
}

func TestFindCoordinatorRefused(t *testing.T) {
	r := newRig(t, Config{})
	if r.reply(wire.FindCoordinatorReply{Code: wire.GroupAuthorizationFailed}); r.out.Ended == nil || !errors.Is(r.out.Ended.Err, wire.GroupAuthorizationFailed) {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}

// A member that has not begun ends at once, and one that cannot say what it reads says why.
func TestEndsAtOnce(t *testing.T) {
	m, err := New(Config{Group: "g", Offers: []Offer{{Name: "c"}}})
	if err != nil {
		t.Fatal(err)
	}
	if out := m.Step(0, Leave{}); out.Ended == nil || out.Ended.Err != nil || out.Wake != Never {
		t.Errorf("%q", DescribeOutput(&out))
	}
	r := newRig(t, Config{})
	find := r.out
	r.step(Subscribe{Topics: []string{strings.Repeat("x", 1<<16)}})
	r.out = find
	if r.reply(wire.FindCoordinatorReply{Node: 1}); r.out.Ended == nil || r.out.Ended.Err == nil {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}

// A leader that is not to assign asks for the assignment that there is.
func TestLeaderThatIsNotToAssign(t *testing.T) {
	r := newRig(t, Config{})
	r.reply(wire.FindCoordinatorReply{Node: 1})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 1, Protocol: "c", Leader: "me"})
	if s, ok := r.out.Requests[0].Body.(wire.Sync); r.out.Compute != nil || !ok || s.Assignments != nil {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
	r.step(Rejoin{Reason: "test"})
	r = newRig(t, Config{})
	r.reply(wire.FindCoordinatorReply{Node: 1})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 1, Protocol: "c", Leader: "other", Members: []protocol.JoinMember{{ID: "me"}}})
	if r.out.Compute != nil {
		t.Errorf("a follower plans: %q", DescribeOutput(&r.out))
	}
}

// What an assignor sends along is what the member was made with, and later what it was told.
func TestUserData(t *testing.T) {
	r := newRig(t, Config{Offers: []Offer{{Name: "c", Protocol: strategy.ProtocolCooperative, UserData: []byte("first")}}})
	r.reply(wire.FindCoordinatorReply{Node: 1})
	for i, want := range []string{"first", "second", "third"} {
		if u, ok, err := protocol.DecodeUserData(r.said().UserData); string(u.Assignor) != want || !ok || err != nil {
			t.Errorf("sends %q, want %s", u.Assignor, want)
		}
		r.again(int32(i+1), 0)
		if r.out.Callback != nil {
			r.step(CallbackDone{ID: r.out.Callback.ID})
		}
		if i == 0 {
			if r.step(UserData{ByName: map[string][]byte{"c": []byte("second")}}); len(r.out.Requests) > 0 {
				t.Error("that is a reason to join")
			}
			r.step(Rejoin{Reason: "test"})
		} else {
			r.step(Subscribe{Topics: []string{"t"}, UserData: map[string][]byte{"c": []byte("third")}}) // is one
		}
	}
}

// What may be worked on: what is delivered, and what is in a Revoke.
func TestProcessing(t *testing.T) {
	r := newRig(t, Config{})
	r.stable()
	r.step(Rejoin{Reason: "test"})
	r.again(2, 1, 2)
	if c := r.out.Callback; c.Kind != Revoke || !reflect.DeepEqual(r.m.Processing(), []strategy.TopicPartition{at(0), at(1)}) {
		t.Errorf("during %v of %v: %v", c.Kind, c.Partitions, r.m.Processing())
	}
	r.step(CallbackDone{ID: r.out.Callback.ID})
	if c := r.out.Callback; c.Kind != Assign || !reflect.DeepEqual(r.m.Processing(), []strategy.TopicPartition{at(1)}) {
		t.Errorf("during %v of %v: %v", c.Kind, c.Partitions, r.m.Processing())
	}
}

// A partition whose last commit is not answered is claimed, and said to be on its way out, though its Revoke has ended.
func TestClaimsWhatIsBeingCommitted(t *testing.T) {
	for _, lost := range []bool{false, true} {
		r := newRig(t, Config{})
		r.stable()
		r.step(Metadata{Topics: []TopicCount{{Topic: "t", Partitions: 2, ID: [16]byte{1}}}}) // starts a round
		r.again(2, 0, 1)
		r.commit(1, 1, 5)
		r.step(Rejoin{Reason: "test"})
		r.again(3, 0)
		revoke := r.out.Callback.ID
		if lost {
			r.step(Metadata{Topics: []TopicCount{{Topic: "t", Partitions: 2, ID: [16]byte{2}}}})
		}
		r.step(CallbackDone{ID: revoke})
		if r.m.State() == Revoking {
			r.beat()
			r.reply(wire.HeartbeatReply{Code: wire.RebalanceInProgress})
		}
		s := r.said()
		u, _, err := protocol.DecodeUserData(s.UserData)
		claims := []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{0, 1}}}
		if lost {
			claims[0].Partitions = []int32{0}
		}
		if err != nil || !reflect.DeepEqual(s.Owned, claims) || len(u.Releasing) > 0 == lost {
			t.Errorf("lost %v: claims %v, releases %v, %v", lost, s.Owned, u.Releasing, err)
		}
	}
}

// A leader's announcement is followed within bounds.
func TestSchedule(t *testing.T) {
	for _, c := range []struct {
		after, grace time.Duration
		at, more     time.Duration
	}{
		{time.Second, time.Second, 61 * time.Second, time.Second},
		{time.Hour, time.Hour, 90 * time.Second, 15 * time.Second},
		{1, 0, time.Minute + 1, 0},
		{0, time.Second, 0, time.Second},
	} {
		r := newRig(t, Config{HandOver: true})
		r.m.now = time.Minute
		r.m.schedule(&protocol.FollowUp{After: c.after, Grace: c.grace})
		if n := r.m.next; n.since != time.Minute || n.at != c.at || n.grace != c.more {
			t.Errorf("%+v: %+v", c, n)
		}
		if c.at == 0 && r.m.heartbeatAt != time.Minute+30*time.Millisecond {
			t.Errorf("asks at %v", r.m.heartbeatAt)
		}
	}
}

// Who gives something up for a round whose time is not known lets go at once, and joins soon; a little later where a further round would have to
// wait for heartbeats of members that do not follow.
func TestGivesUpForARoundToCome(t *testing.T) {
	for grace, patience := range map[time.Duration]time.Duration{time.Second - 1: 10 * time.Millisecond, time.Second: time.Second} {
		r := newRig(t, Config{HandOver: true})
		r.stable()
		r.step(Rejoin{Reason: "test"})
		r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
		r.reply(wire.SyncReply{Assignment: hinted(t, &protocol.UserData{FollowUp: &protocol.FollowUp{Grace: grace}}, 0)})
		if c := r.out.Callback; c == nil || c.Kind != Revoke || r.m.State() != Revoking {
			t.Fatalf("%q", DescribeOutput(&r.out))
		}
		until := r.now + patience
		for r.now < until {
			if len(r.out.Requests) > 0 {
				if _, joins := r.out.Requests[0].Body.(wire.Join); joins {
					t.Fatalf("grace %v: joins at %v, not at %v", grace, r.now, until)
				}
				r.reply(wire.HeartbeatReply{})
			}
			r.now = min(r.out.Wake, until)
			r.step(Tick{})
		}
		if s := r.said(); len(s.Owned) != 1 || len(s.Owned[0].Partitions) != 2 {
			t.Errorf("claims %v", s.Owned)
		}
	}
}

// Who hands over before it leaves does not wait for a coordinator that is gone.
func TestHandsOverToNobody(t *testing.T) {
	r := newRig(t, Config{HandOver: true})
	r.stable()
	r.step(Leave{})
	if r.m.State() != Joining || r.out.Drained {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	if r.step(Disconnected{Lane: Group}); r.m.State() != Leaving || r.out.Callback == nil || r.out.Callback.Kind != Revoke {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}

// A heartbeat that is answered while a round is under way tells that the round is over, not that the member is.
func TestRoundIsOver(t *testing.T) {
	r := newRig(t, Config{})
	r.stable()
	r.beat()
	beat := r.out
	r.step(Rejoin{Reason: "test"}) // and waits for the answer
	r.out = beat
	if r.reply(wire.HeartbeatReply{Code: wire.IllegalGeneration}); r.out.Callback != nil || r.m.State() != Joining || len(r.said().Owned) != 1 {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "me", Members: []protocol.JoinMember{{ID: "me"}}})
	r.beat()
	if h := r.out.Requests[0].Body.(wire.Heartbeat); h.Generation != 2 || r.m.State() != Assigning {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	if r.reply(wire.HeartbeatReply{Code: wire.IllegalGeneration}); r.out.Callback != nil || r.m.State() != Joining || len(r.said().Owned) != 1 {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}

// Who works on what it is to give up learns that the round has begun before its time, and stays for the grace that it was given.
func TestRoundBeginsEarly(t *testing.T) {
	r := newRig(t, Config{HandOver: true, Heartbeat: time.Second})
	r.stable()
	r.step(Rejoin{Reason: "test"})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
	r.reply(wire.SyncReply{Assignment: hinted(t, &protocol.UserData{FollowUp: &protocol.FollowUp{After: 20 * time.Second, Grace: 300 * time.Millisecond}}, 0)})
	r.beat()
	r.reply(wire.HeartbeatReply{Code: wire.RebalanceInProgress})
	began := r.now
	for r.out.Callback == nil && r.out.Wake != Never {
		r.now = r.out.Wake
		r.step(Tick{})
	}
	if r.now != began+300*time.Millisecond || r.out.Callback.Kind != Revoke {
		t.Errorf("%v behind it: %q", r.now-began, DescribeOutput(&r.out))
	}
}

// What a member says of itself, and what an eager one had, is told to assignors that have room for it.
func TestSaysWhatItIs(t *testing.T) {
	cfg := Config{Rack: "r", Labels: map[string]string{"k": "v"}, Capacity: 3}
	for _, c := range []struct {
		name     string
		offers   []Offer
		had      []int32
		previous bool
	}{
		{"eager", []Offer{{Name: "c"}}, []int32{0}, true},
		{"eager, and had nothing", []Offer{{Name: "c"}}, nil, false},
		{"cooperative", []Offer{{Name: "c", Protocol: strategy.ProtocolCooperative}}, []int32{0, 1}, false},
		{"the cooperative one of a mixed list", []Offer{{Name: "c", Protocol: strategy.ProtocolCooperative}, {Name: "d"}}, []int32{0, 1}, false},
		{"the eager one of a mixed list", []Offer{{Name: "c"}, {Name: "d", Protocol: strategy.ProtocolCooperative}}, []int32{0, 1}, true},
	} {
		cfg.Offers = c.offers
		r := newRig(t, cfg)
		r.reply(wire.FindCoordinatorReply{Node: 1})
		r.again(1, c.had...)
		if r.out.Callback != nil {
			r.step(CallbackDone{ID: r.out.Callback.ID})
		}
		r.step(Rejoin{Reason: "test"})
		if r.out.Callback != nil {
			r.step(CallbackDone{ID: r.out.Callback.ID}) // an eager member's Revoke
		}
		s := r.said()
		u, ok, err := protocol.DecodeUserData(s.UserData)
		if !ok || err != nil || s.Rack != "r" || u.Labels["k"] != "v" || u.Capacity != 3 || (u.Previous != nil) != c.previous {
			t.Errorf("%s: says %+v, %+v, %v", c.name, s, u, err)
		}
		if u.Previous != nil && (u.Previous.Generation != 1 || !reflect.DeepEqual(u.Previous.Partitions, []strategy.TopicPartitions{{Topic: "t", Partitions: c.had}})) {
			t.Errorf("%s: had %+v", c.name, u.Previous)
		}
	}
}

// What was lost was somebody else's meanwhile, so an eager member does not tell that it had it.
func TestDoesNotSayWhatItLost(t *testing.T) {
	r := newRig(t, Config{Offers: []Offer{{Name: "c"}}})
	r.reply(wire.FindCoordinatorReply{Node: 1})
	r.again(1, 0, 1)
	r.step(CallbackDone{ID: r.out.Callback.ID})
	r.beat()
	r.reply(wire.HeartbeatReply{Code: wire.UnknownMemberID})
	r.step(CallbackDone{ID: r.out.Callback.ID})
	r.beat()
	if u, ok, err := protocol.DecodeUserData(r.said().UserData); !ok || err != nil || u.Previous != nil {
		t.Errorf("says %+v, %v", u, err)
	}
}
