package membership

import (
	"slices"
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
)

// A commit whose answer is still to come when its partition's Revoke has ended is answered when membership ends.
func TestCommitOutlivesRevoke(t *testing.T) {
	r := newRig(t, Config{})
	r.stable()
	r.commit(1, 1, 5)
	r.step(Rejoin{Reason: "test"})
	r.again(2, 0)
	r.step(CallbackDone{ID: r.out.Callback.ID})
	if len(r.out.Answers) > 0 {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	r.now = r.out.Wake
	r.beat()
	r.reply(wire.HeartbeatReply{Code: wire.UnknownMemberID})
	if len(r.out.Answers) != 1 || r.out.Answers[0].Codes[0] != wire.UnknownMemberID {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}

// Offsets of one request that are answered differently, an answer that is too short, and what is sent behind it.
func TestCommitsAnsweredApart(t *testing.T) {
	r := newRig(t, Config{})
	r.stable()
	r.commit(1, 0, 1)
	first := r.out.Requests[0].ID
	r.commit(2, 0, 2)
	r.commit(3, 1, 2)
	r.step(Replied{ID: first, Body: wire.CommitReply{Codes: []wire.Code{wire.None}}})
	if r.reply(wire.CommitReply{Codes: []wire.Code{wire.CoordinatorLoading, wire.None}}); len(r.out.Answers) != 1 || r.out.Answers[0].ID != 3 {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	for _, codes := range [][]wire.Code{{}, {wire.TopicAuthorizationFailed}} {
		r.beat()
		if c, ok := r.out.Requests[0].Body.(wire.Commit); !ok || len(c.Offsets) != 1 || c.Offsets[0].Offset != 2 {
			t.Fatalf("%q", DescribeOutput(&r.out))
		}
		r.reply(wire.CommitReply{Codes: codes})
		if got := len(r.out.Answers); got != len(codes) {
			t.Errorf("%v gives %d answers", codes, got)
		}
	}
	for _, c := range []struct {
		partition int32
		offset    int64
		sent      bool
	}{
		{0, 1, false}, {0, 2, true}, {1, 2, false}, {1, 1, false}, {1, 3, true}, // 2 was refused for partition 0, and stored for 1
		{0, 1, false}, {1, 2, false}, {1, 3, false},
	} {
		if r.commit(9, c.partition, c.offset); len(r.out.Requests) > 0 != c.sent || len(r.out.Answers) > 0 == c.sent {
			t.Errorf("%+v: %q", c, DescribeOutput(&r.out))
		}
		if c.sent {
			r.reply(wire.CommitReply{Codes: []wire.Code{wire.None}})
		}
	}
}

// Waits double while commits fail, and begin anew when one has succeeded.
func TestCommitRetries(t *testing.T) {
	r := newRig(t, Config{Heartbeat: 20 * time.Second})
	r.stable()
	offset := int64(1)
	for _, least := range []time.Duration{80, 160, 320, 0, 80} {
		if r.out.Requests == nil {
			r.commit(uint64(offset), 0, offset)
		}
		if least == 0 {
			r.reply(wire.CommitReply{Codes: []wire.Code{wire.None}})
			offset++
			continue
		}
		failed := r.now
		r.reply(wire.CommitReply{Codes: []wire.Code{wire.CoordinatorLoading}})
		r.beat()
		if wait := r.now - failed; wait < least*time.Millisecond || wait > least*3/2*time.Millisecond {
			t.Errorf("waits %v, want %d ms and up to half as much again", wait, least)
		}
	}
}

// What is stored is said once more, a request's time after a commit whose answer was lost, where another offset may have been stored last.
func TestDoubt(t *testing.T) {
	for name, c := range map[string]struct {
		lost    []int64 // offsets of commits whose connection breaks
		stored  int64
		confirm bool
	}{
		"the same is stored":                  {[]int64{5}, 5, false},
		"the same was lost twice":             {[]int64{5, 5}, 5, false},
		"another is stored":                   {[]int64{5}, 7, true},
		"two were lost, and one is stored":    {[]int64{5, 6}, 6, true},
		"three were lost, the first is twice": {[]int64{5, 6, 6}, 6, true},
		"two were lost, and it goes back":     {[]int64{5, 6}, 5, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Config{Heartbeat: 90 * time.Second, Session: 100 * time.Second})
			r.stable()
			r.commit(1, 0, c.lost[0])
			for i := range c.lost {
				if i > 0 && c.lost[i] != c.lost[i-1] {
					r.commit(2, 0, c.lost[i])
				}
				r.beat()
				r.step(Disconnected{Lane: Offsets})
			}
			r.step(Commit{ID: 3, Offsets: []wire.Offset{{TopicPartition: at(0), Offset: c.stored}}, Rewind: c.stored < c.lost[len(c.lost)-1]})
			r.beat()
			stored := r.now
			r.reply(wire.CommitReply{Codes: []wire.Code{wire.None}})
			r.beat()
			commit, ok := r.out.Requests[0].Body.(wire.Commit)
			if ok != c.confirm || ok && (len(commit.Offsets) != 1 || commit.Offsets[0].Offset != c.stored || r.now < stored+29*time.Second) {
				t.Fatalf("at %v behind it sends %s", r.now-stored, wire.Describe(r.out.Requests[0].Body))
			}
			if ok {
				r.reply(wire.CommitReply{Codes: []wire.Code{wire.None}})
				r.beat()
			}
			if _, ok := r.out.Requests[0].Body.(wire.Heartbeat); !ok {
				t.Errorf("sends %s", wire.Describe(r.out.Requests[0].Body))
			}
		})
	}
}

// Each partition of a commit is in doubt by itself.
func TestDoubtOfSeveral(t *testing.T) {
	r := newRig(t, Config{Heartbeat: 90 * time.Second, Session: 100 * time.Second})
	r.stable()
	r.commit(1, 0, 5)
	r.step(Disconnected{Lane: Offsets})
	r.step(Commit{ID: 2, Offsets: []wire.Offset{{TopicPartition: at(0), Offset: 6}, {TopicPartition: at(1), Offset: 9}}})
	r.beat()
	r.step(Disconnected{Lane: Offsets})
	r.step(Commit{ID: 3, Offsets: []wire.Offset{{TopicPartition: at(1), Offset: 3}}, Rewind: true})
	for range 2 { // what is stored, and later the same once more
		r.beat()
		c, ok := r.out.Requests[0].Body.(wire.Commit)
		if !ok || len(c.Offsets) != 2 || c.Offsets[0].Offset != 6 || c.Offsets[1].Offset != 3 {
			t.Fatalf("sends %s", wire.Describe(r.out.Requests[0].Body))
		}
		r.reply(wire.CommitReply{Codes: []wire.Code{wire.None, wire.None}})
	}
}

// A commit cannot be made again on a connection that broke while the member leaves, so the coordinator is looked for.
func TestOffsetsBreakWhileLeaving(t *testing.T) {
	r := newRig(t, Config{})
	r.stable()
	r.step(Leave{Prompt: true})
	r.commit(1, 0, 5)
	r.step(Disconnected{Lane: Offsets})
	r.beat()
	if _, ok := r.out.Requests[0].Body.(wire.FindCoordinator); !ok || r.m.State() != Leaving {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	r.reply(wire.FindCoordinatorReply{Node: 2})
	r.beat()
	for r.out.Requests[0].Lane != Offsets {
		r.reply(wire.HeartbeatReply{})
		r.beat()
	}
	if r.reply(wire.CommitReply{Codes: []wire.Code{wire.None}}); len(r.out.Answers) != 1 {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}

// What is not the member's is refused, whatever else a commit asks for; and offset 0 is stored but once.
func TestCommitsOfOthersBeside(t *testing.T) {
	r := newRig(t, Config{})
	r.stable()
	r.step(Commit{ID: 1, Offsets: []wire.Offset{{TopicPartition: at(7), Offset: 3}, {TopicPartition: at(0)}}})
	if len(r.out.Requests) != 1 {
		t.Fatalf("%q", DescribeOutput(&r.out))
	}
	r.reply(wire.CommitReply{Codes: []wire.Code{wire.None}})
	if len(r.out.Answers) != 1 || !slices.Equal(r.out.Answers[0].Codes, []wire.Code{wire.UnknownMemberID, wire.None}) {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
	if r.commit(2, 0, 0); len(r.out.Requests) > 0 || len(r.out.Answers) != 1 {
		t.Errorf("%q", DescribeOutput(&r.out))
	}
}

// A join does not wait for commits of what the member keeps, nor claim what it gave up and has no commit under way of.
func TestJoinBesideOpenCommit(t *testing.T) {
	for open, waits := range map[int32]bool{0: false, 1: true} {
		r := newRig(t, Config{})
		r.stable()
		r.step(Commit{ID: 1, Offsets: []wire.Offset{{TopicPartition: at(0), Offset: 5}, {TopicPartition: at(1), Offset: 5}}})
		codes := []wire.Code{wire.TopicAuthorizationFailed, wire.TopicAuthorizationFailed}
		codes[open] = wire.CoordinatorLoading
		r.reply(wire.CommitReply{Codes: codes})
		r.step(Rejoin{Reason: "test"})
		r.again(2, 0)
		r.step(CallbackDone{ID: r.m.running.ID})
		if got := r.m.State() == Revoking; got != waits {
			t.Fatalf("a commit of %d is open: %s", open, r.m.Describe())
		}
		if waits {
			continue
		}
		if s := r.said(); len(s.Owned) != 1 || len(s.Owned[0].Partitions) != 1 {
			t.Errorf("claims %v", s.Owned)
		}
	}
}

// What a former self asked for is refused, so it is in no doubt.
func TestNoDoubtOfAFormerSelf(t *testing.T) {
	r := newRig(t, Config{})
	r.stable()
	r.commit(1, 0, 5)
	r.step(Tick{}) // behind the commit
	r.beat()
	r.reply(wire.HeartbeatReply{Code: wire.UnknownMemberID})
	if r.step(Disconnected{Lane: Offsets}); len(r.m.doubtful) > 0 {
		t.Errorf("in doubt: %v", r.m.doubtful)
	}
}
