package main

import (
	"encoding/binary"
	"hash/maphash"
	"maps"
	"slices"

	"github.com/assignkit/assignkit/strategy"
)

// A plan is an answer as most libraries give it: partitions by member and topic.
type plan map[string]map[string][]int32

// assignment writes the plan as an answer of ours, for [strategy.Validate] to judge. What the wire does not tell apart is no fault of
// a peer and put right: order, topics without partitions, and members that are left out, which get nothing. Everything else stays as
// it was answered. What a cooperative peer gives to nobody while somebody owns it is noted as withheld.
func (p plan) assignment(t *strategy.Table, protocol strategy.Protocol) strategy.Assignment {
	a := strategy.Assignment{Members: make(map[string][]strategy.TopicPartitions, len(p))}
	for i := range t.Group.Members {
		a.Members[t.Group.Members[i].ID] = nil
	}
	for id, topics := range p {
		list := make([]strategy.TopicPartitions, 0, len(topics))
		for _, topic := range slices.Sorted(maps.Keys(topics)) {
			if partitions := topics[topic]; len(partitions) > 0 {
				slices.Sort(partitions)
				list = append(list, strategy.TopicPartitions{Topic: topic, Partitions: partitions})
			}
		}
		a.Members[id] = list
	}
	if protocol == strategy.ProtocolCooperative {
		for i, owner := range t.Owners(&a) {
			if owner < 0 && t.Owner(i) != strategy.NoOwner {
				name := t.Name(i)
				a.Unassigned = append(a.Unassigned, strategy.Unassigned{Topic: name.Topic, Partition: name.Partition, Reason: strategy.ReasonWithheld})
			}
		}
	}
	return a
}

var seed = maphash.MakeSeed()

// digest is the same for equal answers, within one process.
func digest(a *strategy.Assignment) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	var number [4]byte
	for _, id := range slices.Sorted(maps.Keys(a.Members)) {
		h.WriteString(id)
		h.WriteByte(0)
		for _, tp := range a.Members[id] {
			h.WriteString(tp.Topic)
			h.WriteByte(0)
			for _, p := range tp.Partitions {
				binary.LittleEndian.PutUint32(number[:], uint32(p))
				h.Write(number[:])
			}
		}
	}
	return h.Sum64()
}
