package membership

import (
	"github.com/assignkit/assignkit/internal/membership/wire"
)

// planned is a topic as a plan took it to be.
type planned struct {
	TopicCount
	seen bool // the machine was told of it, too: that it is not any more tells something then
}

// compute has the assignor make a plan for the generation in round.
func (m *Machine) compute(r *wire.JoinReply) {
	m.plan = nil
	m.out.Compute = &Compute{Generation: r.Generation, Protocol: r.Protocol, Leader: r.MemberID, Members: r.Members}
	if m.state != Leaving {
		m.becomeAssigning()
	}
}

// computed sends the plan to the group.
func (m *Machine) computed(in Computed) {
	if !m.completing || m.waits() || in.Generation != m.round {
		return // void: the round is over
	}
	if in.Err != nil {
		// Nothing can be committed before the group has a plan, and it gets none while it waits for this member's.
		m.lose()
		if m.state != Leaving {
			m.becomeLeaving(leaving{farewell: m.cfg.InstanceID == "", reason: "the assignor failed", err: in.Err})
		}
		return
	}
	for _, t := range sortedCounts(in.Topics) {
		m.plan = append(m.plan, planned{TopicCount: t})
	}
	m.watch()
	if in.Withheld {
		m.overdue = m.now + m.cfg.Rebalance
	}
	if f := m.flights[slotGroup]; f != nil { // a heartbeat: the answer to the sync tells as much
		m.flights[slotGroup] = nil
	}
	m.sendSync(wire.Sync{Assignments: in.Assignments})
}

func (m *Machine) sendSync(s wire.Sync) {
	s.Group, s.MemberID, s.InstanceID, s.Generation, s.Protocol = m.cfg.Group, m.memberID, m.cfg.InstanceID, m.round, m.protocol
	m.send(slotGroup, Group, m.round, m.cfg.Rebalance+slack, s)
	if m.state != Leaving {
		m.becomeSyncing()
	}
}
