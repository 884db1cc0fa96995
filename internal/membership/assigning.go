package membership

import (
	"github.com/assignkit/assignkit/internal/membership/wire"
)

// computed sends the plan to the group.
func (m *Machine) computed(in Computed) {
	if m.state != Assigning || in.Generation != m.round {
		return // void: the round is over
	}
	if in.Err != nil {
		m.becomeLeaving(leaving{farewell: m.cfg.InstanceID == "", reason: "the assignor failed", err: in.Err})
		return
	}
	m.plan = sortedCounts(in.Topics)
	m.watch(true)
	if in.Withheld {
		m.overdue = m.now + m.cfg.Rebalance
	}
	if f := m.flights[slotGroup]; f != nil { // a heartbeat: the answer to the sync tells as much
		m.flights[slotGroup] = nil
	}
	m.sendSync(wire.Sync{Assignments: in.Assignments})
}

func (m *Machine) sendSync(s wire.Sync) {
	s.Group, s.MemberID, s.InstanceID, s.Generation = m.cfg.Group, m.memberID, m.cfg.InstanceID, m.round
	m.send(slotGroup, Group, m.round, m.cfg.Rebalance+slack, s)
	m.becomeSyncing()
}
