package membership

// advanceRevoking joins once what has to be given up is, and all commits of it are answered, or else, still claiming that, when it is time to.
func (m *Machine) advanceRevoking() {
	if m.released() || m.now >= m.joinAt && m.cfg.cooperative() || m.cfg.bug == "join before revoke" {
		m.becomeJoining()
		return
	}
	m.beat()
}

// released says that the member has nothing that it is not assigned: the application works on none of it, and no commit of it is open. What is
// lost does not count: it was released without being asked.
func (m *Machine) released() bool {
	if len(m.announced.minus(m.lost).minus(m.assigned)) > 0 {
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
