package membership

import (
	"slices"
	"time"

	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// Handing over. What a leader takes from a member it hands out in the round that follows, which it announces along with the assignment; see
// package handover. Until then the member works on what it is to give up (it is retained), and prepares for what is to come. Who gives
// nothing up joins the round when it was announced. Who does goes on a little longer; then it stops, revokes, commits, and joins: last of
// all, so that the round is complete and the partitions are away for a few messages only. A revocation that takes long does not hold the
// round up: the member joins all the same, still claiming those partitions and saying that it is releasing them, and joins again when it
// has. The others look for that by heartbeats that are frequent at first.
//
// A member that leaves does the same with all it has. It says that it is draining, and its farewell takes the place of its join.

// next is the round that was announced.
type next struct {
	since Time          // when it was announced; 0 if none was
	at    Time          // when to join it; 0 if the group does not know yet when it will be
	grace time.Duration // how much later to join a round in which something is to be given up
}

// follow takes over an assignment that was received, and does as was announced along with it.
func (m *Machine) follow(given set, userData []byte) {
	gives := m.claimed.minus(given)
	m.becomeStable()
	m.heartbeatAt = m.now + m.cfg.Heartbeat/2 + m.cfg.backoffPart(m.cfg.Heartbeat/2, m.requests)
	hint := m.announcement(userData)
	m.coming = newSet(hint.Coming).minus(given).minus(m.announced).filter(m.mayCome)
	m.assign(given)
	if hint.FollowUp != nil {
		m.schedule(hint.FollowUp)
	}
	if len(gives) == 0 || m.cfg.bug == "no follow-up" {
		return
	}
	m.retained = m.retainable(gives)
	switch {
	case len(m.retained) > 0 && m.next.at > 0:
		m.next.at += m.next.grace
	case len(m.retained) > 0 && m.next.since > 0:
		m.becomeRevoking(Reason{FollowUp, "partitions were given up"}, m.now+m.patience())
	default: // the group knows already that it is to wait for this
		m.becomeRevoking(Reason{FollowUp, "partitions were given up"}, Never)
	}
}

// announcement is what the leader says along with an assignment, nothing if that makes no sense or the member does not take part.
func (m *Machine) announcement(userData []byte) protocol.UserData {
	if !m.cfg.handsOver() {
		return protocol.UserData{}
	}
	u, _, _ := protocol.DecodeUserData(userData)
	return u
}

// mayCome says whether a partition that a leader announces is one that the member reads and that there is, so that nobody is asked in vain for
// what a leader says wrongly.
func (m *Machine) mayCome(p strategy.TopicPartition) bool {
	return m.subscribes(p.Topic) && p.Partition >= 0 && !m.gone(p)
}

// schedule notes when the next round is to be. A leader may be wrong: it must not keep the group waiting for long.
func (m *Machine) schedule(f *protocol.FollowUp) {
	m.next = next{since: max(m.now, 1), grace: min(f.Grace, m.cfg.Rebalance/4)}
	if f.After > 0 {
		m.next.at = m.now + min(f.After, m.cfg.Rebalance/2)
		return
	}
	m.heartbeatAt = m.now + m.pulse()
}

// retainable are those partitions that the member can go on with: not those that it is giving up already.
func (m *Machine) retainable(s set) set {
	s = s.and(m.announced).minus(m.lost)
	if m.running != nil && m.running.Kind == Revoke {
		s = s.minus(m.running.Partitions)
	}
	return s
}

// release stops going on with what is to be given up.
func (m *Machine) release() {
	if m.cfg.bug != "never lets go" {
		m.retained, m.unsettled = nil, true
	}
}

// keeps is what the member works on.
func (m *Machine) keeps() set { return m.assigned.plus(m.retained) }

// followUp joins the round that was announced, or leaves in its place.
func (m *Machine) followUp() {
	switch {
	case m.parting != nil && m.drainTold:
		m.becomeLeaving(*m.parting)
	case len(m.retained) > 0:
		m.becomeRevoking(Reason{FollowUp, "partitions were given up"}, m.now+m.patience())
	default:
		m.becomeRevoking(Reason{Announced, "the round that was announced"}, m.now)
	}
}

// readAhead says what to read ahead, if that has changed: what is to come, and what has come while another callback ran.
func (m *Machine) readAhead() {
	if !m.aheadMoved || !m.cfg.handsOver() {
		return
	}
	m.aheadMoved = false
	ahead := m.coming.plus(m.assigned.minus(m.announced))
	if slices.Equal(ahead, m.ahead) {
		return
	}
	m.ahead = ahead
	list := []strategy.TopicPartition(ahead)
	m.out.Coming = &list
}

const (
	// shortRevoke is how long a member waits for a revocation, beyond what it takes to commit, before it joins a round that others wait in. One
	// that is known to take a little longer is waited for, up to longRevoke; for one that takes long nobody waits.
	shortRevoke = 10 * time.Millisecond
	longRevoke  = 100 * time.Millisecond

	// foreignRevoke is both where some member hears of a round by heartbeats that are seconds apart: a further round would take that long, with
	// the partition away.
	foreignRevoke = time.Second
)

// patience is how long to wait for a Revoke before joining a round that others wait in, going by the last one and by recent commits.
func (m *Machine) patience() time.Duration {
	long, wait := longRevoke, min(max(m.revokeTook, m.commitTook), longRevoke)+shortRevoke
	if m.foreign() {
		long = min(foreignRevoke, m.cfg.Rebalance/8)
		wait = long
	}
	if !m.cfg.handsOver() || m.revokeTook > long {
		return 0
	}
	return wait
}

// foreign says whether there is a member that does not follow announcements, as far as is known: the leader gives no such one less time than
// its heartbeats are apart, and one that does not follow itself announces nothing.
func (m *Machine) foreign() bool { return m.next.since == 0 || m.next.grace >= foreignRevoke }

// fastest is the shortest time between heartbeats.
const fastest = 30 * time.Millisecond

// pulse is the time until the next heartbeat. While a round is awaited whose time nobody knows, it is noticed with a delay of a hundredth of
// the time that it took to come.
func (m *Machine) pulse() time.Duration {
	if m.next.since == 0 || m.next.at > 0 {
		return m.cfg.Heartbeat
	}
	return min(max((m.now-m.next.since)/100, fastest), m.cfg.Heartbeat)
}

// beginParting has the partitions moved away.
func (m *Machine) beginParting(l leaving) {
	l.deadline = m.now + m.cfg.Leave
	m.parting, m.partBy = &l, m.now+m.cfg.Leave/3
	if !m.draining {
		m.draining, m.again = true, Reason{Parting, "leaving"}
	}
}

// part leaves when there is nothing more to hand over, or nobody to hand it to, or no time.
func (m *Machine) part() {
	if m.parting == nil {
		return
	}
	lone := m.state == Stable && m.again == (Reason{}) && m.next.at == 0
	lost := m.generation == strategy.NoGeneration || m.state == Rediscovering || m.state == Discovering
	late := m.now >= m.partBy && m.cfg.bug != "hands over for ever"
	if lone || lost || late || len(m.announced) == len(m.lost) {
		m.becomeLeaving(*m.parting)
	}
}

// committing are partitions of which commits are not answered yet, though their Revoke may have ended.
func (m *Machine) committing() (s set) {
	for _, c := range m.commits {
		var open set
		for i, o := range c.offsets {
			if c.open[i] && !m.lost.has(o.TopicPartition) && !m.refused.has(o.TopicPartition) {
				open = append(open, o.TopicPartition)
			}
		}
		s = s.plus(sorted(open))
	}
	return s
}
