package coordinator

import "github.com/assignkit/assignkit/internal/membership/wire"

// mayCommit says whether a commit under this name and generation is stored now.
func (m *Machine) mayCommit(g *group, id, instance string, generation int32) wire.Code {
	if generation < 0 && g.state == Empty {
		return wire.None // not by a member: a tool, or a consumer with partitions chosen by hand
	}
	x, code := g.find(id, instance)
	switch {
	case code != wire.None:
		return code
	case generation != g.generation && m.cfg.bug != "commits of any generation":
		return wire.IllegalGeneration
	case g.state == Completing:
		return wire.RebalanceInProgress
	}
	m.touch(x)
	return wire.None
}

func (m *Machine) commit(r *wire.Commit, code wire.Code) wire.CommitReply {
	if code == wire.None {
		code = m.mayCommit(m.group(r.Group), r.MemberID, r.InstanceID, r.Generation)
	}
	reply := wire.CommitReply{Codes: make([]wire.Code, len(r.Offsets))}
	for i, o := range r.Offsets {
		if reply.Codes[i] = code; code == wire.None {
			m.group(r.Group).offsets[o.TopicPartition] = o
			m.out.Append = append(m.out.Append, OffsetRecord{Group: r.Group, Offset: o})
		}
	}
	return reply
}

func (m *Machine) fetch(r *wire.Fetch, code wire.Code) wire.FetchReply {
	reply := wire.FetchReply{Code: code}
	if code != wire.None {
		return reply
	}
	g := m.group(r.Group)
	for _, p := range r.Partitions {
		if o, ok := g.offsets[p]; ok {
			reply.Offsets = append(reply.Offsets, o)
		}
	}
	return reply
}
