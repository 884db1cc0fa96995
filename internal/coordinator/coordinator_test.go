package coordinator

import (
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// A bench is a machine with a log, and the answers that it gave.
type bench struct {
	t       *testing.T
	m       *Machine
	now     Time
	log     []Record
	answers map[uint64]wire.Reply
	last    uint64
}

func newBench(t *testing.T, cfg Config) *bench {
	b := &bench{t: t, m: New(cfg), answers: map[uint64]wire.Reply{}}
	b.step(Elected{Epoch: 1})
	b.step(Replayed{})
	return b
}

func (b *bench) step(in Input) {
	out := b.m.Step(b.now, in)
	b.log = append(b.log, out.Append...)
	for _, r := range out.Replies {
		if b.answers[r.ID] != nil {
			b.t.Fatalf("request %d is answered twice", r.ID)
		}
		b.answers[r.ID] = r.Body
	}
}

// ask sends a request and returns its number.
func (b *bench) ask(r wire.Request) uint64 {
	b.last++
	b.step(Received{ID: b.last, Request: r})
	return b.last
}

func (b *bench) join(id, instance string, metadata string) uint64 {
	return b.ask(wire.Join{Group: "g", MemberID: id, InstanceID: instance, ClientID: "c", Session: 10 * time.Second, Rebalance: 5 * time.Second,
		Offers: []wire.Offer{{Name: "range", Metadata: []byte(metadata)}}})
}

func (b *bench) joined(n uint64) wire.JoinReply {
	r, ok := b.answers[n].(wire.JoinReply)
	if !ok {
		b.t.Fatalf("join %d is not answered", n)
	}
	return r
}

// enter is a join of a new dynamic member, up to the join that waits.
func (b *bench) enter() (id string, n uint64) {
	r := b.joined(b.join("", "", "m"))
	if r.Code != wire.MemberIDRequired {
		b.t.Fatal(r.Code)
	}
	return r.MemberID, b.join(r.MemberID, "", "m")
}

func (b *bench) sync(id, instance string, generation int32, plan ...string) uint64 {
	r := wire.Sync{Group: "g", MemberID: id, InstanceID: instance, Generation: generation}
	for _, p := range plan {
		r.Assignments = append(r.Assignments, protocol.MemberAssignment{ID: p, Assignment: []byte("of " + p)})
	}
	return b.ask(r)
}

func (b *bench) synced(n uint64) wire.SyncReply {
	r, ok := b.answers[n].(wire.SyncReply)
	if !ok {
		b.t.Fatalf("sync %d is not answered", n)
	}
	return r
}

func (b *bench) heartbeat(id string, generation int32) wire.Code {
	return b.answers[b.ask(wire.Heartbeat{Group: "g", MemberID: id, Generation: generation})].(wire.HeartbeatReply).Code
}

func (b *bench) commit(id string, generation int32, offset int64) wire.Code {
	return b.answers[b.ask(wire.Commit{Group: "g", MemberID: id, Generation: generation,
		Offsets: []wire.Offset{{TopicPartition: strategy.TopicPartition{Topic: "t"}, Offset: offset}}})].(wire.CommitReply).Codes[0]
}

func (b *bench) want(what string, got, want any) {
	b.t.Helper()
	if got != want {
		b.t.Errorf("%s: %v, want %v\n%s", what, got, want, b.m.Describe())
	}
}

// stable is a group of two, a leads, in generation 2.
func stable(t *testing.T) (b *bench, a, c string) {
	b = newBench(t, Config{})
	a, n := b.enter()
	b.want("first generation", b.joined(n).Generation, int32(1))
	b.sync(a, "", 1, a)
	c, _ = b.enter()
	b.join(a, "", "again")
	s := b.sync(c, "", 2)
	b.sync(a, "", 2, a, c)
	b.want("assignment", string(b.synced(s).Assignment), "of "+c)
	return b, a, c
}

func TestCodesByState(t *testing.T) {
	b, a, c := stable(t)
	b.want("heartbeat in stable", b.heartbeat(a, 2), wire.None)
	b.want("heartbeat of an old generation", b.heartbeat(a, 1), wire.IllegalGeneration)
	b.want("heartbeat of a stranger", b.heartbeat("x", 2), wire.UnknownMemberID)
	b.want("commit in stable", b.commit(a, 2, 1), wire.None)
	b.want("commit of an old generation", b.commit(a, 1, 1), wire.IllegalGeneration)
	n := b.join(a, "", "again")
	b.want("heartbeat while preparing", b.heartbeat(c, 2), wire.RebalanceInProgress)
	b.want("heartbeat while preparing, of who waits", b.heartbeat(a, 2), wire.RebalanceInProgress)
	b.want("commit while preparing", b.commit(c, 2, 2), wire.None)
	b.want("commit while preparing, of who waits", b.commit(a, 2, 3), wire.None)
	b.want("sync while preparing", b.synced(b.sync(c, "", 2)).Code, wire.RebalanceInProgress)
	b.join(c, "", "m")
	b.want("generation", b.joined(n).Generation, int32(3))
	b.want("heartbeat while completing", b.heartbeat(c, 3), wire.None)
	b.want("commit while completing, new generation", b.commit(c, 3, 4), wire.RebalanceInProgress)
	b.want("commit while completing, old generation", b.commit(c, 2, 4), wire.IllegalGeneration)
	b.want("stored", b.m.Committed("g")[0].Offset, int64(3))
}

func TestWhoseJoinStartsARound(t *testing.T) {
	b, a, c := stable(t)
	n := b.join(c, "", "m")
	b.want("a follower's join that says nothing new: generation", b.joined(n).Generation, int32(2))
	b.want("and it leads to no round", b.heartbeat(a, 2), wire.None)
	b.join(c, "", "something new")
	b.want("one that does", b.heartbeat(a, 2), wire.RebalanceInProgress)
	b, a, c = stable(t)
	b.join(a, "", "again")
	b.want("the leader's always does", b.heartbeat(c, 2), wire.RebalanceInProgress)
}

func TestSecondJoinOfOneMember(t *testing.T) {
	b, a, c := stable(t)
	first := b.join(a, "", "1")
	second := b.join(a, "", "2")
	b.join(c, "", "m")
	b.want("the first is never answered", b.answers[first], nil)
	b.want("the second is", b.joined(second).Code, wire.None)
}

func TestLeaveDuringJoin(t *testing.T) {
	b, a, c := stable(t)
	n := b.join(a, "", "again")
	leave := b.ask(wire.Leave{Group: "g", MemberID: a})
	b.want("leave", b.answers[leave].(wire.LeaveReply).Code, wire.None)
	b.want("its join", b.joined(n).Code, wire.UnknownMemberID)
	b.want("leave of a stranger", b.answers[b.ask(wire.Leave{Group: "g", MemberID: "x"})].(wire.LeaveReply).Code, wire.UnknownMemberID)
	n = b.join(c, "", "m")
	b.want("who is left leads", b.joined(n).Leader, c)
}

func TestLeaderDeadBeforeSync(t *testing.T) {
	b, a, c := stable(t)
	b.join(a, "", "again")
	b.join(c, "", "m")
	n := b.sync(c, "", 3)
	b.want("waits", b.answers[n], nil)
	b.ask(wire.Leave{Group: "g", MemberID: a})
	b.want("a leave for it frees the follower", b.synced(n).Code, wire.RebalanceInProgress)
}

func TestWhoDoesNotJoinOrSyncInTimeIsRemoved(t *testing.T) {
	b, a, c := stable(t)
	n := b.join(a, "", "again")
	b.now += 5 * time.Second
	b.step(Tick{})
	b.want("members", len(b.joined(n).Members), 1)
	b.want("who did not come", b.heartbeat(c, 3), wire.UnknownMemberID)

	b, a, c = stable(t)
	b.join(a, "", "again")
	b.join(c, "", "m")
	b.sync(a, "", 3, a, c)
	b.now += 5 * time.Second
	b.want("who did not fetch its assignment", b.heartbeat(c, 3), wire.UnknownMemberID)
}

func TestSessions(t *testing.T) {
	b, a, c := stable(t)
	b.now += 9 * time.Second
	b.want("in time", b.heartbeat(a, 2), wire.None)
	b.now += 2 * time.Second
	b.want("the other is late", b.heartbeat(c, 2), wire.UnknownMemberID)
	b.want("which starts a round", b.heartbeat(a, 2), wire.RebalanceInProgress)
	b = newBench(t, Config{})
	b.want("too short", b.joined(b.ask(wire.Join{Group: "g", Session: time.Second, Offers: []wire.Offer{{Name: "range"}}})).Code, wire.InvalidSessionTimeout)
}

func TestStaticMembers(t *testing.T) {
	b := newBench(t, Config{})
	n := b.join("", "one", "m")
	a := b.joined(n).MemberID
	b.sync(a, "one", 1, a)
	again := b.joined(b.join("", "one", "m"))
	b.want("a restart keeps the generation", again.Generation, int32(1))
	b.want("and does not lead", again.Leader, a)
	b.want("members are not listed", len(again.Members), 0)
	b.want("its assignment is the one it had", string(b.synced(b.sync(again.MemberID, "one", 1)).Assignment), "of "+a)
	b.want("its former self is fenced", b.synced(b.sync(a, "one", 1)).Code, wire.FencedInstanceID)
	leave := b.ask(wire.Leave{Group: "g", InstanceID: "one"})
	b.want("leave by instance", b.answers[leave].(wire.LeaveReply).Code, wire.None)
	b.want("unknown now", b.synced(b.sync(again.MemberID, "one", 1)).Code, wire.UnknownMemberID)
}

func TestVote(t *testing.T) {
	offers := func(names ...string) (list []wire.Offer) {
		for _, n := range names {
			list = append(list, wire.Offer{Name: n})
		}
		return list
	}
	for _, test := range []struct {
		name    string
		members [][]wire.Offer
		want    string
	}{
		{"only what all offer", [][]wire.Offer{offers("a", "b"), offers("b", "c")}, "b"},
		{"most votes", [][]wire.Offer{offers("a", "b"), offers("b", "a"), offers("b", "a")}, "b"},
		{"votes go to the first that all offer", [][]wire.Offer{offers("x", "b", "a"), offers("a", "b"), offers("y", "b", "a")}, "b"},
	} {
		g := &group{}
		for _, o := range test.members {
			g.members = append(g.members, &member{offers: o})
		}
		if got := g.vote(); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	b, _, _ := stable(t)
	n := b.ask(wire.Join{Group: "g", ClientID: "c", Session: 10 * time.Second, Offers: offers("sticky")})
	b.want("nothing in common", b.joined(n).Code, wire.InconsistentGroupProtocol)
}

func TestSuccessor(t *testing.T) {
	b, a, c := stable(t)
	b.commit(c, 2, 7)
	b.join(a, "", "again") // forgotten: no generation came of it
	next := &bench{t: t, m: New(Config{}), now: b.now + time.Hour, answers: map[uint64]wire.Reply{}}
	next.want("before its election", next.heartbeat(a, 2), wire.NotCoordinator)
	next.step(Elected{Epoch: 2})
	next.want("while it reads", next.heartbeat(a, 2), wire.CoordinatorLoading)
	next.step(Replayed{Records: b.log})
	next.want("then", next.heartbeat(a, 2), wire.None)
	next.want("the other", next.heartbeat(c, 2), wire.None)
	f := next.ask(wire.Fetch{Group: "g", Partitions: []strategy.TopicPartition{{Topic: "t"}, {Topic: "t", Partition: 1}}})
	next.want("offsets", len(next.answers[f].(wire.FetchReply).Offsets), 1)
	next.want("offset", next.answers[f].(wire.FetchReply).Offsets[0].Offset, int64(7))
	next.want("assignment", string(next.synced(next.sync(c, "", 2)).Assignment), "of "+c)
	n := next.join(a, "", "again")
	next.step(Resigned{})
	next.want("who waits when it resigns", next.joined(n).Code, wire.NotCoordinator)
}

func TestInitialDelayAndSize(t *testing.T) {
	b := newBench(t, Config{InitialDelay: 3 * time.Second, MaxSize: 2})
	_, n := b.enter()
	b.want("waits for others", b.answers[n], nil)
	_, k := b.enter()
	b.want("full", b.joined(b.join("", "", "m")).Code, wire.GroupMaxSizeReached)
	b.now += 3 * time.Second
	b.step(Tick{})
	b.want("waits on, as another has come", b.answers[n], nil)
	b.now += 2 * time.Second
	b.step(Tick{})
	b.want("one generation for both", b.joined(n).Generation == 1 && b.joined(k).Generation == 1, true)
}

func TestTopicDeleted(t *testing.T) {
	b, a, _ := stable(t)
	b.step(Metadata{Partitions: map[string]int32{"t": 1}})
	b.want("of a topic that there is", b.commit(a, 2, 5), wire.None)
	b.step(Metadata{Partitions: map[string]int32{}})
	b.want("of one that is gone", b.commit(a, 2, 6), wire.UnknownTopicOrPartition)
	b.want("whoever commits", b.commit("x", 9, 6), wire.UnknownTopicOrPartition)
	b.want("stored", len(b.m.Committed("g")), 0)
	next := &bench{t: t, m: New(Config{}), now: b.now, answers: map[uint64]wire.Reply{}}
	next.step(Elected{Epoch: 2})
	next.step(Replayed{Records: b.log})
	next.want("the successor's", len(next.m.Committed("g")), 0)
}

func TestDelete(t *testing.T) {
	b, a, c := stable(t)
	b.commit(a, 2, 5)
	b.step(Delete{Group: "g"})
	b.want("with members it stays", b.heartbeat(a, 2), wire.None)
	b.ask(wire.Leave{Group: "g", MemberID: a})
	b.ask(wire.Leave{Group: "g", MemberID: c})
	b.step(Delete{Group: "g"})
	b.want("its offsets", len(b.m.Committed("g")), 0)
	b.want("heartbeat", b.heartbeat(a, 2), wire.UnknownMemberID)
	b.want("commit", b.commit(a, 2, 5), wire.IllegalGeneration)
	next := &bench{t: t, m: New(Config{}), now: b.now, answers: map[uint64]wire.Reply{}}
	next.step(Elected{Epoch: 2})
	next.step(Replayed{Records: b.log})
	next.want("the successor's offsets", len(next.m.Committed("g")), 0)
	_, n := b.enter()
	b.want("generations begin anew", b.joined(n).Generation, int32(1))
}
