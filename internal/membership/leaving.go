package membership

import (
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// leaving is how the member is to end.
type leaving struct {
	reason   string
	farewell bool // a LeaveGroup is still to be answered
	deadline Time // for all of it
	err      error
}

func (m *Machine) leaveAsked(in Leave) {
	switch m.state {
	case Down:
		m.becomeEnded()
	case Leaving, Ended:
	default:
		m.becomeLeaving(leaving{reason: in.Reason, farewell: in.Farewell || m.draining || m.cfg.InstanceID == ""})
	}
}

// advanceLeaving gives up, says farewell, ends. Past the deadline nothing is waited for but callbacks, whose contexts have ended.
func (m *Machine) advanceLeaving() {
	late := m.now >= m.leave.deadline
	if late && m.generation != strategy.NoGeneration {
		m.lose()
		m.reconcile()
	}
	clean := len(m.announced.minus(m.lost)) == 0 && len(m.commits) == 0
	farewell := m.leave.farewell && m.memberID != "" && !late
	switch {
	case m.node < 0 && (farewell || len(m.commits) > 0) && !late:
		m.locate()
	case !clean:
		m.beat()
	case farewell:
		m.sayFarewell()
	case len(m.announced) == 0 && m.running == nil:
		m.becomeEnded()
	}
}

// sayFarewell leaves the group. It goes behind the last commit, on the same connection.
func (m *Machine) sayFarewell() {
	if m.flights[slotLeave] != nil || m.now < m.retryAt {
		return
	}
	m.send(slotLeave, Offsets, m.generation, m.cfg.Request, wire.Leave{Group: m.cfg.Group, MemberID: m.memberID, InstanceID: m.cfg.InstanceID, Reason: m.leave.reason})
}

func (m *Machine) farewellAnswered(code wire.Code) {
	switch code {
	case wire.NotCoordinator, wire.CoordinatorNotAvailable:
		m.loseCoordinator()
	case wire.CoordinatorLoading, wire.RequestTimedOut, wire.NetworkException:
		m.retry()
	default:
		m.leave.farewell = false // whatever else it says, the member is not in the group
	}
	if !m.leave.farewell {
		m.generation = strategy.NoGeneration
	}
}
