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

// A rig is a machine whose other side the test plays.
type rig struct {
	t   *testing.T
	m   *Machine
	now Time
	out Output
}

func newRig(t *testing.T, cfg Config) *rig {
	cfg.Group = "g"
	if cfg.Offers == nil {
		cfg.Offers = []Offer{{Name: "c", Protocol: strategy.ProtocolCooperative}}
	}
	m, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, m: m}
	r.step(Subscribe{Topics: []string{"t"}})
	r.step(Start{})
	return r
}

func (r *rig) step(in Input) { r.out = r.m.Step(r.now, in) }

// reply answers the last request.
func (r *rig) reply(body wire.Reply) {
	r.t.Helper()
	if len(r.out.Requests) == 0 {
		r.t.Fatalf("nothing to answer with %s: %s", wire.Describe(body), r.m.Describe())
	}
	r.step(Replied{ID: r.out.Requests[len(r.out.Requests)-1].ID, Body: body})
}

// stable goes on until the member follows in generation 1, with t-0 and t-1 announced and delivered.
func (r *rig) stable() {
	r.reply(wire.FindCoordinatorReply{Node: 1})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 1, Protocol: "c", Leader: "other"})
	r.reply(wire.SyncReply{Assignment: assignment(r.t, 0, 1)})
	r.step(CallbackDone{ID: r.out.Callback.ID})
	if len(r.out.Start) != 2 {
		r.t.Fatal(r.m.Describe())
	}
}

// beat goes on until a heartbeat is sent.
func (r *rig) beat() {
	r.t.Helper()
	for len(r.out.Requests) == 0 {
		if r.out.Wake == Never {
			r.t.Fatal("sends nothing any more: ", r.m.Describe())
		}
		r.now = r.out.Wake
		r.step(Tick{})
	}
}

func assignment(t *testing.T, partitions ...int32) []byte {
	a := protocol.Assignment{Partitions: []strategy.TopicPartitions{{Topic: "t", Partitions: partitions}}}
	data, err := a.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestConfig(t *testing.T) {
	_, err := New(Config{Heartbeat: time.Minute, Session: -1})
	for _, want := range []error{ErrNoGroup, ErrNoOffers} {
		if !errors.Is(err, want) {
			t.Errorf("%v is not reported: %v", want, err)
		}
	}
	for want, cfg := range map[string]Config{
		"the longest retry time of -1ns is negative":                    {RetryMax: -1},
		"a heartbeat each 45s is too seldom for sessions of 45s":        {Heartbeat: 45 * time.Second},
		"the session time of -1ns is negative\nmembership: a heartbeat": {Session: -1},
	} {
		cfg.Group, cfg.Offers = "g", []Offer{{Name: "range"}}
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	sticky := Config{Group: "g", Offers: []Offer{{Name: "range"}, {Name: "sticky"}}, Capacity: 1}
	if _, err := New(sticky); err != nil {
		t.Error(err)
	}
	sticky.Capacity = 2
	if _, err := New(sticky); !errors.Is(err, ErrSticky) {
		t.Errorf("a capacity beside sticky: %v", err)
	}
	sticky.Capacity, sticky.Labels = 0, map[string]string{"tier": "gold"}
	if _, err := New(sticky); !errors.Is(err, ErrSticky) {
		t.Errorf("labels beside sticky: %v", err)
	}
}

// Java's sticky cannot say that a member drains, so that is not passed over.
func TestDrainBesideSticky(t *testing.T) {
	r := newRig(t, Config{Offers: []Offer{{Name: "sticky"}}})
	if r.step(Drain{}); !errors.Is(r.out.Refused, ErrSticky) {
		t.Errorf("%+v", r.out)
	}
	if r.step(Tick{}); r.out.Refused != nil || r.out.Drained {
		t.Errorf("%+v", r.out)
	}
}

// What a member says to the leader in its join.
func (r *rig) said() protocol.Subscription {
	r.t.Helper()
	join, ok := r.out.Requests[len(r.out.Requests)-1].Body.(wire.Join)
	if !ok {
		r.t.Fatalf("sends %+v", r.out.Requests)
	}
	s, err := protocol.DecodeSubscription(join.Offers[0].Metadata)
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// An eager member tells what it had, and a cooperative one what it is about to give up, as far as there is room.
func TestHints(t *testing.T) {
	const many = 30_000 // whose numbers are more than user data may have
	numbers := make([]int32, many)
	for i := range numbers {
		numbers[i] = int32(i)
	}
	for _, protocolOf := range []strategy.Protocol{strategy.ProtocolEager, strategy.ProtocolCooperative} {
		r := newRig(t, Config{Offers: []Offer{{Name: "c", Protocol: protocolOf}}})
		r.reply(wire.FindCoordinatorReply{Node: 1})
		r.reply(wire.JoinReply{MemberID: "me", Generation: 7, Protocol: "c", Leader: "other"})
		r.reply(wire.SyncReply{Assignment: assignment(t, numbers...)})
		r.step(CallbackDone{ID: r.out.Callback.ID})
		r.step(Rejoin{Reason: "test"})
		if protocolOf == strategy.ProtocolEager {
			r.step(CallbackDone{ID: r.out.Callback.ID})
		} else {
			r.reply(wire.JoinReply{MemberID: "me", Generation: 8, Protocol: "c", Leader: "other"})
			r.reply(wire.SyncReply{Assignment: assignment(t, 0)})
			r.beat()
			r.reply(wire.HeartbeatReply{Code: wire.RebalanceInProgress}) // joins while Revoke runs
		}
		u, ok, err := protocol.DecodeUserData(r.said().UserData)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		hint := u.Releasing
		if protocolOf == strategy.ProtocolEager {
			if u.Previous == nil || u.Previous.Generation != 7 || len(u.Releasing) > 0 {
				t.Fatalf("%+v", u)
			}
			hint = u.Previous.Partitions
		}
		if n := len(newSet(hint)); n < protocol.MaxUserData/5 || n >= many {
			t.Errorf("%v: %d partitions are told", protocolOf, n)
		}
	}
}

// A Revoke says which partitions are gone with their topic, and only of topics that the member reads.
func TestGone(t *testing.T) {
	r := newRig(t, Config{})
	r.stable()
	r.step(Metadata{Topics: []TopicCount{{Topic: "t", Partitions: 1}}}) // starts a round
	r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
	r.reply(wire.SyncReply{Assignment: assignment(t)})
	if c := r.out.Callback; c == nil || len(c.Partitions) != 2 || len(c.Gone) != 1 || c.Gone[0].Partition != 1 {
		t.Errorf("%+v", r.out.Callback)
	}
	r = newRig(t, Config{})
	r.stable()
	r.step(Subscribe{Topics: []string{"u"}})
	r.step(Leave{})
	if c := r.out.Callback; c == nil || len(c.Partitions) != 2 || len(c.Gone) > 0 {
		t.Errorf("%+v", r.out.Callback)
	}
}

// What was under way to a topic that was deleted says nothing of its successor's offsets.
func TestRecreated(t *testing.T) {
	r := newRig(t, Config{})
	r.stable()
	r.step(Metadata{Topics: []TopicCount{{Topic: "t", Partitions: 2, ID: [16]byte{1}}}}) // starts a round
	r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
	r.reply(wire.SyncReply{Assignment: assignment(t, 0, 1)})
	p := strategy.TopicPartition{Topic: "t"}
	r.step(Commit{ID: 1, Offsets: []wire.Offset{{TopicPartition: p, Offset: 500}}})
	old := r.out.Requests[0].ID
	r.step(Metadata{Topics: []TopicCount{{Topic: "t", Partitions: 2, ID: [16]byte{2}}}})
	if c := r.out.Callback; c == nil || c.Kind != Lost || len(c.Partitions) != 2 || len(r.out.Answers) != 1 || r.out.Answers[0].Codes[0] == wire.None {
		t.Fatalf("%+v", r.out)
	}
	if r.m.LossCode() != wire.UnknownTopicOrPartition {
		t.Errorf("learned from %v", r.m.LossCode())
	}
	r.step(CallbackDone{ID: r.out.Callback.ID})
	if c := r.out.Callback; c == nil || c.Kind != Assign || len(c.Partitions) != 2 {
		t.Fatalf("%+v", r.out)
	}
	r.step(CallbackDone{ID: r.out.Callback.ID})
	r.step(Replied{ID: old, Body: wire.CommitReply{Codes: []wire.Code{wire.None}}})
	r.step(Commit{ID: 2, Offsets: []wire.Offset{{TopicPartition: p, Offset: 3}}})
	if len(r.out.Requests) != 1 {
		t.Errorf("not sent: %+v", r.out)
	}
}

// Sets are as maps would have them.
func TestSets(t *testing.T) {
	for i := range 1 << 12 {
		var a, b set
		for p := range int32(6) {
			tp := strategy.TopicPartition{Topic: "t", Partition: p}
			if i>>p&1 != 0 {
				a = append(a, tp)
			}
			if i>>(p+6)&1 != 0 {
				b = append(b, tp)
			}
		}
		for p := range int32(6) {
			tp := strategy.TopicPartition{Topic: "t", Partition: p}
			inA, inB := i>>p&1 != 0, i>>(p+6)&1 != 0
			if a.has(tp) != inA || a.minus(b).has(tp) != (inA && !inB) || a.and(b).has(tp) != (inA && inB) || a.plus(b).has(tp) != (inA || inB) {
				t.Fatalf("%v and %v: %v, %v, %v", a, b, a.minus(b), a.and(b), a.plus(b))
			}
		}
		if n := len(a.minus(b)) + len(a.and(b)) + len(b.minus(a)); n != len(a.plus(b)) {
			t.Fatalf("%v and %v", a, b)
		}
	}
}

// What each code that answers a heartbeat leads to.
func TestHeartbeatCodes(t *testing.T) {
	for _, test := range []struct {
		code  wire.Code
		state State
		lost  bool
	}{
		{wire.None, Stable, false},
		{wire.CoordinatorLoading, Stable, false},
		{wire.RebalanceInProgress, Joining, false},
		{wire.NotCoordinator, Rediscovering, false},
		{wire.CoordinatorNotAvailable, Rediscovering, false},
		{wire.IllegalGeneration, Joining, true},
		{wire.UnknownMemberID, Joining, true},
		{wire.FencedInstanceID, Leaving, true},
		{wire.GroupAuthorizationFailed, Leaving, true},
		{wire.Code(99), Leaving, true},
	} {
		t.Run(test.code.String(), func(t *testing.T) {
			r := newRig(t, Config{})
			r.stable()
			r.beat()
			r.reply(wire.HeartbeatReply{Code: test.code})
			if r.m.State() != test.state {
				t.Errorf("is %v, want %v", r.m.State(), test.state)
			}
			if lost := r.out.Callback != nil && r.out.Callback.Kind == Lost; lost != test.lost {
				t.Errorf("lost %v, want %v", lost, test.lost)
			}
			if test.lost && len(r.out.Stop) != 2 {
				t.Errorf("stops %v", r.out.Stop)
			}
			if test.state == Leaving {
				r.step(CallbackDone{ID: r.out.Callback.ID})
				if r.out.Ended == nil || !errors.Is(r.out.Ended.Err, test.code) {
					t.Errorf("ended: %v", r.out.Ended)
				}
			}
		})
	}
}

// What each code that answers a commit leads to, while the member is stable, and while it joins.
func TestCommitCodes(t *testing.T) {
	for _, test := range []struct {
		code           wire.Code
		answered       bool
		stable, inJoin bool // lost
	}{
		{wire.None, true, false, false},
		{wire.TopicAuthorizationFailed, true, false, false},
		{wire.RebalanceInProgress, false, false, false},
		{wire.CoordinatorLoading, false, false, false},
		{wire.IllegalGeneration, false, true, false},
		{wire.UnknownMemberID, false, true, true},
		{wire.FencedInstanceID, false, true, true},
	} {
		for _, joining := range []bool{false, true} {
			r := newRig(t, Config{})
			r.stable()
			if joining {
				r.step(Rejoin{Reason: "test"})
			}
			r.step(Commit{ID: 5, Offsets: []wire.Offset{{TopicPartition: strategy.TopicPartition{Topic: "t"}, Offset: 1}}})
			r.reply(wire.CommitReply{Codes: []wire.Code{test.code}})
			lost := r.out.Callback != nil && r.out.Callback.Kind == Lost
			if want := joining && test.inJoin || !joining && test.stable; lost != want {
				t.Errorf("%v, joining %v: lost %v", test.code, joining, lost)
			}
			if lost && r.m.LossCode() != test.code {
				t.Errorf("%v, joining %v: learned from %v", test.code, joining, r.m.LossCode())
			}
			if answered := len(r.out.Answers) > 0; answered != (test.answered || lost) {
				t.Errorf("%v, joining %v: answers %v", test.code, joining, r.out.Answers)
			}
		}
	}
}

// A round that went by without the member: what it does not get back was perhaps another's meanwhile, so it is lost rather than revoked.
func TestMissedRound(t *testing.T) {
	for generation, want := range map[int32]Kind{2: Revoke, 3: Lost} {
		r := newRig(t, Config{})
		r.stable()
		r.step(Rejoin{Reason: "test"})
		r.reply(wire.JoinReply{MemberID: "me", Generation: generation, Protocol: "c", Leader: "other"})
		r.reply(wire.SyncReply{Assignment: assignment(t, 0)})
		if c := r.out.Callback; c == nil || c.Kind != want || len(c.Partitions) != 1 || c.Partitions[0].Partition != 1 {
			t.Errorf("generation %d: %+v", generation, c)
		}
	}
}

// Requests that are not answered are given up in time, each at its own.
func TestSilence(t *testing.T) {
	r := newRig(t, Config{Session: 20 * time.Second, Rebalance: 10 * time.Second, Heartbeat: time.Second, Request: 2 * time.Second})
	r.stable()
	r.beat()
	sent := r.now
	r.now = r.out.Wake
	r.step(Tick{})
	if r.m.State() != Rediscovering || r.now-sent != 2*time.Second {
		t.Errorf("a heartbeat: %v after %v", r.m.State(), r.now-sent)
	}
	if got := len(r.m.Owned()); got != 2 {
		t.Errorf("owns %d", got)
	}
	for r.m.State() != Discovering && r.now < time.Hour {
		r.now = r.out.Wake
		r.step(Tick{})
	}
	if r.now > sent+20*time.Second || len(r.m.Owned()) != 0 {
		t.Errorf("a session: at %v, %s", r.now, r.m.Describe())
	}
}

// The same inputs give the same outputs, and waits depend on the seed.
func TestDeterminism(t *testing.T) {
	run := func(seed uint64) (outs []Output) {
		r := newRig(t, Config{Seed: seed})
		for range 5 {
			r.reply(wire.FindCoordinatorReply{Code: wire.CoordinatorNotAvailable})
			outs = append(outs, r.out)
			r.now = r.out.Wake
			r.step(Tick{})
			outs = append(outs, r.out)
		}
		return outs
	}
	beat := func(seed uint64) Time {
		r := newRig(t, Config{Seed: seed})
		r.stable()
		return r.out.Wake
	}
	if beat(1) == beat(2) {
		t.Errorf("with two seeds, both beat at %v", beat(1))
	}
	if !reflect.DeepEqual(run(1), run(1)) {
		t.Error("one seed, two runs")
	}
	if reflect.DeepEqual(run(1), run(2)) {
		t.Error("two seeds, one run")
	}
}

func TestDrained(t *testing.T) {
	r := newRig(t, Config{})
	r.stable()
	r.step(Drain{})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
	r.reply(wire.SyncReply{Assignment: assignment(t)})
	if r.out.Drained {
		t.Error("drained before Revoke")
	}
	r.step(CallbackDone{ID: r.out.Callback.ID})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 3, Protocol: "c", Leader: "other"})
	r.reply(wire.SyncReply{Assignment: assignment(t)})
	if !r.out.Drained {
		t.Error("not drained: ", r.m.Describe())
	}
	r = newRig(t, Config{})
	r.reply(wire.FindCoordinatorReply{Node: 1})
	if r.again(1); r.out.Drained || r.m.State() != Stable {
		t.Error("has nothing, and was not told to drain: ", r.m.Describe())
	}
}

func TestDescribePartitions(t *testing.T) {
	s := newSet([]strategy.TopicPartitions{{Topic: "u", Partitions: []int32{8}}, {Topic: "t", Partitions: []int32{3, 0, 1, 2, 7}}})
	if got, want := DescribePartitions(s), "t[0-3 7] u[8]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// An Assign that is told to end, as its partitions are gone, may end in an error without the member leaving.
func TestCancelledAssign(t *testing.T) {
	r := newRig(t, Config{})
	r.reply(wire.FindCoordinatorReply{Node: 1})
	r.reply(wire.JoinReply{MemberID: "me", Generation: 1, Protocol: "c", Leader: "other"})
	r.reply(wire.SyncReply{Assignment: assignment(t, 0, 1)})
	assign := r.out.Callback.ID
	r.beat()
	r.reply(wire.HeartbeatReply{Code: wire.UnknownMemberID})
	if r.out.Cancel != assign || r.out.Callback != nil {
		t.Errorf("%+v", r.out)
	}
	r.step(CallbackDone{ID: assign, Err: errors.New("told to end")})
	if c := r.out.Callback; c == nil || c.Kind != Lost || r.m.State() != Joining {
		t.Errorf("%+v, %s", c, r.m.Describe())
	}
}
