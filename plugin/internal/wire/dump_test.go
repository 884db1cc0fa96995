package wire

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	pluginproto "github.com/assignkit/assignkit/plugin/proto"
	"github.com/assignkit/assignkit/strategy"
)

// dumped writes all that a group says, each thing on its own, so that two groups say the same if their dumps are equal.
func dumped(g *strategy.Group) string {
	var b strings.Builder
	fmt.Fprintf(&b, "group %q generation %d leader %q\n", g.Name, g.Generation, g.Leader)
	for _, t := range g.Topics {
		fmt.Fprintf(&b, "topic %q partitions %d weights %v racks", t.Name, t.Partitions, t.Weights)
		for _, racks := range t.Racks {
			fmt.Fprintf(&b, " %q", racks)
		}
		fmt.Fprintf(&b, " leaders %q", t.LeaderRacks)
		for _, k := range slices.Sorted(maps.Keys(t.Signals)) {
			fmt.Fprintf(&b, " signal %q %v", k, t.Signals[k])
		}
		b.WriteByte('\n')
	}
	for _, m := range g.Members {
		fmt.Fprintf(&b, "member %q instance %q rack %q topics %q generation %d capacity %d draining %t data %x labels", m.ID, m.InstanceID, m.Rack, m.Topics,
			m.Generation, m.Capacity, m.Draining, m.UserData)
		for _, k := range slices.Sorted(maps.Keys(m.Labels)) {
			fmt.Fprintf(&b, " %q=%q", k, m.Labels[k])
		}
		fmt.Fprintf(&b, " up %d signals", m.Uptime)
		for _, k := range slices.Sorted(maps.Keys(m.Signals)) {
			fmt.Fprintf(&b, " %q=%v", k, m.Signals[k])
		}
		fmt.Fprintf(&b, " owned %s releasing %s expecting %s\n", listed(m.Owned), listed(m.Releasing), listed(m.Expecting))
	}
	return b.String()
}

func listed(list []strategy.TopicPartitions) string {
	var b strings.Builder
	for _, tp := range list {
		fmt.Fprintf(&b, "%q%v", tp.Topic, tp.Partitions)
	}
	return b.String()
}

// answered writes all that an answer says, with what nobody gets in order.
func answered(a *strategy.Assignment) string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(a.Members)) {
		fmt.Fprintf(&b, "%q: %s\n", id, listed(a.Members[id]))
	}
	var lines []string
	for _, u := range a.Unassigned {
		line := fmt.Sprintf("%q-%d %s for %q", u.Topic, u.Partition, u.Reason, u.For)
		if u.With != nil {
			line += fmt.Sprintf(" with %q-%d", u.With.Topic, u.With.Partition)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	fmt.Fprintf(&b, "%s\nstopped %q\n", strings.Join(lines, "\n"), a.Stopped)
	for _, id := range slices.Sorted(maps.Keys(a.UserData)) {
		fmt.Fprintf(&b, "data for %q: %x\n", id, a.UserData[id])
	}
	return b.String()
}

// fataler is what tests and property tests have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// asked is the request about a group.
func asked(t fataler, g *strategy.Group) *pluginproto.AssignRequest {
	t.Helper()
	table, err := strategy.Tabulate(g)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return AssignRequest(table)
}

// sent is a group as a plugin gets it.
func sent(t fataler, g *strategy.Group) *strategy.Group {
	t.Helper()
	data, err := proto.Marshal(asked(t, g))
	if err != nil {
		t.Fatalf("marshalling the request: %v", err)
	}
	r := &pluginproto.AssignRequest{}
	if err := proto.Unmarshal(data, r); err != nil {
		t.Fatalf("unmarshalling the request: %v", err)
	}
	got, err := Group(r)
	if err != nil {
		t.Fatalf("reading the request: %v", err)
	}
	return got
}

// returned is an answer, to the group that a plugin has got, as the host gets it.
func returned(t fataler, table *strategy.Table, g *strategy.Group, a *strategy.Assignment) strategy.Assignment {
	t.Helper()
	response, err := AssignResponse(g, a)
	if err != nil {
		t.Fatalf("writing the response: %v", err)
	}
	data, err := proto.Marshal(response)
	if err != nil {
		t.Fatalf("marshalling the response: %v", err)
	}
	r := &pluginproto.AssignResponse{}
	if err := proto.Unmarshal(data, r); err != nil {
		t.Fatalf("unmarshalling the response: %v", err)
	}
	got, err := Assignment(table, r)
	if err != nil {
		t.Fatalf("reading the response: %v", err)
	}
	return got
}
