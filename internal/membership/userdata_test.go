package membership

import (
	"testing"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
)

// sentAlong returns what the join that was sent last sends along of the assignor's, "nothing" if it does not, and false if none was sent.
func (r *rig) sentAlong() (string, bool) {
	r.t.Helper()
	for _, q := range r.out.Requests {
		if join, ok := q.Body.(wire.Join); ok {
			s, err := protocol.DecodeSubscription(join.Offers[0].Metadata)
			if err != nil {
				r.t.Fatal(err)
			}
			u, _, err := protocol.DecodeUserData(s.UserData)
			if err != nil {
				r.t.Fatal(err)
			}
			if u.Assignor == nil {
				return "nothing", true
			}
			return string(u.Assignor), true
		}
	}
	return "", false
}

func userData(text string) UserData { return UserData{ByName: map[string][]byte{"c": []byte(text)}} }

// What assignors send along is owed after Start and after each assignment: a join waits for it, and no longer than it may.
func TestJoinWaitsForUserData(t *testing.T) {
	const wait = 2 * time.Second
	expect := func(r *rig, want string, sent bool) {
		t.Helper()
		if got, ok := r.sentAlong(); got != want || ok != sent {
			t.Fatalf("at %v it says %q, %v, and should %q, %v; %q", r.now, got, ok, want, sent, DescribeOutput(&r.out))
		}
	}
	r := newRig(t, Config{UserData: wait})
	r.reply(wire.FindCoordinatorReply{Node: 1})
	expect(r, "", false)
	if r.out.Wake != wait {
		t.Errorf("it is to be woken at %v", r.out.Wake)
	}
	r.step(userData("first"))
	expect(r, "first", true)
	r.reply(wire.JoinReply{Code: wire.MemberIDRequired, MemberID: "me"})
	expect(r, "first", true) // and nothing is owed anew
	r.reply(wire.JoinReply{MemberID: "me", Generation: 1, Protocol: "c", Leader: "other"})
	r.reply(wire.SyncReply{Assignment: assignment(t, 0, 1)})
	r.step(CallbackDone{ID: r.out.Callback.ID})

	r.now += wait - 1
	r.step(Rejoin{Reason: "test"})
	expect(r, "", false)
	if r.out.Wake != r.now+1 {
		t.Errorf("at %v it is to be woken at %v", r.now, r.out.Wake)
	}
	r.now++
	r.step(Tick{})
	expect(r, "nothing", true) // not what it said before
	r.reply(wire.JoinReply{Code: wire.CoordinatorLoading})
	r.step(userData("late"))
	r.now += time.Minute / 30
	r.step(Tick{})
	expect(r, "late", true)
	r.reply(wire.JoinReply{MemberID: "me", Generation: 2, Protocol: "c", Leader: "other"})
	r.reply(wire.SyncReply{Assignment: assignment(t, 0, 1)})
	r.step(userData("in time"))
	r.step(Rejoin{Reason: "test"})
	expect(r, "in time", true)
}

// When the member began is told to those who look at that, always the same.
func TestStartedIsTold(t *testing.T) {
	began := time.UnixMilli(1_700_000_000_123)
	for _, told := range [][]string{nil, {"other"}, {"c"}} {
		r := newRig(t, Config{UserData: time.Second, Started: began})
		r.reply(wire.FindCoordinatorReply{Node: 1})
		r.now += time.Second / 2
		r.step(UserData{Uptime: told})
		join := r.out.Requests[0].Body.(wire.Join) //nolint:forcetypeassert // it panics, then
		s, err := protocol.DecodeSubscription(join.Offers[0].Metadata)
		if err != nil {
			t.Fatal(err)
		}
		u, _, err := protocol.DecodeUserData(s.UserData)
		if want := len(told) > 0 && told[0] == "c"; err != nil || want != u.Started.Equal(began) || want == u.Started.IsZero() {
			t.Errorf("where %q is told, it began at %v, %v", told, u.Started, err)
		}
	}
}
