package membership

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// What a member owes to its application and its group at odd moments.

func at(p int32) strategy.TopicPartition { return strategy.TopicPartition{Topic: "t", Partition: p} }

func (r *rig) commit(id uint64, p int32, offset int64) {
	r.step(Commit{ID: id, Offsets: []wire.Offset{{TopicPartition: at(p), Offset: offset}}})
}

// again goes through another round, with that assignment.
func (r *rig) again(generation int32, partitions ...int32) {
	r.t.Helper()
	r.reply(wire.JoinReply{MemberID: "me", Generation: generation, Protocol: "c", Leader: "other"})
	r.reply(wire.SyncReply{Assignment: assignment(r.t, partitions...)})
}

// The group waits for a callback from when it began to wait for the member, and that is not while the member waits for others.
func TestDeadlines(t *testing.T) {
	r := newRig(t, Config{Rebalance: 20 * time.Second})
	r.reply(wire.FindCoordinatorReply{Node: 1})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 1, Protocol: "c", Leader: "other"})
	r.now = 5 * time.Second
	r.reply(wire.SyncReply{Assignment: assignment(t, 0, 1)})
	if got := r.out.Callback.Deadline; got != 20*time.Second { // the sync that was answered was sent at 0
		t.Errorf("Assign may take until %v", got)
	}
	r.step(CallbackDone{ID: r.out.Callback.ID})
	r.beat()
	sent := r.now
	r.now += 100 * time.Millisecond
	r.reply(wire.HeartbeatReply{})
	r.now += time.Second
	r.step(Leave{})
	if got := r.out.Callback.Deadline; got != sent+20*time.Second {
		t.Errorf("Revoke may take until %v, want %v", got, sent+20*time.Second)
	}
}

// An eager member that is to join ends an Assign that has just begun, as what it prepares has to go.
func TestEagerCancelsAssign(t *testing.T) {
	for _, kind := range []Kind{Assign, Revoke} {
		r := newRig(t, Config{Offers: []Offer{{Name: "c", Protocol: strategy.ProtocolEager}}})
		r.reply(wire.FindCoordinatorReply{Node: 1})
		r.again(1, 0, 1)
		if kind == Revoke {
			r.step(CallbackDone{ID: r.out.Callback.ID})
			r.step(Rejoin{Reason: "test"})
		}
		running := r.out.Callback
		r.beat()
		r.reply(wire.HeartbeatReply{Code: wire.RebalanceInProgress})
		want := running.ID
		if kind == Revoke {
			want = 0
		}
		if running.Kind != kind || r.out.Cancel != want {
			t.Errorf("%v: %q", kind, DescribeOutput(&r.out))
		}
	}
}

// That one Assign was told to end does not excuse the error of the next.
func TestAssignFailsBehindACancelledOne(t *testing.T) {
	r := newRig(t, Config{})
	r.reply(wire.FindCoordinatorReply{Node: 1})
	r.again(1, 0)
	assign := r.out.Callback.ID
	r.beat()
	r.reply(wire.HeartbeatReply{Code: wire.UnknownMemberID})
	r.step(CallbackDone{ID: assign + 7}) // of no callback that there is
	if r.out.Callback != nil {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	r.step(CallbackDone{ID: assign, Err: errors.New("told to end")})
	r.step(CallbackDone{ID: r.out.Callback.ID}) // Lost
	r.now = r.out.Wake
	r.step(Tick{})
	r.again(4, 0)
	failed := errors.New("no room")
	r.step(CallbackDone{ID: r.out.Callback.ID, Err: failed})
	if r.m.State() != Leaving || r.out.Callback == nil || r.out.Callback.Kind != Revoke {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	r.step(CallbackDone{ID: r.out.Callback.ID})
	if r.reply(wire.LeaveReply{}); r.out.Ended == nil || !errors.Is(r.out.Ended.Err, failed) {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}

// Partitions that are lost do not end a Revoke of others, and those that are in it take their commits with them.
func TestLostBesideRevoke(t *testing.T) {
	for _, topic := range []string{"t", "u"} {
		r := newRig(t, Config{})
		find := r.out
		r.step(Subscribe{Topics: []string{"t", "u"}})
		r.out = find
		r.reply(wire.FindCoordinatorReply{Node: 1})
		r.reply(wire.JoinReply{MemberID: "me", Generation: 1, Protocol: "c", Leader: "other"})
		a := protocol.Assignment{Partitions: []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{0}}, {Topic: "u", Partitions: []int32{0}}}}
		data, err := a.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		r.reply(wire.SyncReply{Assignment: data})
		r.step(CallbackDone{ID: r.out.Callback.ID})
		counts := []TopicCount{{Topic: "t", Partitions: 1, ID: [16]byte{1}}, {Topic: "u", Partitions: 1, ID: [16]byte{1}}}
		r.step(Metadata{Topics: counts}) // starts a round
		a.Partitions = a.Partitions[1:]
		if data, err = a.AppendBinary(nil); err != nil {
			t.Fatal(err)
		}
		r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
		r.reply(wire.SyncReply{Assignment: data})
		revoke := r.out.Callback
		r.commit(1, 0, 9)
		changed := []TopicCount{counts[0], counts[1]}
		for i := range changed {
			if changed[i].Topic == topic {
				changed[i].ID = [16]byte{2}
			}
		}
		r.step(Metadata{Topics: changed})
		if got, want := r.out.Cancel == revoke.ID, topic == "t"; got != want {
			t.Errorf("%s is lost: Revoke of t is cancelled: %v", topic, got)
		}
		if got, want := len(r.out.Answers) == 1, topic == "t"; got != want {
			t.Errorf("%s is lost: a commit of t is answered: %v", topic, got)
		}
	}
}

// A leader plans as who it is. What it has planned for is over with its membership, like all that was announced to it.
func TestForgets(t *testing.T) {
	r := newRig(t, Config{HandOver: true})
	r.stable()
	r.step(Metadata{Topics: []TopicCount{{Topic: "t", Partitions: 4}}})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "me", Members: []protocol.JoinMember{{ID: "me"}}})
	if c := r.out.Compute; c == nil || c.Generation != 2 || c.Protocol != "c" || c.Leader != "me" || len(c.Members) != 1 {
		t.Fatalf("%q, %+v", DescribeOutput(&r.out), c)
	}
	r.step(Computed{Generation: 2, Topics: []TopicCount{{Topic: "t", Partitions: 4}, {Topic: "others", Partitions: 2}}, Withheld: true})
	u := protocol.UserData{Coming: []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{3}}}, FollowUp: &protocol.FollowUp{After: time.Hour, Grace: time.Second}}
	r.reply(wire.SyncReply{Assignment: hinted(t, &u, 0)})
	if r.out.Coming == nil || len(r.m.retained) != 1 {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	r.commit(1, 0, 5)
	commit := r.out.Requests[0].ID
	r.step(Tick{}) // behind the commit
	r.beat()
	r.reply(wire.HeartbeatReply{Code: wire.UnknownMemberID})
	if r.out.Coming == nil || len(*r.out.Coming) != 0 || r.m.LossCode() != wire.UnknownMemberID || len(r.out.Answers) != 1 || r.out.Answers[0].Codes[0] != wire.UnknownMemberID {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	r.step(CallbackDone{ID: r.out.Callback.ID})
	r.now = max(r.now, r.m.retryAt)
	r.step(Tick{})
	if s := r.said(); len(s.Owned) != 0 || s.Generation != strategy.NoGeneration {
		t.Errorf("claims %+v", s)
	}
	r.again(2, 0) // as before: the group has forgotten all
	assign := r.out.Callback
	r.step(Replied{ID: commit, Body: wire.CommitReply{Codes: []wire.Code{wire.IllegalGeneration}}}) // of the former self
	if r.m.State() != Stable || assign == nil || assign.Kind != Assign {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	r.step(CallbackDone{ID: assign.ID})
	r.step(Metadata{Topics: []TopicCount{{Topic: "t", Partitions: 4}, {Topic: "others", Partitions: 9}}})
	for began := r.now; r.now < began+2*time.Minute; r.step(Tick{}) {
		if r.m.State() != Stable {
			t.Fatalf("begins a round at %v: %s", r.now-began, r.m.Reason().Text)
		}
		for _, request := range r.out.Requests {
			r.step(Replied{ID: request.ID, Body: wire.HeartbeatReply{}})
		}
		r.now = r.out.Wake
	}
}

// Once it is to leave, nothing is read ahead, a second request does not give it more time, and what is still to be committed when that is over is
// answered before the end.
func TestLeavingInTime(t *testing.T) {
	r := newRig(t, Config{HandOver: true, Leave: 30 * time.Second})
	r.stable()
	r.step(Metadata{Topics: []TopicCount{{Topic: "t", Partitions: 4}}})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
	u := protocol.UserData{Coming: []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{3}}}, FollowUp: &protocol.FollowUp{After: time.Hour}}
	r.reply(wire.SyncReply{Assignment: hinted(t, &u, 0, 1)})
	began := r.now
	r.step(Leave{}) // hands over first
	if r.m.State() != Stable {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	r.now += 5 * time.Second
	r.commit(1, 0, 5)
	r.step(Leave{Prompt: true})
	if r.m.State() != Leaving || r.out.Coming == nil || len(*r.out.Coming) != 0 || r.out.Callback.Kind != Revoke {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	revoke := r.out.Callback.ID
	var answers []Answer
	for r.now < began+30*time.Second {
		r.now = min(r.out.Wake, began+30*time.Second)
		r.step(Tick{})
		answers = append(answers, r.out.Answers...)
	}
	if r.out.Cancel != revoke {
		t.Errorf("Revoke goes on behind the end of its time: %q", DescribeOutput(&r.out))
	}
	r.step(CallbackDone{ID: revoke})
	answers = append(answers, r.out.Answers...)
	if r.out.Ended == nil || len(answers) != 1 || answers[0].ID != 1 || answers[0].Codes[0] != wire.UnknownMemberID {
		t.Errorf("%q, answers %v", DescribeOutput(&r.out), answers)
	}
}

// A member that leaves and is fenced meanwhile says so.
func TestFencedWhileLeaving(t *testing.T) {
	r := newRig(t, Config{InstanceID: "i"})
	r.stable()
	r.step(Leave{Farewell: true})
	revoke, deadline := r.out.Callback.ID, r.m.leave.deadline
	r.beat()
	r.reply(wire.HeartbeatReply{Code: wire.FencedInstanceID})
	if r.out.Cancel != revoke || r.m.leave.deadline != deadline || r.m.LossCode() != wire.FencedInstanceID {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	if r.step(CallbackDone{ID: revoke}); r.out.Ended == nil || !errors.Is(r.out.Ended.Err, wire.FencedInstanceID) || len(r.out.Requests) > 0 {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}

// A member that hands over before it leaves, and cannot take over what the round gives to it, leaves as it was told to.
func TestAssignFailsWhileHandingOver(t *testing.T) {
	r := newRig(t, Config{HandOver: true})
	r.stable()
	r.step(Leave{Reason: "deploy"})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
	r.reply(wire.SyncReply{Assignment: hinted(t, &protocol.UserData{FollowUp: &protocol.FollowUp{After: time.Second}}, 0, 1, 2)})
	if r.m.State() != Stable {
		t.Fatal(r.m.Describe())
	}
	r.step(CallbackDone{ID: r.out.Callback.ID, Err: errors.New("no room")})
	if r.m.State() != Leaving || r.m.leave.err != nil || r.m.leave.reason != "deploy" {
		t.Errorf("%s, %+v", r.m.Describe(), r.m.leave)
	}
}

// How long others are kept waiting for a Revoke: as long as the last one took, or what commits take of late, but not for one that takes long.
func TestPatience(t *testing.T) {
	const ms = time.Millisecond
	all := next{since: 1} // announced to members who all follow
	r := newRig(t, Config{HandOver: true})
	r.stable()
	r.m.next = all
	if got := r.m.patience(); got != 10*ms {
		t.Errorf("at first: %v", got)
	}
	for i, c := range []struct{ took, want time.Duration }{{40 * ms, 50 * ms}, {8 * ms, 40 * ms}, {300 * ms, 110 * ms}} {
		r.commit(1, 0, int64(i))
		r.now += c.took
		if r.reply(wire.CommitReply{Codes: []wire.Code{wire.None}}); r.m.patience() != c.want {
			t.Errorf("a commit that took %v: %v, want %v", c.took, r.m.patience(), c.want)
		}
	}
	for _, c := range []struct{ took, want time.Duration }{{100 * ms, 110 * ms}, {101 * ms, 0}} {
		r := newRig(t, Config{HandOver: true})
		r.stable()
		r.step(Rejoin{Reason: "test"})
		r.again(2, 0)
		r.now += c.took
		r.step(CallbackDone{ID: r.out.Callback.ID})
		r.m.next = all
		if got := r.m.patience(); got != c.want {
			t.Errorf("a Revoke that took %v: %v, want %v", c.took, got, c.want)
		}
	}
	if r = newRig(t, Config{}); r.m.patience() != 0 {
		t.Error("without hand-over it waits")
	}
	r = newRig(t, Config{HandOver: true})
	for took, want := range map[time.Duration]time.Duration{0: time.Second, time.Second: time.Second, time.Second + 1: 0} {
		if r.m.revokeTook = took; r.m.patience() != want {
			t.Errorf("with members that do not follow, after a Revoke that took %v: %v, want %v", took, r.m.patience(), want)
		}
	}
	if r = newRig(t, Config{HandOver: true, Rebalance: 4 * time.Second}); r.m.patience() != 500*ms {
		t.Errorf("of a short rebalance: %v", r.m.patience())
	}
}

// Who waits for a round of which nobody knows when it will be asks often at first.
func TestPulse(t *testing.T) {
	r := newRig(t, Config{HandOver: true})
	for _, c := range []struct {
		next next
		now  Time
		want time.Duration
	}{
		{next{}, time.Minute, 3 * time.Second},
		{next{since: time.Minute}, time.Minute, 30 * time.Millisecond},
		{next{since: time.Minute}, time.Minute + 20*time.Second, 200 * time.Millisecond},
		{next{since: 1}, time.Hour, 3 * time.Second},
		{next{since: time.Minute, at: time.Hour}, time.Minute, 3 * time.Second},
	} {
		r.m.next, r.m.now = c.next, c.now
		if got := r.m.pulse(); got != c.want {
			t.Errorf("%+v at %v: %v, want %v", c.next, c.now, got, c.want)
		}
	}
}

// The answer to a join comes in the very step in which the time to leave is over: the sync is not sent, as its connection is closed.
func TestJoinAnsweredTooLate(t *testing.T) {
	r := newRig(t, Config{})
	r.stable()
	r.step(Rejoin{Reason: "test"})
	join := r.out
	r.step(Leave{Prompt: true})
	revoke := r.out.Callback.ID
	r.now += 31 * time.Second
	r.out = join
	r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
	if len(r.out.Requests) > 0 || len(r.out.Close) != 1 || r.out.Close[0] != Group || r.out.Cancel != revoke {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}

// Who is cut off from the coordinator looks for it at once, and has what is left of its session; then it knows that nothing told it. The time in
// which a join waited is not part of that.
func TestSessionWithoutCoordinator(t *testing.T) {
	for _, waited := range []time.Duration{0, 30 * time.Second} {
		r := newRig(t, Config{})
		r.stable()
		if waited > 0 {
			r.step(Rejoin{Reason: "test"})
			r.now += waited
		}
		r.step(Disconnected{Lane: Group})
		if r.m.State() != Rediscovering || len(r.m.Owned()) != 2 || !reflect.DeepEqual(r.out.Close, []Lane{Group, Offsets}) {
			t.Fatalf("%q", DescribeOutput(&r.out))
		}
		for r.out.Callback == nil && r.out.Wake != Never {
			r.now = r.out.Wake
			r.step(Tick{})
			if len(r.out.Requests) == 1 && (r.out.Requests[0].Lane != Any || r.out.Requests[0].Node != -1) {
				t.Fatalf("%q", DescribeOutput(&r.out))
			}
		}
		if r.now != waited+45*time.Second || r.out.Callback.Kind != Lost || r.m.LossCode() != wire.None || r.m.Reason().Text != "session expired" {
			t.Errorf("at %v %q, %s", r.now, DescribeOutput(&r.out), r.m.Describe())
		}
	}
}

// The coordinator lets the session of a member run from its last answer, whatever that was: a member that takes long to revoke is told of the round
// again and again, and one whose join or plan took long has heard of it since.
func TestSessionGoesOn(t *testing.T) {
	r := newRig(t, Config{Offers: []Offer{{Name: "c"}}})
	r.stable()
	for r.now < 2*time.Minute {
		r.beat()
		r.reply(wire.HeartbeatReply{Code: wire.RebalanceInProgress})
	}
	if len(r.m.lost) > 0 || r.m.State() != Revoking {
		t.Errorf("Revoke: %s", r.m.Describe())
	}
	for _, leaves := range []bool{false, true} {
		r := newRig(t, Config{})
		r.stable()
		r.step(Rejoin{Reason: "test"})
		r.now += 50 * time.Second
		r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "me", Members: []protocol.JoinMember{{ID: "me"}}})
		if len(r.m.lost) > 0 || r.m.State() != Assigning {
			t.Fatalf("join: %s", r.m.Describe())
		}
		r.beat() // not answered
		r.now += 15 * time.Second
		r.step(Computed{Generation: 2})
		sync := r.out
		if leaves {
			r.step(Leave{Prompt: true})
		}
		r.out, r.now = sync, r.now+29*time.Second
		if r.reply(wire.SyncReply{Code: wire.RebalanceInProgress}); len(r.m.lost)+len(r.m.refused) > 0 {
			t.Errorf("sync, leaves %v: %s", leaves, r.m.Describe())
		}
	}
}

// A heartbeat is given up before the session is over, and waits begin anew with an assignment.
func TestSilentHeartbeat(t *testing.T) {
	r := newRig(t, Config{Session: 20 * time.Second})
	r.reply(wire.FindCoordinatorReply{Node: 1})
	for range 3 {
		r.reply(wire.JoinReply{Code: wire.CoordinatorLoading})
		r.beat()
	}
	r.again(1, 0)
	r.beat()
	sent := r.now
	for r.m.State() == Stable {
		r.now = r.out.Wake
		r.step(Tick{})
	}
	gone := r.now
	if gone != sent+10*time.Second {
		t.Errorf("given up after %v", gone-sent)
	}
	if r.beat(); r.now > gone+120*time.Millisecond {
		t.Errorf("looks for the coordinator after %v", r.now-gone)
	}
}

// The machine asks to be woken for what is to be done, and not before.
func TestWake(t *testing.T) {
	r := newRig(t, Config{})
	r.stable()
	began := r.now
	if r.step(Rejoin{Reason: "test"}); r.out.Wake != began+65*time.Second {
		t.Errorf("in a join: %v", r.out.Wake)
	}
	r = newRig(t, Config{})
	r.stable()
	r.step(Disconnected{Lane: Group})
	r.now = r.out.Wake
	if r.step(Tick{}); len(r.out.Requests) != 1 || r.out.Wake != r.now+30*time.Second {
		t.Errorf("without a coordinator: %v, %q", r.out.Wake, DescribeOutput(&r.out))
	}
}

// A topic in the place of another is a change, though there are as many partitions; one that a plan knows and the member does not is none.
func TestTopicsChange(t *testing.T) {
	r := newRig(t, Config{})
	find := r.out
	r.step(Subscribe{Topics: []string{"t", "u"}})
	r.step(Metadata{Topics: []TopicCount{{Topic: "t", Partitions: 2}}})
	r.out = find
	r.stable()
	if r.step(Metadata{Topics: []TopicCount{{Topic: "u", Partitions: 2}}}); r.m.State() != Joining {
		t.Errorf("%s", r.m.Describe())
	}
	r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "me", Members: []protocol.JoinMember{{ID: "me"}}})
	r.step(Computed{Generation: 2, Topics: []TopicCount{{Topic: "others", Partitions: 2}}})
	if r.reply(wire.SyncReply{Assignment: assignment(t, 0, 1)}); r.m.State() != Stable {
		t.Errorf("%s", r.m.Reason().Text)
	}
}

// A callback is told to end if all of what it is about is lost; a Revoke also if a part is, since that may be somebody else's by now.
func TestPartlyLost(t *testing.T) {
	for _, c := range []struct {
		name    string
		before  []int32
		given   []int32
		kind    Kind
		cancels bool
	}{
		{"a part of a Revoke", nil, []int32{0}, Revoke, true},
		{"something else than a Revoke's", []int32{0}, []int32{1}, Revoke, false},
		{"a part of an Assign", []int32{0, 1, 2, 3}, []int32{0, 1, 2}, Assign, false},
		{"all of an Assign", []int32{0, 1, 2, 3}, []int32{0, 1}, Assign, true},
	} {
		r := newRig(t, Config{})
		r.stable()
		r.step(Rejoin{Reason: "test"})
		r.again(2, c.before...)
		running := r.out.Callback
		r.beat()
		r.reply(wire.HeartbeatReply{Code: wire.RebalanceInProgress})
		r.again(4, c.given...)
		if cancels := r.out.Cancel == running.ID; running.Kind != c.kind || running.Generation != 2 || cancels != c.cancels || len(r.m.lost)+len(r.m.refused) == 0 {
			t.Errorf("%s: %+v is cancelled: %v", c.name, running, cancels)
		}
	}
}
