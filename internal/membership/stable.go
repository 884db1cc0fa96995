package membership

import (
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// advanceStable starts a round if there is a reason, and shows that the member lives.
func (m *Machine) advanceStable() {
	if m.overdue > 0 && m.now >= m.overdue {
		// Who was to give something up and join again has gone without the group noticing, as static members do.
		m.again = Reason{FollowUpMissing, "the follow-up did not come"}
	}
	switch {
	case m.next.at > 0 && m.now >= m.next.at:
		m.followUp()
	case m.again != (Reason{}) && m.next.at == 0: // a round that is to come serves as well
		m.becomeRevoking(m.again, Never)
	default:
		m.beat()
	}
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
	m.heartbeatAt = m.now + m.pulse()
	m.send(slotGroup, Group, generation, min(m.cfg.Request, m.cfg.Session/2), wire.Heartbeat{Group: m.cfg.Group, MemberID: m.memberID, InstanceID: m.cfg.InstanceID, Generation: generation})
}

// beaten is told how the group is. An answer that is about another generation than the present one says nothing.
func (m *Machine) beaten(f *flight, code wire.Code) {
	present := m.generation
	if m.completing {
		present = m.round
	}
	if f.generation != present {
		return
	}
	switch {
	case code == wire.None:
		m.contact, m.calm = max(m.contact, f.sent), f.sent
		return
	case code == wire.RebalanceInProgress:
		m.contact = max(m.contact, f.sent)
	case code.Kind() == wire.Passing:
		m.heartbeatAt = m.now + m.cfg.backoff(1, m.requests)
		return
	case code == wire.IllegalGeneration:
		if m.state == Assigning || m.state == Joining {
			m.becomeRevoking(Reason{Interrupted, "the round is over"}, m.now)
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
	case Stable:
		if len(m.retained) > 0 {
			m.next.at = min(m.next.at, m.now+m.next.grace) // whoever has begun the round, this member joins late
			return
		}
		m.becomeRevoking(Reason{GroupRebalances, "the group is rebalancing"}, m.now+m.patience())
	case Assigning:
		m.becomeRevoking(Reason{GroupRebalances, "the group is rebalancing"}, m.now)
	case Revoking:
		m.joinAt = min(m.joinAt, m.now+m.patience())
	case Leaving:
		m.completing = false
		m.adopt(f.generation)
	}
}
