package coordinator

import (
	"slices"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
)

// A Record is an entry of the log: a [GroupRecord] or an [OffsetRecord]. Later ones of the same group, or of the same group and
// partition, replace earlier ones.
type Record interface{ record() }

// GroupRecord is a group as it was when a generation got its assignment, or when the last member had gone.
type GroupRecord struct {
	Group      string
	Generation int32
	Protocol   string
	Leader     string
	Members    []MemberRecord // in the order in which they joined
	Deleted    bool           // there is no such group any more, nor what it had stored
}

// MemberRecord is a member in a [GroupRecord].
type MemberRecord struct {
	ID, InstanceID, ClientID string
	Session, Rebalance       time.Duration
	Metadata                 []byte // for the group's protocol, the only one that is kept
	Assignment               []byte
}

// OffsetRecord is a committed offset.
type OffsetRecord struct {
	Group string
	wire.Offset
	Deleted bool // it is not any more, as its partition is gone
}

func (GroupRecord) record()  {}
func (OffsetRecord) record() {}

// persist appends the group as it is.
func (m *Machine) persist(g *group) {
	r := GroupRecord{Group: g.name, Generation: g.generation, Protocol: g.protocol, Leader: g.leader}
	for _, x := range g.members {
		r.Members = append(r.Members, MemberRecord{ID: x.id, InstanceID: x.instance, ClientID: x.client, Session: x.session, Rebalance: x.rebalance,
			Metadata: x.metadata(g.protocol), Assignment: x.assignment})
	}
	m.out.Append = append(m.out.Append, r)
}

// replay takes over what a predecessor has written. Members' sessions begin anew: how long they have been silent is not known.
func (m *Machine) replay(records []Record) {
	for _, r := range records {
		switch r := r.(type) {
		case OffsetRecord:
			if r.Deleted {
				delete(m.group(r.Group).offsets, r.TopicPartition)
				continue
			}
			m.group(r.Group).offsets[r.TopicPartition] = r.Offset
		case GroupRecord:
			if r.Deleted {
				delete(m.groups, r.Group)
				continue
			}
			g := m.group(r.Group)
			g.generation, g.protocol, g.leader = r.Generation, r.Protocol, r.Leader
			g.members, g.state, g.deadline = nil, Empty, Never
			for _, x := range r.Members {
				g.members = append(g.members, &member{id: x.ID, instance: x.InstanceID, client: x.ClientID, session: x.Session, rebalance: x.Rebalance,
					offers: []wire.Offer{{Name: r.Protocol, Metadata: x.Metadata}}, assignment: x.Assignment, synced: true})
				g.state = Stable
			}
		}
	}
	for _, g := range m.groups {
		for _, x := range g.members {
			m.touch(x)
		}
	}
}

// Committed returns the stored offsets of a group, sorted.
func (m *Machine) Committed(name string) []wire.Offset {
	g := m.groups[name]
	if g == nil {
		return nil
	}
	list := make([]wire.Offset, 0, len(g.offsets))
	for _, o := range g.offsets {
		list = append(list, o)
	}
	slices.SortFunc(list, func(a, b wire.Offset) int { return a.Compare(b.TopicPartition) })
	return list
}
