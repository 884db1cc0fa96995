package membership

import (
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// advanceStable starts a round if there is a reason, and shows that the member lives.
func (m *Machine) advanceStable() {
	if m.overdue > 0 && m.now >= m.overdue {
		// Who was to give something up and join again has gone without the group noticing, as static members do.
		m.overdue, m.again = 0, "the follow-up did not come"
	}
	if m.again != "" {
		m.becomeRevoking(m.again, false)
		return
	}
	m.beat()
}

// beat sends a heartbeat when one is due.
func (m *Machine) beat() {
	if m.generation == strategy.NoGeneration && !m.completing || m.node < 0 || m.flights[slotGroup] != nil || m.now < m.heartbeatAt {
		return
	}
	generation := m.generation
	if m.completing {
		generation = m.round
	}
	m.heartbeatAt = m.now + m.cfg.Heartbeat
	m.send(slotGroup, Group, generation, min(m.cfg.Request, m.cfg.Session/2), wire.Heartbeat{Group: m.cfg.Group, MemberID: m.memberID, InstanceID: m.cfg.InstanceID, Generation: generation})
}

// beaten is told how the group is. An answer that is about another name or generation than the present one says nothing.
func (m *Machine) beaten(f *flight, code wire.Code) {
	present := m.generation
	if m.completing {
		present = m.round
	}
	if f.memberID != m.memberID || f.generation != present {
		return
	}
	switch code {
	case wire.None:
		m.contact, m.calm = max(m.contact, f.sent), f.sent
		m.resetRetries()
		return
	case wire.RebalanceInProgress:
		m.contact = max(m.contact, f.sent)
	case wire.CoordinatorLoading, wire.RequestTimedOut, wire.NetworkException:
		m.heartbeatAt = m.now + m.cfg.backoff(1, m.requests)
		return
	case wire.IllegalGeneration:
		if m.state == Assigning || m.state == Joining {
			m.becomeRevoking("the round is over", true)
			return
		}
		if m.state == Leaving && m.roundOver(f) {
			return
		}
		m.trouble(code, "heartbeat refused")
		return
	default:
		m.trouble(code, "heartbeat refused")
		return
	}
	switch m.state {
	case Stable, Assigning:
		m.becomeRevoking("the group is rebalancing", true)
	case Revoking:
		m.urgent = true
	case Leaving:
		m.completing = false
		m.adopt(f.generation)
	}
}
