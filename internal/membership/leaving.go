package membership

import (
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// Leaving during a round. What the member has is still its own, as it claimed it in its join, or has not joined yet; so it is revoked, and
// what can be committed is. While the group prepares, commits of the old generation count, also while the member's own join waits. Once
// the join is answered the group takes no commits at all until it has a plan: the old generation is over and the new one has not
// begun. So the round goes on until nothing is left to commit. A follower asks for its assignment, and a leader makes its plan, as the
// others wait for that, too; what the plan gives to the member is passed over. Then its commits go out under the new generation. A
// member that has nothing to give up and nothing to commit cuts its connection at once, and the farewell takes it out of the round.
//
// If the round is interrupted, the group may be in either generation. Commits are tried with the old one, then with the new one.

// leaving is how the member is to end.
type leaving struct {
	reason   string
	farewell bool // a LeaveGroup is still to be answered
	deadline Time // for all of it
	err      error
}

// drain has partitions moved away, if the leader can be told.
func (m *Machine) drain() {
	switch {
	case m.cfg.sticky():
		m.out.Refused = ErrSticky
	case !m.draining:
		m.draining, m.again = true, Reason{Draining, "draining"}
	}
}

func (m *Machine) leaveAsked(in Leave) {
	switch m.state {
	case Down:
		m.becomeEnded()
	case Leaving, Ended:
	default:
		l := leaving{reason: in.Reason, farewell: in.Farewell || m.draining || m.cfg.InstanceID == ""}
		hands := l.farewell && m.cfg.handsOver()
		switch {
		case in.Prompt || m.parting == nil && !hands:
			m.becomeLeaving(l)
		case m.parting == nil:
			m.beginParting(l)
		}
	}
}

// advanceLeaving gives up, says farewell, ends. Past the deadline nothing is waited for but callbacks, whose contexts have ended.
func (m *Machine) advanceLeaving() {
	late := m.now >= m.leave.deadline && m.cfg.bug != "leaves late"
	if late && m.generation != strategy.NoGeneration {
		m.lose()
	}
	clean := len(m.announced) == len(m.lost) && len(m.commits) == 0 || m.cfg.bug == "farewell before revoke"
	if clean && !m.unnamed() || late || m.cfg.bug == "leave cuts the round" {
		m.quitRound()
	}
	farewell := m.leave.farewell && (m.memberID != "" || m.nameless) && !late
	switch {
	case m.node < 0 && (farewell || len(m.commits) > 0) && !late:
		m.locate()
	case !clean || m.unnamed() && !late:
		m.beat()
	case farewell:
		m.sayFarewell()
	case len(m.announced) == 0:
		m.becomeEnded()
	}
}

// quitRound abandons a join or sync in flight.
func (m *Machine) quitRound() {
	if m.waits() {
		m.closeLane(Group)
	}
	m.completing = false
}

// unnamed says that the member is about to be told its id, by an answer that does not wait for others: the group would wait for the member
// a whole session, did nobody take that id out of it.
func (m *Machine) unnamed() bool {
	return m.memberID == "" && m.cfg.InstanceID == "" && m.leave.farewell && m.waits()
}

// syncedLate deals with the answer to a sync, and says whether that is all.
func (m *Machine) syncedLate(f *flight, code wire.Code) bool {
	if code == wire.RebalanceInProgress {
		m.contact = max(m.contact, f.sent)
		m.adopt(m.round)
		return true
	}
	return code == wire.IllegalGeneration || code.Kind() == wire.Passing
}

// roundOver deals with a generation that is refused, and says whether there is another to try.
func (m *Machine) roundOver(f *flight) bool {
	if m.completing { // the round is over; perhaps the group is back in the generation before
		m.completing = false
		return m.generation != strategy.NoGeneration
	}
	return f.generation < m.round && m.adopt(m.round)
}

// adopt goes on in the generation of a round without its assignment, if no round went by unnoticed: what the member claimed nobody else
// was given in it.
func (m *Machine) adopt(round int32) bool {
	if m.missed || m.generation == strategy.NoGeneration {
		return false
	}
	m.enter(round)
	return true
}

// sayFarewell leaves the group. It goes behind the last commit, on the same connection.
func (m *Machine) sayFarewell() {
	if m.flights[slotLeave] != nil || m.now < m.retryAt {
		return
	}
	m.send(slotLeave, Offsets, m.generation, m.cfg.Request, wire.Leave{Group: m.cfg.Group, MemberID: m.memberID, InstanceID: m.cfg.InstanceID, Reason: m.leave.reason})
}

func (m *Machine) farewellAnswered(code wire.Code) {
	switch code.Kind() {
	case wire.Moved:
		m.loseCoordinator()
	case wire.Passing:
		m.retry()
	default:
		m.leave.farewell = false // whatever else it says, the member is not in the group
	}
	if !m.leave.farewell {
		m.generation = strategy.NoGeneration
	}
}
