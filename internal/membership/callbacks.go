package membership

import (
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// assign sets what the group says is the member's. Callbacks follow when they can.
func (m *Machine) assign(s set) {
	m.assigned, m.unsettled, m.aheadMoved = s, true, true
}

// loseSome takes partitions away that were announced and are no longer the member's, and last were in a generation. What an unfinished Revoke
// is about has its callback already.
func (m *Machine) loseSome(s set, in int32) {
	if len(s) == 0 {
		return
	}
	m.unsettled = true
	if in != strategy.NoGeneration {
		m.lostIn = in
	}
	if f := m.flights[slotCommit]; f != nil {
		f.lost = f.lost.plus(s)
	}
	if m.running != nil {
		touched := s.and(m.running.Partitions)
		whole := len(touched) == len(m.running.Partitions) && m.running.Kind != Lost
		others := m.running.Kind == Revoke && m.lossCode != wire.UnknownTopicOrPartition // may have them by now, and do not have what is deleted
		if whole || len(touched) > 0 && others {
			m.cancel()
		}
		if m.running.Kind == Revoke {
			m.refused = m.refused.plus(touched)
			s = s.minus(touched)
		}
	}
	if m.cfg.bug != "lost goes on" {
		m.stop(s)
	}
	m.lost = m.lost.plus(s)
	m.retained = m.retained.minus(s)
	m.settleCommits(s)
	m.settleCommits(m.refused)
}

// cancel ends the context of the running callback, whose result counts for nothing from then on.
func (m *Machine) cancel() {
	m.out.Cancel, m.cancelled = m.running.ID, true
}

// stop ends delivery. What would begin with this very step does not: it would begin behind the callback that takes it away.
func (m *Machine) stop(s set) {
	if s = s.and(m.started); len(s) > 0 {
		m.started = m.started.minus(s)
		starting := sorted(m.out.Start)
		fresh := s.and(starting)
		m.out.Start = starting.minus(fresh)
		m.out.Stop = append(m.out.Stop, s.minus(fresh)...)
	}
}

// reconcile puts out the next callback, if none runs, and starts what may be: it makes what was announced equal to what is assigned.
func (m *Machine) reconcile() {
	if !m.unsettled {
		return
	}
	m.unsettled = false
	if m.running == nil || m.cfg.bug == "callbacks overlap" {
		live := m.announced.minus(m.lost)
		if m.cfg.bug == "no lost" {
			m.announced, m.lost = live, nil
		}
		if len(m.lost) > 0 {
			m.run(Lost, m.lost, Never)
		} else if gone := live.minus(m.keeps()); len(gone) > 0 {
			if m.cfg.bug != "works while revoking" {
				m.stop(gone)
			}
			m.run(Revoke, gone, m.awaited()+m.cfg.Rebalance)
		} else if added := m.assigned.minus(m.announced); len(added) > 0 {
			m.announced, m.aheadMoved = m.announced.plus(added), true
			m.run(Assign, added, m.awaited()+m.cfg.Rebalance)
		}
	}
	fresh := m.announced.and(m.keeps()).minus(m.started).minus(m.lost)
	if m.running != nil {
		fresh = fresh.minus(m.running.Partitions)
	}
	if m.cfg.bug == "what comes is delivered" {
		fresh = fresh.plus(m.coming.minus(m.started))
	}
	if len(fresh) > 0 {
		m.out.Start = append(m.out.Start, fresh...)
		m.started = m.started.plus(fresh)
	}
}

// awaited is since when the group may be waiting for the member: not while its join or sync waits for others.
func (m *Machine) awaited() Time {
	if m.waits() {
		return m.now
	}
	return m.calm
}

func (m *Machine) run(kind Kind, s set, deadline Time) {
	m.callbacks++
	m.cancelled = false
	m.runSince = m.now
	m.running = &Callback{ID: m.callbacks, Kind: kind, Partitions: s, Deadline: deadline, Generation: m.generation}
	if kind == Lost {
		m.running.Generation = m.lostIn
	}
	if kind != Assign {
		m.running.Gone = s.filter(m.gone)
	}
	m.out.Callback = m.running
}

// callbackDone goes on behind a callback.
func (m *Machine) callbackDone(in CallbackDone) {
	c := m.running
	if c == nil || c.ID != in.ID {
		return
	}
	m.running, m.refused, m.unsettled = nil, nil, true
	switch c.Kind {
	case Assign:
		switch {
		case in.Err == nil || m.cancelled || m.state == Leaving:
		case m.parting != nil:
			m.becomeLeaving(*m.parting)
		default:
			m.becomeLeaving(leaving{farewell: m.cfg.InstanceID == "", reason: "partitions could not be taken over", err: in.Err})
		}
	case Revoke, Lost:
		m.announced, m.aheadMoved = m.announced.minus(c.Partitions), true
		if c.Kind == Revoke {
			m.revokeTook = m.now - m.runSince
		}
		if c.Kind == Lost {
			m.lost = m.lost.minus(c.Partitions)
		}
		for _, p := range c.Partitions {
			delete(m.high, p)
		}
	}
}
