package membership

import (
	"fmt"
	"slices"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// synced is given the assignment, or told why there is none.
func (m *Machine) synced(f *flight, r wire.SyncReply) {
	m.completing = false
	if m.state == Leaving && m.syncedLate(f, r.Code) {
		return
	}
	switch {
	case r.Code == wire.None:
	case r.Code == wire.RebalanceInProgress:
		m.contact = max(m.contact, f.sent)
		m.becomeRevoking(Reason{Interrupted, "another rebalance began"}, m.now)
		return
	case r.Code == wire.IllegalGeneration:
		// The group went on, or its coordinator has forgotten the round. If it knows the member, it knows the claims too: what the member
		// has applied is still its own.
		m.retry()
		m.becomeRevoking(Reason{Interrupted, "the round is over"}, m.now)
		return
	case r.Code.Kind() == wire.Passing:
		m.retry()
		m.becomeRevoking(Reason{Interrupted, "the round was interrupted"}, m.now)
		return
	default:
		m.trouble(r.Code, "sync refused")
		return
	}
	a, err := protocol.DecodeAssignment(r.Assignment)
	if err != nil {
		err = fmt.Errorf("group %s, generation %d: what the leader assigned cannot be read: %w", m.cfg.Group, m.round, err)
		m.enter(m.round)
		m.becomeLeaving(leaving{farewell: m.cfg.InstanceID == "", reason: "bad assignment", err: err})
		return
	}
	m.apply(newSet(a.Partitions), a.UserData)
	// How long the answer was under way, and how long the sync had waited, is not known: when it took long, a heartbeat tells whether the
	// assignment still holds.
	m.contact, m.calm = m.now, f.sent
	if m.now-f.sent > m.cfg.Heartbeat {
		m.heartbeatAt = m.now
	}
}

// enter makes a generation the one to claim and commit with.
func (m *Machine) enter(generation int32) {
	if m.generation != generation {
		m.confirmAt = m.now                  // commits of the one before are refused by now
		m.commitAt, m.commitTries = m.now, 0 // and what was refused for that need not wait
	}
	m.generation = generation
}

// apply takes over an assignment. What the member claimed and is not given goes, and then the group needs another round to hand it on.
func (m *Machine) apply(given set, userData []byte) {
	if m.cfg.InstanceID != "" && m.generation == strategy.NoGeneration && slices.ContainsFunc(given, func(p strategy.TopicPartition) bool { return !m.subscribes(p.Topic) }) {
		m.again = Reason{Subscribed, "the former self subscribed to more"}
	}
	last := m.generation
	m.enter(m.round)
	if m.state != Leaving {
		m.out.Assigned = &Assigned{Generation: m.round, Protocol: m.protocol, Leader: m.leader, Partitions: given, UserData: userData}
		m.awaitUserData()
	}
	if m.missed {
		m.lossCode = wire.IllegalGeneration
		m.loseSome(m.announced.minus(given), last)
	}
	m.missed = false
	if m.state == Leaving {
		return // all it wanted was a generation to commit with
	}
	m.previous = given
	m.follow(given, userData)
}
