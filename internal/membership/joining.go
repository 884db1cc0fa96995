package membership

import (
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// Slack is what a connection waits for a join beyond the rebalance timeout, in which the coordinator answers it.
const slack = 5 * time.Second

// advanceJoining sends the join, when no heartbeat is under way, no retry waits, and assignors have said what goes along with it, or have
// had their time.
func (m *Machine) advanceJoining() {
	if m.flights[slotGroup] != nil || m.now < max(m.retryAt, m.dataBy) {
		return
	}
	if m.dataBy > 0 {
		m.userData, m.dataBy = nil, 0 // what they said before was about another assignment
	}
	offers, err := m.offers()
	if err != nil {
		m.becomeLeaving(leaving{farewell: m.cfg.InstanceID == "", reason: "bad subscription", err: err})
		return
	}
	m.again, m.plan, m.overdue, m.next = Reason{}, nil, 0, next{}
	m.drainTold = m.draining
	m.nameless = m.memberID == "" && m.cfg.InstanceID != ""
	m.baseline = m.subscribed()
	m.send(slotGroup, Group, m.generation, m.cfg.Rebalance+slack, wire.Join{
		Group: m.cfg.Group, MemberID: m.memberID, InstanceID: m.cfg.InstanceID, ClientID: m.cfg.ClientID,
		Session: m.cfg.Session, Rebalance: m.cfg.Rebalance, Offers: offers, Reason: m.reason.Text,
	})
}

// joined is told the new generation, or why there is none.
func (m *Machine) joined(r wire.JoinReply) {
	if m.state != Joining && m.state != Leaving {
		return
	}
	m.contact = m.now // the time in which the join waited does not count
	switch r.Code {
	case wire.None:
	case wire.MemberIDRequired:
		m.memberID = r.MemberID
		return
	case wire.RebalanceInProgress, wire.IllegalGeneration:
		m.retry()
		return
	default:
		m.trouble(r.Code, "join refused")
		return
	}
	m.memberID, m.nameless = r.MemberID, false
	m.round, m.protocol, m.leader = r.Generation, r.Protocol, r.Leader
	m.missed = m.missed || m.seen != strategy.NoGeneration && r.Generation > m.seen+1
	m.seen, m.completing = r.Generation, true
	m.heartbeatAt = m.now + m.cfg.Heartbeat
	if r.Leader == r.MemberID && len(r.Members) > 0 {
		m.compute(&r)
		return
	}
	if m.cfg.InstanceID != "" && m.generation == strategy.NoGeneration {
		m.joinedAfterRestart(&r)
	}
	m.sendSync(wire.Sync{})
}

// joinedAfterRestart asks for another round where a static member may have been put in the place of its former self without one, so that
// nobody heard what it said.
func (m *Machine) joinedAfterRestart(r *wire.JoinReply) {
	switch {
	case strings.HasPrefix(r.Leader, m.cfg.InstanceID+"-") && r.Leader != r.MemberID:
		// The leader is the former self, named as Kafka names static members: what topics its plan was made for nobody knows any more,
		// and nobody else may notice that they have changed.
		m.again = Reason{LeaderRestarted, "the leader restarted"}
	case m.draining:
		m.again = Reason{Draining, "draining"}
	}
}

// trouble deals with codes that mean the same to every request on the group's lane. It may change the state.
func (m *Machine) trouble(code wire.Code, what string) {
	m.lossCode = code
	switch {
	case code.Kind() == wire.Moved:
		m.loseCoordinator()
	case code.Kind() == wire.Passing:
		m.retry()
	case code == wire.UnknownMemberID:
		m.retry()
		m.forget(Reason{UnknownMember, what + ": the group does not know the member"})
	case code == wire.IllegalGeneration:
		m.lose()
		m.startOver(Reason{OtherGeneration, what + ": the group is in another generation"})
	default:
		m.fail(code)
	}
}
