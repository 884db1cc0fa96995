package membership

import (
	"slices"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// A commit is what the application asked for, with what has become of it. It is answered when nothing of it is open.
type commit struct {
	id      uint64
	offsets []wire.Offset
	codes   []wire.Code
	open    []bool
}

// commitAsked takes a commit on. Partitions that are not the member's are refused without asking anybody.
func (m *Machine) commitAsked(in Commit) {
	c := &commit{id: in.ID, offsets: in.Offsets, codes: make([]wire.Code, len(in.Offsets)), open: make([]bool, len(in.Offsets))}
	for i, o := range in.Offsets {
		p := o.TopicPartition
		if c.open[i] = m.announced.has(p) && !m.lost.has(p) && !m.refused.has(p); !c.open[i] {
			c.codes[i] = wire.UnknownMemberID
		}
	}
	m.commits = append(m.commits, c)
	m.answerCommits()
}

// settleWhere ends open offsets.
func (m *Machine) settleWhere(code wire.Code, which func(o *wire.Offset) bool) {
	for _, c := range m.commits {
		for i := range c.offsets {
			if c.open[i] && which(&c.offsets[i]) {
				c.open[i], c.codes[i] = false, code
			}
		}
	}
	m.answerCommits()
}

func (m *Machine) settleAll(code wire.Code) {
	m.settleWhere(code, func(*wire.Offset) bool { return true })
}

// settleCommits refuses what is open of partitions that are lost.
func (m *Machine) settleCommits(s set) {
	if len(s) > 0 && len(m.commits) > 0 {
		m.settleWhere(wire.UnknownMemberID, func(o *wire.Offset) bool { return s.has(o.TopicPartition) })
	}
}

func (m *Machine) answerCommits() {
	m.commits = slices.DeleteFunc(m.commits, func(c *commit) bool {
		if slices.Contains(c.open, true) {
			return false
		}
		m.out.Answers = append(m.out.Answers, Answer{ID: c.id, Codes: c.codes})
		return true
	})
}

// pumpCommits sends what is open, all of it in one request, of each partition the highest offset. It holds commits back while none can
// succeed: without a coordinator or a generation, and between a join's answer and the assignment.
func (m *Machine) pumpCommits() {
	if len(m.commits) == 0 || m.flights[slotCommit] != nil || m.now < m.commitAt || m.node < 0 {
		return
	}
	if _, _, may := m.Identity(); !may {
		return
	}
	best := map[strategy.TopicPartition]wire.Offset{}
	if m.cfg.bug != "commits go back" {
		m.settleWhere(wire.None, func(o *wire.Offset) bool {
			high, ok := m.high[o.TopicPartition]
			return ok && o.Offset <= high // stored, or overtaken
		})
	}
	for _, c := range m.commits {
		for i, o := range c.offsets {
			if b, ok := best[o.TopicPartition]; c.open[i] && (!ok || o.Offset >= b.Offset || m.cfg.bug == "commits go back") {
				best[o.TopicPartition] = o
			}
		}
	}
	if len(best) == 0 {
		return
	}
	list := make([]wire.Offset, 0, len(best))
	for _, o := range best {
		list = append(list, o)
	}
	slices.SortFunc(list, func(a, b wire.Offset) int { return a.Compare(b.TopicPartition) })
	m.send(slotCommit, Offsets, m.generation, m.cfg.Request, wire.Commit{Group: m.cfg.Group, MemberID: m.memberID, InstanceID: m.cfg.InstanceID,
		Generation: m.generation, Offsets: list})
}

// committed settles what was answered; what may succeed later stays open.
func (m *Machine) committed(f *flight, codes []wire.Code) {
	sent := f.body.(wire.Commit).Offsets
	if f.void {
		return
	}
	var worst wire.Code
	for i, o := range sent {
		code := wire.NetworkException
		if i < len(codes) {
			code = codes[i]
		}
		switch code {
		case wire.None:
			m.high[o.TopicPartition] = max(o.Offset, m.high[o.TopicPartition])
		case wire.RebalanceInProgress, wire.CoordinatorLoading, wire.RequestTimedOut, wire.NetworkException, wire.UnknownTopicOrPartition,
			wire.NotCoordinator, wire.CoordinatorNotAvailable, wire.IllegalGeneration, wire.UnknownMemberID, wire.FencedInstanceID, wire.GroupAuthorizationFailed:
			if worst = code; code != wire.UnknownTopicOrPartition {
				continue
			}
		}
		m.settleWhere(code, func(x *wire.Offset) bool { return x.TopicPartition == o.TopicPartition && x.Offset <= o.Offset })
	}
	m.commitTrouble(f, worst)
}

// commitTrouble deals with a code that concerns the whole commit. A member that takes part in a round is healthy whatever a commit
// says of generations: it commits again when it has the new one.
func (m *Machine) commitTrouble(f *flight, code wire.Code) {
	if code == wire.None || code == wire.UnknownTopicOrPartition {
		m.commitTries = 0
		return
	}
	m.commitTries++
	m.commitAt = m.now + m.cfg.backoff(m.commitTries, m.requests)
	inRound := m.state == Joining || m.state == Assigning || m.state == Syncing
	switch code {
	case wire.IllegalGeneration:
		if m.cfg.bug == "commit race is fatal" || f.generation == m.generation && !inRound {
			m.trouble(code, "commit refused")
		}
	case wire.UnknownMemberID:
		if f.memberID == m.memberID {
			m.trouble(code, "commit refused")
		}
	case wire.NotCoordinator, wire.CoordinatorNotAvailable:
		if m.node >= 0 && !m.waits() {
			m.loseCoordinator()
		}
	case wire.FencedInstanceID, wire.GroupAuthorizationFailed:
		m.fail(code)
	}
}
