package coordinator

import (
	"slices"

	"github.com/assignkit/assignkit/internal/membership/wire"
)

// prepare begins a round.
func (m *Machine) prepare(g *group) {
	if g.state == Completing {
		for _, x := range g.members {
			m.answerSync(x, wire.SyncReply{Code: wire.RebalanceInProgress})
		}
	}
	g.initial, g.grew, g.latest = g.state == Empty, false, m.now+g.patience()
	g.deadline = g.latest
	if g.initial {
		g.deadline = m.now + m.cfg.InitialDelay
	}
	g.state = Preparing
	if m.now >= g.deadline {
		m.endJoin(g)
		return
	}
	m.tryCompleteJoin(g)
}

// endJoin completes the round, whoever has come, at its deadline, unless that is the delay of a first round in which somebody has come:
// then there may be more to come.
func (m *Machine) endJoin(g *group) {
	if g.initial && g.grew && m.now < g.latest {
		g.grew = false
		g.deadline = min(m.now+m.cfg.InitialDelay, g.latest)
		return
	}
	m.completeJoin(g)
}

// tryCompleteJoin completes the round if everybody has come.
func (m *Machine) tryCompleteJoin(g *group) {
	if g.state != Preparing || g.initial || len(g.pending) > 0 && len(g.members) > 0 {
		return
	}
	for _, x := range g.members {
		if x.joining == 0 {
			return
		}
	}
	m.completeJoin(g)
}

// completeJoin begins a generation with who has come. Dynamic members that have not are removed; static ones stay, but have to ask for
// their assignments in time, like all.
func (m *Machine) completeJoin(g *group) {
	for _, x := range slices.Clone(g.members) {
		if x.joining == 0 && x.instance == "" {
			m.remove(g, x)
		}
	}
	g.initial = false
	if len(g.members) == 0 {
		m.becomeEmpty(g)
		return
	}
	if leader := g.member(g.leader); leader == nil || leader.joining == 0 {
		i := slices.IndexFunc(g.members, func(x *member) bool { return x.joining != 0 })
		if i < 0 {
			g.deadline = m.now + g.patience() // only static members that have not come: wait on
			return
		}
		g.leader = g.members[i].id
	}
	g.generation++
	g.protocol = g.vote()
	g.state = Completing
	g.deadline = m.now + g.patience()
	for _, x := range g.members {
		x.synced, x.assignment = false, nil
		m.answerJoin(x, m.joined(g, x))
	}
}

func (m *Machine) becomeEmpty(g *group) {
	g.generation++
	g.state, g.protocol, g.leader, g.deadline = Empty, "", "", Never
	m.persist(g)
}

// remove takes a member out. Its join, if one waits, is answered, its sync never, as in Kafka. The caller calls shrunk afterwards.
func (m *Machine) remove(g *group, x *member) {
	m.answerJoin(x, wire.JoinReply{Code: wire.UnknownMemberID, MemberID: x.id})
	g.members = slices.DeleteFunc(g.members, func(y *member) bool { return y == x })
	if g.leader == x.id {
		g.leader = ""
		if len(g.members) > 0 {
			g.leader = g.members[0].id
		}
	}
}

// shrunk goes on after members were removed.
func (m *Machine) shrunk(g *group) {
	switch g.state {
	case Stable, Completing:
		m.prepare(g)
	case Preparing:
		m.tryCompleteJoin(g)
	}
}

// sync answers with the assignment, once the leader has sent it.
func (m *Machine) sync(id uint64, r *wire.Sync) {
	g := m.known(r.Group)
	x, code := g.find(r.MemberID, r.InstanceID)
	switch {
	case code != wire.None:
	case r.Generation != g.generation:
		code = wire.IllegalGeneration
	case g.state == Preparing:
		code = wire.RebalanceInProgress
	case g.state == Empty:
		code = wire.UnknownMemberID
	}
	if code != wire.None {
		m.reply(id, wire.SyncReply{Code: code})
		return
	}
	m.touch(x)
	x.synced = true
	if g.state == Stable {
		m.reply(id, wire.SyncReply{Assignment: x.assignment})
		return
	}
	x.syncing = id
	if x.id == g.leader {
		m.assign(g, r)
	}
}

// assign makes the group stable with the leader's assignment.
func (m *Machine) assign(g *group, r *wire.Sync) {
	for _, a := range r.Assignments {
		if x := g.member(a.ID); x != nil {
			x.assignment = a.Assignment
		}
	}
	g.state = Stable
	m.persist(g)
	for _, x := range g.members {
		m.answerSync(x, wire.SyncReply{Assignment: x.assignment})
	}
}

func (m *Machine) heartbeat(r *wire.Heartbeat, down wire.Code) wire.Code {
	if down != wire.None {
		return down
	}
	g := m.known(r.Group)
	x, code := g.find(r.MemberID, r.InstanceID)
	switch {
	case code != wire.None:
		return code
	case r.Generation != g.generation:
		return wire.IllegalGeneration
	}
	m.touch(x)
	if g.state == Preparing {
		return wire.RebalanceInProgress
	}
	return wire.None
}

func (m *Machine) leave(r *wire.Leave, down wire.Code) wire.Code {
	if down != wire.None {
		return down
	}
	g := m.known(r.Group)
	if r.InstanceID == "" && g.dropPending(r.MemberID) {
		m.shrunk(g) // also where it is stable: Kafka begins a round for it
		return wire.None
	}
	id := r.MemberID
	if x := g.static(r.InstanceID); x != nil && id == "" {
		id = x.id
	}
	x, code := g.find(id, r.InstanceID)
	if code != wire.None {
		return code
	}
	m.remove(g, x)
	m.shrunk(g)
	return wire.None
}
