package subject

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/live"
	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// FromCluster says whether the group is one of a running cluster. Which cluster that is, the environment may say.
func (o *Options) FromCluster() bool {
	return o.Connect.Given() || o.Group != "" && o.Import == "" && o.Trace == "" && o.File == "" && o.Topics == nil && o.Members == nil
}

// liveGroup reads the group from a cluster, and says what was read.
func (o *Options) liveGroup(ctx context.Context) ([]Subject, error) {
	client, err := o.Connect.Dial(ctx, o.IO.Err)
	if err != nil {
		return nil, err
	}
	defer func() { _ = client.Close() }() // it was only asked
	g, err := live.Read(ctx, client, o.Group, live.Options{})
	if err != nil {
		return nil, err
	}
	if err := o.checkLive(g); err != nil {
		return nil, err
	}
	group := g.Strategy()
	o.say(o.liveNote(strings.Join(client.Addrs(), ","), g, &group))
	for _, remark := range g.Remarks {
		o.say(fmt.Sprintf("%s: group %s: %s", o.IO.Name, output.Clean(g.Name), output.Clean(remark)))
	}
	return []Subject{{Scenario: simulation.Scenario{Group: group}}}, nil
}

// say writes a note to people.
func (o *Options) say(note string) {
	fmt.Fprintf(o.IO.Err, "%s\n", output.Paper{Width: o.IO.Width}.Wrap(nil, output.Cell{Text: note}))
}

// take has a group weigh its partitions as --weights says, and returns what to say of its size and of its loads.
func (o *Options) take(g *strategy.Group) (size, loads string) {
	partitions := 0
	for i := range g.Topics {
		t := &g.Topics[i]
		partitions += int(t.Partitions)
		if o.Weights == "none" {
			weighNothing(t)
		}
		if t.Weights != nil {
			loads = "; loads are lags (--weights none counts partitions), while sticky balances counts of partitions, not lags"
		}
	}
	size = fmt.Sprintf("%s of %s, %s", output.Count(partitions, "partition"), output.Count(len(g.Topics), "topic"), output.Count(len(g.Members), "member"))
	return size, loads
}

// weighNothing takes weights and lags from a topic. Its signals may be those of other topics, too.
func weighNothing(t *strategy.Topic) {
	t.Weights = nil
	if _, some := t.Signals[strategy.SignalLag]; some {
		t.Signals = maps.Clone(t.Signals)
		delete(t.Signals, strategy.SignalLag)
	}
}

func (o *Options) liveNote(where string, g *live.Group, group *strategy.Group) string {
	size, loads := o.take(group)
	note := fmt.Sprintf("%s: group %s read from %s: %s", o.IO.Name, output.Clean(g.Name), where, size)
	switch {
	case g.Type == live.Consumer:
		note += fmt.Sprintf("; the broker assigns it (consumer protocol, %s), so what is shown is a move to each strategy", output.Clean(g.Protocol))
	case g.Protocol != "":
		note += ", strategy " + output.Clean(g.Protocol)
	}
	if n := strategy.Count(g.Unconsumed()); n > 0 && len(g.Members) > 0 {
		note += fmt.Sprintf("; nobody consumes %d of them", n)
	}
	mixed := slices.ContainsFunc(group.Members, func(m strategy.Member) bool { return !slices.Equal(m.Topics, group.Members[0].Topics) })
	if mixed && slices.ContainsFunc(o.Events, func(e simulation.Event) bool { _, joins := e.(simulation.Join); return joins }) {
		note += "; assumed: who joins reads all of these topics"
	}
	return note + loads
}

// checkLive refuses a group that there is nothing to show of.
func (o *Options) checkLive(g *live.Group) error {
	name := output.Clean(g.Name)
	switch {
	case len(g.Members) > 0:
		return nil
	case len(g.Topics) == 0:
		return fmt.Errorf("group %s has no members and no committed offsets, so there is nothing to assign", name)
	case len(o.Events) == 0 && !o.AnyMembers:
		return fmt.Errorf("group %s has no members; have some join with --join N", name)
	}
	return nil
}
