package coordinator

import "github.com/assignkit/assignkit/internal/membership/wire"

// join answers a JoinGroup at once where it is refused or changes nothing, and else when the round is complete.
func (m *Machine) join(id uint64, r *wire.Join) {
	refuse := func(code wire.Code) { m.reply(id, wire.JoinReply{Code: code, MemberID: r.MemberID}) }
	if r.Session < m.cfg.SessionMin || r.Session > m.cfg.SessionMax {
		refuse(wire.InvalidSessionTimeout)
		return
	}
	if r.MemberID != "" && m.groups[r.Group] == nil {
		refuse(wire.UnknownMemberID)
		return
	}
	g := m.group(r.Group)
	switch {
	case !m.hasRoom(g, r.MemberID):
		m.evict(g, r.MemberID)
		refuse(wire.GroupMaxSizeReached)
		return
	case !g.supports(r.Offers):
		refuse(wire.InconsistentGroupProtocol)
		return
	case r.MemberID == "":
		m.joinUnnamed(id, r, g)
		return
	case r.InstanceID == "" && g.dropPending(r.MemberID):
		m.add(id, r, g, r.MemberID)
		return
	}
	x, code := g.find(r.MemberID, r.InstanceID)
	if code != wire.None {
		refuse(code)
		return
	}
	m.joinAgain(id, r, g, x)
}

// hasRoom says whether a join with this id, which may be none, is within the bound. While a round is prepared, places are those of who
// waits, so that a new member may take one of a member that has not come yet. Ids that were only handed out have none.
func (m *Machine) hasRoom(g *group, id string) bool {
	x := g.member(id)
	if m.cfg.MaxSize == 0 || g.state == Empty {
		return true
	}
	if g.state != Preparing {
		return x != nil || len(g.members) < m.cfg.MaxSize
	}
	waiting := 0
	for _, y := range g.members {
		if y.joining != 0 {
			waiting++
		}
	}
	return x != nil && x.joining != 0 || waiting < m.cfg.MaxSize
}

// evict forgets who has come too late. As in Kafka, a round that has waited for just this one is not completed by that.
func (m *Machine) evict(g *group, id string) {
	g.dropPending(id)
	if x := g.member(id); x != nil {
		m.remove(g, x)
	}
}

// joinUnnamed is a join without a member id: of a static member, or of one that has to be told an id first.
func (m *Machine) joinUnnamed(id uint64, r *wire.Join, g *group) {
	x := g.static(r.InstanceID)
	switch {
	case x != nil:
		m.replaceStatic(id, r, g, x)
	case r.InstanceID != "":
		m.add(id, r, g, m.newID(r.InstanceID))
	default:
		name := m.newID(r.ClientID)
		g.pending = append(g.pending, pendingMember{id: name, expires: m.now + r.Session})
		m.reply(id, wire.JoinReply{Code: wire.MemberIDRequired, MemberID: name})
	}
}

// joinAgain is a join of a member: it starts a round only if it says something new, or comes from the leader.
func (m *Machine) joinAgain(id uint64, r *wire.Join, g *group, x *member) {
	same := x.offersAs(r.Offers)
	switch {
	case g.state == Completing && same, g.state == Stable && same && x.id != g.leader:
		m.touch(x)
		m.reply(id, m.joined(g, x))
		return
	}
	m.update(x, id, r)
	if g.state == Preparing {
		m.tryCompleteJoin(g)
		return
	}
	m.prepare(g)
}

// update takes over what a member says now. Its earlier join, if one waits, is never answered.
func (m *Machine) update(x *member, id uint64, r *wire.Join) {
	x.offers, x.client, x.session, x.rebalance = r.Offers, r.ClientID, r.Session, r.Rebalance
	x.joining = id
	m.touch(x)
}

// add makes a member of who is not yet one.
func (m *Machine) add(id uint64, r *wire.Join, g *group, name string) {
	x := &member{id: name, instance: r.InstanceID}
	m.update(x, id, r)
	g.members = append(g.members, x)
	if g.leader == "" || g.state == Empty {
		g.leader = name
	}
	if g.state == Preparing {
		g.grew = true
		m.tryCompleteJoin(g)
		return
	}
	m.prepare(g)
}

// replaceStatic is a static member that has restarted: it takes the place of its former self, which is fenced. While the group is stable
// it gets the assignment it had, and nobody else notices.
func (m *Machine) replaceStatic(id uint64, r *wire.Join, g *group, x *member) {
	former := x.id
	m.answerJoin(x, wire.JoinReply{Code: wire.FencedInstanceID, MemberID: former})
	m.answerSync(x, wire.SyncReply{Code: wire.FencedInstanceID})
	x.id = m.newID(r.InstanceID)
	if m.cfg.bug == "static id kept" {
		x.id = former
	}
	leads := g.leader == former
	if leads {
		g.leader = x.id
	}
	m.update(x, id, r)
	switch g.state {
	case Stable:
		if g.vote() != g.protocol {
			m.prepare(g)
			return
		}
		m.persist(g)
		reply := m.joined(g, x)
		if leads {
			reply.Leader, reply.Members = former, nil // as a follower: it is not to assign anew
		}
		m.answerJoin(x, reply)
	case Preparing:
		m.tryCompleteJoin(g)
	default:
		m.prepare(g)
	}
}

// joined is the answer to a member of the present generation.
func (m *Machine) joined(g *group, x *member) wire.JoinReply {
	r := wire.JoinReply{MemberID: x.id, Generation: g.generation, Protocol: g.protocol, Leader: g.leader}
	if x.id == g.leader {
		r.Members = g.list()
	}
	return r
}
