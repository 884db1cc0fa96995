package coordinator

import "github.com/assignkit/assignkit/internal/membership/wire"

// touch begins a member's session anew.
func (m *Machine) touch(x *member) { x.expires = m.now + x.session }

// waits says whether a request of the member is unanswered, in which time its session does not end: it could not send a heartbeat on
// that connection.
func (x *member) waits() bool { return x.joining != 0 || x.syncing != 0 }

// expire removes who has been silent for too long, and ends rounds whose time is up.
func (m *Machine) expire() {
	if m.phase != Ready {
		return
	}
	for _, g := range m.sorted() {
		m.expireMembers(g)
		if m.now >= g.deadline {
			switch g.state {
			case Preparing:
				m.endJoin(g)
			case Completing, Stable:
				m.expireSyncs(g)
			}
		}
	}
}

func (m *Machine) expireMembers(g *group) {
	var gone []*member
	for _, x := range g.members {
		if !x.waits() && m.now >= x.expires {
			gone = append(gone, x)
		}
	}
	pending := len(g.pending)
	for i := 0; i < len(g.pending); i++ {
		if m.now >= g.pending[i].expires {
			g.pending = append(g.pending[:i], g.pending[i+1:]...)
			i--
		}
	}
	for _, x := range gone {
		m.remove(g, x)
	}
	if len(gone) > 0 {
		m.shrunk(g)
	} else if len(g.pending) < pending {
		m.tryCompleteJoin(g)
	}
}

// expireSyncs removes who joined and has not come for its assignment within the rebalance timeout.
func (m *Machine) expireSyncs(g *group) {
	var gone []*member
	for _, x := range g.members {
		if !x.synced {
			gone = append(gone, x)
		}
	}
	g.deadline = Never
	for _, x := range gone {
		m.remove(g, x)
	}
	if len(gone) > 0 {
		m.shrunk(g)
	}
}

// wake is the next time at which something runs out.
func (m *Machine) wake() Time {
	next := Never
	if m.phase != Ready {
		return next
	}
	for _, g := range m.groups {
		for _, x := range g.members {
			if !x.waits() {
				next = min(next, x.expires)
			}
		}
		for _, p := range g.pending {
			next = min(next, p.expires)
		}
		if g.state == Preparing || g.state == Completing || g.state == Stable {
			next = min(next, g.deadline)
		}
	}
	return next
}

func (m *Machine) answerJoin(x *member, r wire.JoinReply) {
	if x.joining != 0 {
		m.reply(x.joining, r)
		x.joining = 0
		m.touch(x)
	}
}

func (m *Machine) answerSync(x *member, r wire.SyncReply) {
	if x.syncing != 0 {
		m.reply(x.syncing, r)
		x.syncing = 0
		m.touch(x)
	}
}
