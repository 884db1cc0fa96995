package membership

import (
	"slices"
	"testing"

	"github.com/assignkit/assignkit/internal/membership/wire"
)

func TestReasons(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(r *rig) // to a member that is stable
		want Reason
	}{
		{"stable", func(*rig) {}, Reason{}},
		{"asked", func(r *rig) { r.step(Rejoin{}) }, Reason{Cause: Asked}},
		{"asked by the host", func(r *rig) { r.step(Rejoin{Reason: "lag", Cause: SignalsChanged}) }, Reason{SignalsChanged, "lag"}},
		{"group", func(r *rig) {
			r.beat()
			r.reply(wire.HeartbeatReply{Code: wire.RebalanceInProgress})
		}, Reason{GroupRebalances, "the group is rebalancing"}},
		{"unknown", func(r *rig) {
			r.beat()
			r.reply(wire.HeartbeatReply{Code: wire.UnknownMemberID})
		}, Reason{UnknownMember, "heartbeat refused: the group does not know the member"}},
		{"unknown by a coordinator that is away", func(r *rig) {
			r.beat()
			id := r.out.Requests[0].ID
			r.step(Disconnected{Lane: Offsets})
			r.step(Replied{ID: id, Body: wire.HeartbeatReply{Code: wire.UnknownMemberID}})
		}, Reason{UnknownMember, "heartbeat refused: the group does not know the member"}},
		{"expired", func(r *rig) {
			r.now += r.m.cfg.Session
			r.step(Tick{})
		}, Reason{SessionExpired, "session expired"}},
		{"topics", func(r *rig) { r.step(Subscribe{Topics: []string{"t", "u"}}) }, Reason{Subscribed, "the subscription changed"}},
	} {
		r := newRig(t, Config{})
		if got := r.m.Reason(); got != (Reason{FirstJoin, "joining for the first time"}) {
			t.Fatalf("a new member: %+v", got)
		}
		r.stable()
		test.do(r)
		got := r.m.Reason()
		if got != test.want {
			t.Errorf("%s: %+v, want %+v: %s", test.name, got, test.want, r.m.Describe())
		}
		if got.Cause != "" && !slices.Contains(Causes, got.Cause) {
			t.Errorf("%s is not among Causes", got.Cause)
		}
	}
}
