package subject

import (
	"testing"

	"github.com/assignkit/assignkit/internal/cli/iostreams"
	"github.com/assignkit/assignkit/internal/live"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// What is said about a group depends on what there is to know before its preview is believed.
func TestLiveNote(t *testing.T) {
	streams, _, _ := iostreams.Test("")
	o := &Options{IO: streams, Events: []simulation.Event{simulation.Join{Count: 1}}}
	g := &live.Group{
		Name: "billing", Type: live.Classic, Protocol: "range",
		Members: []live.Member{{ID: "a", Topics: []string{"t"}}, {ID: "b", Topics: []string{"t"}}},
		Topics:  []live.Topic{{Name: "t", Subscribed: true, Owner: []int32{0, 1, 0}, Committed: []int64{1, 1, 1}, End: []int64{1, 1, 1}}},
	}
	check := func(want string) {
		t.Helper()
		group := g.Strategy()
		if got := o.liveNote("h:1", g, &group); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	check("assignctl: group billing read from h:1: 3 partitions of 1 topic, 2 members, strategy range")
	g.Members[1].Topics, g.Topics[0].Owner[1], g.Topics[0].End[0] = nil, strategy.NoOwner, 4
	check("assignctl: group billing read from h:1: 3 partitions of 1 topic, 2 members, strategy range; nobody consumes 1 of them; " +
		"assumed: who joins reads all of these topics; loads are lags (--weights none counts partitions), while sticky balances counts of partitions, not lags")
	o.Events = nil
	g.Type, g.Protocol, g.Topics[0].Owner[1], g.Topics[0].End[0] = live.Consumer, "uniform", 1, 1
	check("assignctl: group billing read from h:1: 3 partitions of 1 topic, 2 members; " +
		"the broker assigns it (consumer protocol, uniform), so what is shown is a move to each strategy")
}

// A group without members is worth something only if some join.
func TestCheckLive(t *testing.T) {
	g := &live.Group{Name: "g"}
	o := &Options{}
	if err := o.checkLive(g); err == nil || err.Error() != "group g has no members and no committed offsets, so there is nothing to assign" {
		t.Error(err)
	}
	g.Topics = []live.Topic{{Name: "t", Owner: []int32{-1}}}
	if err := o.checkLive(g); err == nil || err.Error() != "group g has no members; have some join with --join N" {
		t.Error(err)
	}
	o.Events = []simulation.Event{simulation.Join{Count: 1}}
	if err := o.checkLive(g); err != nil {
		t.Error(err)
	}
}
