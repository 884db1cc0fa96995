// Package problem states a group in the terms of the solvers. It is what assignors that use internal/balance have in common.
//
// What belongs here: numbers for what the group says. What does not: an assignor's own rules, and solving.
package problem

import (
	"slices"

	"github.com/assignkit/assignkit/internal/balance"
	"github.com/assignkit/assignkit/strategy"
)

// Of states the group of a table: sizes, capacities, owners, subscriptions and racks. It shares lists with the table, which must not be changed.
func Of(t *strategy.Table) *balance.Problem {
	p := &balance.Problem{
		Partitions: t.Sizes(), Members: len(t.Group.Members), Capacity: t.Shares(), Owner: t.Keepers(),
	}
	p.Start, p.Subscribers = t.Subscriptions()
	p.MemberRack, p.RackStart, p.PartitionRacks = racks(t)
	return p
}

// racks numbers the racks of members and partitions. It returns nil unless members and topics both have some, as racks then make
// no difference. Racks that have nothing in common do: a member without rack is at home everywhere.
func racks(t *strategy.Table) (members, start, partitions []int32) {
	number := map[string]int32{}
	members = make([]int32, len(t.Group.Members))
	for i := range t.Group.Members {
		rack := t.Group.Members[i].Rack
		if rack == "" {
			members[i] = -1
			continue
		}
		n, known := number[rack]
		if !known {
			n = int32(len(number))
			number[rack] = n
		}
		members[i] = n
	}
	if len(number) == 0 || !slices.ContainsFunc(t.Group.Topics, func(x strategy.Topic) bool { return len(x.Racks) > 0 }) {
		return nil, nil, nil
	}
	elsewhere := int32(len(number)) // a rack without members
	start = make([]int32, 1, t.Len()+1)
	for i := range t.Group.Topics {
		topic := &t.Group.Topics[i]
		for p := range topic.Partitions {
			if len(topic.Racks) > 0 {
				for _, rack := range topic.Racks[p] {
					n, known := number[rack]
					if !known {
						n = elsewhere
					}
					partitions = append(partitions, n)
				}
			}
			start = append(start, int32(len(partitions)))
		}
	}
	return members, start, partitions
}
