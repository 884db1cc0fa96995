package membership

import (
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// A flight is a request that waits for its answer, in one of these slots: one of each may be under way.
type flight struct {
	id         uint64
	lane       Lane
	body       wire.Request
	memberID   string // under which it was sent
	generation int32
	sent       Time
	deadline   Time
	void       bool // what it was sent for is gone: the answer counts for nothing

	// Of a commit.
	upTo    uint64                           // the last that was asked for then
	rewinds map[strategy.TopicPartition]bool // partitions in which it may go back
	lost    set                              // since then: what it stored of them says nothing about what comes under their name
}

const (
	slotFind = iota
	slotGroup
	slotCommit
	slotLeave
	slots
)

// send puts a request out.
func (m *Machine) send(slot int, lane Lane, generation int32, wait time.Duration, body wire.Request) {
	if m.flights[slot] != nil {
		panic("membership: two requests in one slot: " + wire.Describe(body))
	}
	m.requests++
	m.flights[slot] = &flight{id: m.requests, lane: lane, body: body, memberID: m.memberID, generation: generation, sent: m.now, deadline: m.now + wait}
	m.out.Requests = append(m.out.Requests, Request{ID: m.requests, Lane: lane, Node: m.node, Body: body})
}

// landed takes the flight with this ID out of its slot; nil if it was given up.
func (m *Machine) landed(id uint64) *flight {
	for slot, f := range m.flights {
		if f != nil && f.id == id {
			m.flights[slot] = nil
			return f
		}
	}
	return nil
}

// closeLane breaks a connection and gives up what is under way on it.
func (m *Machine) closeLane(lane Lane) {
	m.drop(lane)
	m.out.Close = append(m.out.Close, lane)
}

func (m *Machine) drop(lane Lane) (some bool) {
	for slot, f := range m.flights {
		if f != nil && f.lane == lane {
			m.flights[slot] = nil
			some = true
			if slot == slotCommit {
				m.doubt(f)
			}
		}
	}
	// A request of this very step must not go out on a connection that is closed in it.
	kept := m.out.Requests[:0]
	for _, r := range m.out.Requests {
		if r.Lane != lane {
			kept = append(kept, r)
		}
	}
	m.out.Requests = kept
	return some
}

// disconnected deals with a connection that broke.
func (m *Machine) disconnected(lane Lane) {
	switch lane {
	case Any:
		if m.drop(lane) {
			m.retry()
		}
	case Group:
		if m.node >= 0 {
			m.loseCoordinator()
		}
	case Offsets:
		if m.drop(lane) {
			m.commitTries++
			m.commitAt = m.now + m.cfg.backoff(m.commitTries, m.requests)
			if m.state == Leaving {
				m.loseCoordinator()
			}
		}
	}
}

// waits says whether a join or a sync is under way: the coordinator does not judge the member by its silence then.
func (m *Machine) waits() bool {
	f := m.flights[slotGroup]
	if f == nil {
		return false
	}
	_, beat := f.body.(wire.Heartbeat)
	return !beat
}

// retry sets when the state may send again.
func (m *Machine) retry() {
	m.attempt++
	m.retryAt = m.now + m.cfg.backoff(m.attempt, m.requests)
}

func (m *Machine) resetRetries() { m.attempt, m.retryAt = 0, 0 }

// expire notices that requests are not answered.
func (m *Machine) expire() {
	for _, f := range m.flights {
		if f != nil && m.now >= f.deadline {
			m.out.Close = append(m.out.Close, f.lane)
			m.disconnected(f.lane)
		}
	}
}

// expireSession gives up what the coordinator has had to give away.
func (m *Machine) expireSession() {
	if m.generation != strategy.NoGeneration && !m.waits() && m.now >= m.contact+m.cfg.Session && m.cfg.bug != "session not watched" {
		m.lossCode = wire.None
		m.lose()
		m.reason = Reason{SessionExpired, "session expired"}
		m.loseCoordinator()
	}
}

// wake is the next time at which something is to be done.
func (m *Machine) wake() Time {
	at := Never
	if m.state == Ended {
		return at
	}
	for _, f := range m.flights {
		if f != nil {
			at = min(at, f.deadline)
		}
	}
	if m.generation != strategy.NoGeneration && !m.waits() && m.contact+m.cfg.Session > m.now {
		at = min(at, m.contact+m.cfg.Session)
	}
	if m.node >= 0 && m.flights[slotGroup] == nil && m.heartbeatAt > m.now {
		at = min(at, m.heartbeatAt)
	}
	if m.retryAt > m.now {
		at = min(at, m.retryAt)
	}
	if m.dataBy > m.now {
		at = min(at, m.dataBy)
	}
	if m.overdue > m.now {
		at = min(at, m.overdue)
	}
	if m.commitAt > m.now && (len(m.commits) > 0 || len(m.doubtful) > 0) {
		at = min(at, m.commitAt)
	}
	if m.confirmAt > m.now && len(m.doubtful) > 0 {
		at = min(at, m.confirmAt)
	}
	if m.state == Stable && m.next.at > m.now {
		at = min(at, m.next.at)
	}
	if m.state == Revoking && m.joinAt > m.now {
		at = min(at, m.joinAt)
	}
	if m.partBy > m.now {
		at = min(at, m.partBy)
	}
	if m.state == Leaving && m.leave.deadline > m.now {
		at = min(at, m.leave.deadline)
	}
	return at
}
