package membership

import (
	"slices"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// A commit is what the application asked for, with what has become of it. It is answered when nothing of it is open.
type commit struct {
	id      uint64
	number  uint64 // in the order in which they were asked for
	rewind  bool
	offsets []wire.Offset
	codes   []wire.Code
	open    []bool
	left    int // that are open
}

func (c *commit) settle(i int, code wire.Code) {
	c.open[i], c.codes[i] = false, code
	c.left--
}

// commitAsked takes a commit on. Partitions that are not the member's are refused without asking anybody.
func (m *Machine) commitAsked(in Commit) {
	m.asked++
	c := &commit{id: in.ID, number: m.asked, rewind: in.Rewind && m.cfg.bug != "rewind ignored", offsets: in.Offsets, codes: make([]wire.Code, len(in.Offsets)),
		open: make([]bool, len(in.Offsets)), left: len(in.Offsets)}
	for i, o := range in.Offsets {
		if c.open[i] = m.owns(o.TopicPartition); !c.open[i] {
			c.settle(i, wire.UnknownMemberID)
		}
	}
	if c.left == 0 {
		m.out.Answers = append(m.out.Answers, Answer{ID: c.id, Codes: c.codes})
		return
	}
	m.commits = append(m.commits, c)
}

// owns says whether the member may commit a partition.
func (m *Machine) owns(p strategy.TopicPartition) bool {
	return m.announced.has(p) && !m.lost.has(p) && !m.refused.has(p)
}

// settleWhere ends open offsets.
func (m *Machine) settleWhere(code wire.Code, which func(o *wire.Offset) bool) {
	for _, c := range m.commits {
		for i := range c.offsets {
			if c.open[i] && which(&c.offsets[i]) {
				c.settle(i, code)
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
	m.settleWhere(wire.UnknownMemberID, func(o *wire.Offset) bool { return s.has(o.TopicPartition) })
}

func (m *Machine) answerCommits() {
	m.commits = slices.DeleteFunc(m.commits, func(c *commit) bool {
		if c.left > 0 {
			return false
		}
		m.out.Answers = append(m.out.Answers, Answer{ID: c.id, Codes: c.codes})
		return true
	})
}

// pumpCommits sends what is open, all of it in one request, of each partition the highest offset. It holds commits back while none can
// succeed: without a coordinator or a generation, and between a join's answer and the assignment.
func (m *Machine) pumpCommits() {
	if len(m.commits) == 0 && !m.confirms() || m.flights[slotCommit] != nil || m.now < m.commitAt || m.node < 0 {
		return
	}
	if _, _, may := m.Identity(); !may {
		return
	}
	due := m.due()
	if m.confirms() {
		m.addConfirmations(due)
	}
	if len(due) == 0 {
		return
	}
	list := make([]wire.Offset, 0, len(due))
	var rewinds map[strategy.TopicPartition]bool
	for p, d := range due {
		list = append(list, d.Offset)
		if d.rewind {
			if rewinds == nil {
				rewinds = map[strategy.TopicPartition]bool{}
			}
			rewinds[p] = true
		}
	}
	slices.SortFunc(list, func(a, b wire.Offset) int { return a.Compare(b.TopicPartition) })
	m.send(slotCommit, Offsets, m.generation, m.cfg.Request, wire.Commit{Group: m.cfg.Group, MemberID: m.memberID, InstanceID: m.cfg.InstanceID,
		Generation: m.generation, Offsets: list})
	f := m.flights[slotCommit]
	f.upTo, f.rewinds = m.asked, rewinds
}

// A dueOffset is what a partition's offset is to become.
type dueOffset struct {
	wire.Offset
	rewind bool // which may be lower than what is stored
}

// due is, of each partition, the highest offset that is open, of those since the last rewind. What is stored or overtaken is settled.
func (m *Machine) due() map[strategy.TopicPartition]dueOffset {
	most := 0
	for _, c := range m.commits {
		most = max(most, c.left)
	}
	due := make(map[strategy.TopicPartition]dueOffset, most)
	for _, c := range m.commits {
		for i, o := range c.offsets {
			if !c.open[i] {
				continue
			}
			d, asked := due[o.TopicPartition]
			high, stored := m.high[o.TopicPartition]
			switch {
			case c.rewind || m.cfg.bug == "commits go back":
				due[o.TopicPartition] = dueOffset{o, true}
			case asked && o.Offset < d.Offset.Offset: // settled with d
			case asked:
				due[o.TopicPartition] = dueOffset{o, d.rewind}
			case stored && o.Offset <= high.Offset:
				c.settle(i, wire.None)
			default:
				due[o.TopicPartition] = dueOffset{o, false}
			}
		}
	}
	m.answerCommits()
	return due
}

// committed settles what was answered, with all that it was the highest of; what may succeed later stays open.
func (m *Machine) committed(f *flight, codes []wire.Code) {
	if f.void {
		return
	}
	m.commitTook = max(m.now-f.sent, m.commitTook*3/4)
	sent := f.body.(wire.Commit).Offsets
	final := make(map[strategy.TopicPartition]wire.Code, len(sent))
	var trouble wire.Code
	for i, o := range sent {
		code := wire.NetworkException
		if i < len(codes) {
			code = codes[i]
		}
		if code.Kind() != wire.OfRequest { // it may be another next time
			trouble = code
			continue
		}
		final[o.TopicPartition] = code
		m.concluded(f, o, code)
	}
	for _, c := range m.commits {
		if c.number > f.upTo {
			break
		}
		for i := range c.offsets {
			if code, ok := final[c.offsets[i].TopicPartition]; ok && c.open[i] {
				c.settle(i, code)
			}
		}
	}
	m.answerCommits()
	m.commitTrouble(f, trouble)
}

// concluded remembers what is stored.
func (m *Machine) concluded(f *flight, o wire.Offset, code wire.Code) {
	p := o.TopicPartition
	if f.lost.has(p) {
		return
	}
	if high, ok := m.high[p]; code == wire.None && (!ok || o.Offset > high.Offset || f.rewinds[p]) {
		m.high[p] = o
	}
	if f.sent >= m.confirmAt {
		delete(m.doubtful, p)
	}
}

// commitTrouble deals with a code that concerns the whole commit. A member that takes part in a round is healthy whatever a commit
// says of generations: it commits again when it has the new one.
func (m *Machine) commitTrouble(f *flight, code wire.Code) {
	if code == wire.None {
		m.commitTries = 0
		return
	}
	m.commitTries++
	m.commitAt = m.now + m.cfg.backoff(m.commitTries, m.requests)
	switch {
	case code == wire.IllegalGeneration:
		switch {
		case m.cfg.bug == "commit race is fatal":
			m.trouble(code, "commit refused")
		case f.generation != m.generation:
		case m.state == Leaving && !m.completing && m.roundOver(f): // also while it waits in a join: the round before was interrupted
		case m.inRound():
		default:
			m.trouble(code, "commit refused")
		}
	case code == wire.UnknownMemberID:
		if f.memberID == m.memberID {
			m.trouble(code, "commit refused")
		}
	case code.Kind() == wire.Moved:
		if !m.waits() {
			m.loseCoordinator()
		}
	case code.Kind() == wire.Final:
		m.fail(code)
	}
}

// inRound says whether a join or an assignment is to come.
func (m *Machine) inRound() bool {
	switch m.state {
	case Joining, Assigning, Syncing:
		return true
	case Leaving:
		return m.completing || m.waits()
	}
	return false
}
