package membership

import (
	"errors"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// All changes of state are here. Each sets every field that belongs to the state it enters.

// becomeDiscovering looks for the coordinator as somebody who is not part of the group, to join then.
func (m *Machine) becomeDiscovering(reason Reason) {
	m.state, m.reason, m.node, m.completing = Discovering, reason, -1, false
}

// becomeRediscovering looks for the coordinator anew while the member keeps what it owns. A reason to join is kept for later.
func (m *Machine) becomeRediscovering() {
	m.state, m.node, m.completing = Rediscovering, -1, false
}

// becomeRevoking prepares a join. An eager member gives up all it owns first; a cooperative one what the group has taken from it, but only
// until the time to join: then it joins still claiming that.
func (m *Machine) becomeRevoking(reason Reason, joinAt Time) {
	m.state, m.reason, m.joinAt, m.completing = Revoking, reason, joinAt, false
	m.release()
	if !m.cfg.cooperative() && m.cfg.bug != "eager keeps" {
		m.assign(nil)
		if m.running != nil && m.running.Kind == Assign {
			m.cancel() // what it prepares has to go before it has begun
		}
	}
}

// becomeJoining has a join to send, at once or when the wait is over.
func (m *Machine) becomeJoining() {
	m.state = Joining
}

// becomeAssigning waits for the assignor's plan, for which it has asked with the same step.
func (m *Machine) becomeAssigning() {
	m.state = Assigning
}

// becomeSyncing waits for the assignment, for which it has asked with the same step.
func (m *Machine) becomeSyncing() {
	m.state = Syncing
}

// becomeStable is part of the group, with a valid assignment.
func (m *Machine) becomeStable() {
	m.state, m.reason, m.completing = Stable, Reason{}, false
	m.resetRetries()
}

// becomeLeaving gives everything up, then says farewell if told to. A round that is under way goes on meanwhile; see leaving.go.
func (m *Machine) becomeLeaving(l leaving) {
	m.state = Leaving
	l.deadline = m.now + m.cfg.Leave
	if m.parting != nil {
		l.deadline = m.parting.deadline
	}
	m.leave, m.parting, m.next = l, nil, next{}
	m.release()
	m.coming = nil
	m.assign(nil)
	m.resetRetries()
}

// becomeEnded is done.
func (m *Machine) becomeEnded() {
	m.state = Ended
	for lane := range m.flights {
		if m.flights[lane] != nil {
			m.closeLane(m.flights[lane].lane)
		}
	}
	m.out.Ended = &End{Err: m.leave.err}
}

// lose gives up membership of the generation: everything the member had may be somebody else's. It does not change the state. What was
// planned and announced ends with the join that follows.
func (m *Machine) lose() {
	last := m.generation
	m.generation, m.round, m.seen = strategy.NoGeneration, strategy.NoGeneration, strategy.NoGeneration
	m.missed, m.previous, m.coming, m.completing = false, nil, nil, false
	clear(m.doubtful) // whatever is still under way is refused, as it names a generation or a member that is gone
	m.loseSome(m.announced, last)
	m.assign(nil)
	m.settleAll(wire.UnknownMemberID)
	if f := m.flights[slotCommit]; f != nil {
		f.void = true
	}
}

// fail ends membership on an error that trying again does not mend.
func (m *Machine) fail(err error) {
	if code := wire.None; errors.As(err, &code) {
		m.lossCode = code
	}
	m.lose()
	if m.state == Leaving {
		m.leave.err, m.leave.farewell = err, false
		return
	}
	m.becomeLeaving(leaving{err: err})
}

// loseCoordinator gives up the connections to the coordinator, which is gone, moved or silent. What was in flight may have been
// carried out or not.
func (m *Machine) loseCoordinator() {
	if m.waits() {
		m.contact = m.now // the coordinator does not count the time in which a request waits
	}
	m.closeLane(Group)
	m.closeLane(Offsets)
	m.node, m.completing = -1, false
	m.retry()
	switch {
	case m.state == Leaving:
	case m.generation == strategy.NoGeneration:
		m.becomeDiscovering(m.reason)
	default:
		m.becomeRediscovering()
	}
}

// forget is lose and a new beginning: the coordinator does not know the member.
func (m *Machine) forget(reason Reason) {
	m.lose()
	m.memberID = ""
	m.startOver(reason)
}

// startOver joins again after lose, abandoning a join or sync in flight.
func (m *Machine) startOver(reason Reason) {
	if m.state == Leaving || m.state == Discovering {
		return
	}
	if m.flights[slotGroup] != nil {
		m.closeLane(Group)
	}
	m.becomeRevoking(reason, m.now)
}
