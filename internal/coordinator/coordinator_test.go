package coordinator

import (
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// What the machine answers as real brokers do, package recorded asks for. These tests are about the rest.

// A bench is a machine with a log, and the answers that it gave.
type bench struct {
	t       *testing.T
	m       *Machine
	now     Time
	log     []Record
	answers map[uint64]wire.Reply
	last    uint64
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, m: New(Config{}), answers: map[uint64]wire.Reply{}}
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

func (b *bench) join(id, metadata string) uint64 {
	return b.ask(wire.Join{Group: "g", MemberID: id, ClientID: "c", Session: 10 * time.Second, Rebalance: 5 * time.Second,
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
	r := b.joined(b.join("", "m"))
	if r.Code != wire.MemberIDRequired {
		b.t.Fatal(r.Code)
	}
	return r.MemberID, b.join(r.MemberID, "m")
}

func (b *bench) sync(id string, generation int32, plan ...string) uint64 {
	r := wire.Sync{Group: "g", MemberID: id, Generation: generation}
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
	b = newBench(t)
	a, n := b.enter()
	b.want("first generation", b.joined(n).Generation, int32(1))
	b.sync(a, 1, a)
	c, _ = b.enter()
	b.join(a, "again")
	s := b.sync(c, 2)
	b.sync(a, 2, a, c)
	b.want("assignment", string(b.synced(s).Assignment), "of "+c)
	return b, a, c
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
}

func TestSuccessor(t *testing.T) {
	b, a, c := stable(t)
	b.commit(c, 2, 7)
	b.join(a, "again") // forgotten: no generation came of it
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
	next.want("assignment", string(next.synced(next.sync(c, 2)).Assignment), "of "+c)
	n := next.join(a, "again")
	next.step(Resigned{})
	next.want("who waits when it resigns", next.joined(n).Code, wire.NotCoordinator)
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

// TestSuccessorOfDeleted has a group deleted that the next coordinator reads of.
func TestSuccessorOfDeleted(t *testing.T) {
	b, a, c := stable(t)
	b.commit(a, 2, 5)
	b.ask(wire.Leave{Group: "g", MemberID: a})
	b.ask(wire.Leave{Group: "g", MemberID: c})
	b.step(Delete{Group: "g"})
	next := &bench{t: t, m: New(Config{}), now: b.now, answers: map[uint64]wire.Reply{}}
	next.step(Elected{Epoch: 2})
	next.step(Replayed{Records: b.log})
	next.want("the successor's offsets", len(next.m.Committed("g")), 0)
}
