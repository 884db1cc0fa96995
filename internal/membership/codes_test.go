package membership

import (
	"strings"
	"testing"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// follows goes on until the member ends, answers a commit, or sends something else than heartbeats that are beside the point.
func (r *rig) follows(beats bool) string {
	r.t.Helper()
	for range 50 {
		switch {
		case r.out.Ended != nil && r.out.Ended.Err != nil:
			return "ends: " + r.out.Ended.Err.Error()
		case r.out.Ended != nil:
			return "ends"
		case r.m.running != nil:
			r.step(CallbackDone{ID: r.m.running.ID})
		case len(r.out.Answers) > 0:
			return "answers " + r.out.Answers[0].Codes[0].String()
		case len(r.out.Requests) > 0:
			last := r.out.Requests[len(r.out.Requests)-1].Body
			if _, beat := last.(wire.Heartbeat); !beat || beats {
				return strings.Fields(wire.Describe(last))[0]
			}
			r.reply(wire.HeartbeatReply{})
		case r.out.Wake == Never:
			return "nothing"
		default:
			r.now = r.out.Wake
			r.step(Tick{})
		}
	}
	return "heartbeats"
}

// Whichever request it answers, a code that passes or tells of another coordinator costs nothing and is followed up soon, and one that is
// final ends the member. So does one that nobody knows, where no offset or farewell is refused.
func TestKindsOfCodes(t *testing.T) {
	const find = "FindCoordinator"
	join := func(r *rig) { r.reply(wire.FindCoordinatorReply{Node: 1}) }
	again := func(r *rig) { r.stable(); r.step(Rejoin{Reason: "test"}) }
	for _, test := range []struct {
		name                  string
		arrive                func(r *rig)
		reply                 func(c wire.Code) wire.Reply
		passing, moved, final string // what follows
		ofRequest             string
	}{
		{"find", func(*rig) {}, func(c wire.Code) wire.Reply { return wire.FindCoordinatorReply{Code: c, Node: -1} }, find, find, "ends: ", find},
		{"join", join, func(c wire.Code) wire.Reply { return wire.JoinReply{Code: c} }, "JoinGroup", find, "ends: ", "ends: "},
		{"join again", again, func(c wire.Code) wire.Reply { return wire.JoinReply{Code: c} }, "JoinGroup", find, "ends: ", "ends: "},
		{"sync", func(r *rig) {
			again(r)
			r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
		}, func(c wire.Code) wire.Reply { return wire.SyncReply{Code: c} }, "JoinGroup", find, "ends: ", "ends: "},
		{"sync while leaving", func(r *rig) { *r = *leavesInRound(r.t, 2) }, func(c wire.Code) wire.Reply { return wire.SyncReply{Code: c} }, "LeaveGroup", find, "ends: ", "ends: "},
		{"heartbeat", func(r *rig) { r.stable(); r.beat() }, func(c wire.Code) wire.Reply { return wire.HeartbeatReply{Code: c} }, "Heartbeat", find, "ends: ", "ends: "},
		{"commit", func(r *rig) {
			r.stable()
			r.step(Commit{ID: 1, Offsets: []wire.Offset{{TopicPartition: strategy.TopicPartition{Topic: "t"}, Offset: 1}}})
		}, func(c wire.Code) wire.Reply { return wire.CommitReply{Codes: []wire.Code{c}} }, "OffsetCommit", find, "ends: ", "answers "},
		{"leave", func(r *rig) { r.stable(); r.step(Leave{}); r.step(CallbackDone{ID: r.m.running.ID}) },
			func(c wire.Code) wire.Reply { return wire.LeaveReply{Code: c} }, "LeaveGroup", find, "ends", "ends"},
	} {
		for code := wire.Code(-2); code < 200; code++ {
			kind := code.Kind()
			if code == wire.None || kind == wire.OfMember {
				continue
			}
			want := map[wire.Kind]string{wire.Passing: test.passing, wire.Moved: test.moved, wire.Final: test.final, wire.OfRequest: test.ofRequest}[kind]
			if strings.HasSuffix(want, " ") {
				want += code.String()
			}
			r := newRig(t, Config{})
			test.arrive(r)
			owned, began := len(r.m.Owned()), r.now
			r.reply(test.reply(code))
			if got := r.follows(test.name == "heartbeat"); got != want {
				t.Errorf("%v answers a %s: %s, want %s", code, test.name, got, want)
			}
			if soon := r.now-began < r.m.cfg.Heartbeat; !soon || len(r.m.Owned()) < owned && !strings.HasPrefix(want, "ends") {
				t.Errorf("%v answers a %s: has %d of %d partitions after %v", code, test.name, len(r.m.Owned()), owned, r.now-began)
			}
		}
	}
}
