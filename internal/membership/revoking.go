package membership

import "time"

// advanceRevoking joins once what has to be given up is, and all commits of it are answered.
func (m *Machine) advanceRevoking() {
	if m.released() || m.now >= m.dueAt() && m.cfg.cooperative() || m.cfg.bug == "join before revoke" {
		m.becomeJoining()
		return
	}
	m.beat()
}

// commitWait is how long a member that has revoked waits for the answers to its commits before it joins a round that others wait in. Joining
// without them costs a further round, in which its partitions are away: with members that hear of it by their heartbeats, for seconds.
const commitWait = time.Second

// dueAt is when to join although something is not released yet.
func (m *Machine) dueAt() Time {
	if m.joinAt == Never || !m.revoked() {
		return m.joinAt
	}
	return m.joinAt + min(commitWait, m.cfg.Rebalance/8)
}

// revoked says that the application works on nothing that the member is not assigned. What is lost does not count: it was released without
// being asked.
func (m *Machine) revoked() bool { return len(m.announced.minus(m.lost).minus(m.assigned)) == 0 }

// released says that the member has nothing that it is not assigned: it is revoked, and no commit of it is open.
func (m *Machine) released() bool {
	if !m.revoked() {
		return false
	}
	for _, c := range m.commits {
		for i, o := range c.offsets {
			if c.open[i] && !m.assigned.has(o.TopicPartition) {
				return false
			}
		}
	}
	return true
}
