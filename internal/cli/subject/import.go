package subject

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/assignkit/assignkit/internal/cli/output"
	"github.com/assignkit/assignkit/internal/describe"
	"github.com/assignkit/assignkit/internal/fault"
	"github.com/assignkit/assignkit/simulation"
)

// importGroup reads a group out of what kafka-consumer-groups prints, or out of a trace. What that text does not tell is assumed, and said.
func (o *Options) importGroup(file string, text *bufio.Reader) ([]Subject, error) {
	if isJSON(text) {
		return o.importTrace(file, text)
	}
	groups, err := describe.Read(file, text)
	if err != nil {
		return nil, err
	}
	g, err := o.choose(file, groups)
	if err != nil {
		return nil, err
	}
	if err := o.checkImported(file, g); err != nil {
		return nil, err
	}
	subscriptions, assumed := describe.AllTopics, "every member reads all of these topics"
	if o.Subscriptions == "owned" {
		subscriptions, assumed = describe.OwnedTopics, "members read only the topics that they have partitions of"
	}
	group := g.Strategy(subscriptions)
	size, loads := o.take(&group)
	if subscriptions == describe.AllTopics {
		for i := range group.Members {
			group.Members[i].Topics = nil // also those that an event creates
		}
	}
	o.say(fmt.Sprintf("%s: group %s: %s; assumed: %s, and no topic has more partitions than shown%s", o.IO.Name, output.Clean(g.Name), size, assumed, loads))
	return []Subject{{Scenario: simulation.Scenario{Group: group}}}, nil
}

// choose returns the group that --group names, or the only one.
func (o *Options) choose(file string, groups []describe.Group) (*describe.Group, error) {
	names := make([]string, len(groups))
	for i := range groups {
		if names[i] = output.Clean(groups[i].Name); groups[i].Name == o.Group {
			return &groups[i], nil
		}
	}
	switch {
	case len(groups) == 0:
		return nil, fmt.Errorf("%s: there is no group in it", file)
	case o.Group != "":
		return nil, fmt.Errorf("%s: there is no group %q in it; there are %s", file, o.Group, strings.Join(names, ", "))
	case len(groups) > 1:
		return nil, fault.Usage("%s has several groups: %s; choose one with --group", file, strings.Join(names, ", "))
	}
	return &groups[0], nil
}

// checkImported refuses a group that there is nothing to show of.
func (o *Options) checkImported(file string, g *describe.Group) error {
	name := output.Clean(g.Name)
	switch {
	case g.Rebalancing:
		return fmt.Errorf("%s: group %s is rebalancing; ask again in a moment", file, name)
	case len(g.Members) > 0:
		return nil
	case len(g.Topics) == 0:
		return fmt.Errorf("%s: group %s has no active members, and its partitions are not shown; describe it without --members, and have members join with --join N", file, name)
	case len(o.Events) == 0 && !o.AnyMembers:
		return fmt.Errorf("%s: group %s has no active members; have some join with --join N", file, name)
	}
	return nil
}
