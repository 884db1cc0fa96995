package histories

import (
	"fmt"
	"slices"

	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// promiseChecker looks for partitions that were announced to a member and then given to another, though the group has not changed. What is
// announced is read ahead, which would have been in vain.
type promiseChecker struct {
	silent
	last promises
}

// promises are what a leader said in a round.
type promises struct {
	generation int32
	group      string // who was in it, and what for
	coming     map[strategy.TopicPartition]string
}

// received notes what a process is told is coming.
func (p *Process) received(a *membership.Assigned) {
	u, _, err := protocol.DecodeUserData(a.UserData)
	if err != nil {
		p.w.fault("%s is told what makes no sense: %v", p.Name, err)
	}
	if p.spec.HandOver {
		p.told, p.toldIn = u.Coming, a.Generation
	}
}

// planned compares a plan with what was announced before.
func (c *promiseChecker) planned(w *World, g *strategy.Group, answer *strategy.Assignment) error {
	now := promises{generation: g.Generation, group: describeGroup(g), coming: map[strategy.TopicPartition]string{}}
	for _, u := range answer.Unassigned {
		if u.For != "" {
			now.coming[strategy.TopicPartition{Topic: u.Topic, Partition: u.Partition}] = u.For
		}
	}
	last := c.last
	c.last = now
	if last.group != now.group || now.generation != last.generation+1 ||
		slices.ContainsFunc(g.Members, func(m strategy.Member) bool { return m.Generation != last.generation }) {
		return nil
	}
	for _, p := range w.living() {
		id, _, _ := p.Machine.Identity()
		if p.toldIn != last.generation {
			continue
		}
		for _, tp := range p.told {
			for _, n := range tp.Partitions {
				at := strategy.TopicPartition{Topic: tp.Topic, Partition: n}
				if last.coming[at] == id && now.coming[at] != id && !has(answer.Members[id], at) {
					return fmt.Errorf("%s was told that %s-%d is coming, and is not given it", p.Name, at.Topic, at.Partition)
				}
			}
		}
	}
	return nil
}

// describeGroup is what a plan depends on beside what members own.
func describeGroup(g *strategy.Group) string {
	text := []any{g.Topics}
	for _, m := range g.Members {
		text = append(text, m.ID, m.Topics, m.Draining)
	}
	return fmt.Sprint(text...)
}

func has(list []strategy.TopicPartitions, at strategy.TopicPartition) bool {
	return slices.ContainsFunc(list, func(tp strategy.TopicPartitions) bool {
		return tp.Topic == at.Topic && slices.Contains(tp.Partitions, at.Partition)
	})
}
