package coordinator

import (
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// mayCommit says whether a commit under this name and generation is stored now.
func (m *Machine) mayCommit(g *group, id, instance string, generation int32) wire.Code {
	if generation < 0 && g.state == Empty {
		return wire.None // not by a member: a tool, or a consumer with partitions chosen by hand
	}
	_, code := g.find(id, instance)
	switch {
	case code != wire.None:
		return code
	case generation != g.generation && m.cfg.bug != "commits of any generation":
		return wire.IllegalGeneration
	case g.state == Completing:
		return wire.RebalanceInProgress
	}
	return wire.None
}

func (m *Machine) commit(r *wire.Commit, code wire.Code) wire.CommitReply {
	switch {
	case code != wire.None:
	case m.groups[r.Group] == nil && r.Generation >= 0:
		code = wire.IllegalGeneration // as Kafka answers for a group that is not there
	default:
		g := m.known(r.Group)
		code = m.mayCommit(g, r.MemberID, r.InstanceID, r.Generation)
		if x, found := g.find(r.MemberID, r.InstanceID); code == wire.None && found == wire.None {
			m.touch(x)
		}
	}
	reply := wire.CommitReply{Codes: make([]wire.Code, len(r.Offsets))}
	for i, o := range r.Offsets {
		switch {
		case !m.exists(o.TopicPartition): // which the broker sees before it asks its coordinator
			reply.Codes[i] = wire.UnknownTopicOrPartition
		case code != wire.None:
			reply.Codes[i] = code
		default:
			m.group(r.Group).offsets[o.TopicPartition] = o
			m.out.Append = append(m.out.Append, OffsetRecord{Group: r.Group, Offset: o})
		}
	}
	return reply
}

func (m *Machine) exists(p strategy.TopicPartition) bool {
	return m.topics == nil || p.Partition < m.topics[p.Topic]
}

// forgetOffsets drops what is stored of partitions that are gone.
func (m *Machine) forgetOffsets() {
	if m.phase != Ready || m.topics == nil {
		return
	}
	for _, g := range m.sorted() {
		for _, o := range m.Committed(g.name) {
			if !m.exists(o.TopicPartition) {
				delete(g.offsets, o.TopicPartition)
				m.out.Append = append(m.out.Append, OffsetRecord{Group: g.name, Offset: o, Deleted: true})
			}
		}
	}
}

func (m *Machine) fetch(r *wire.Fetch, code wire.Code) wire.FetchReply {
	reply := wire.FetchReply{Code: code}
	if code != wire.None {
		return reply
	}
	g := m.known(r.Group)
	for _, p := range r.Partitions {
		if o, ok := g.offsets[p]; ok {
			reply.Offsets = append(reply.Offsets, o)
		}
	}
	return reply
}
