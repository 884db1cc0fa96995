package membership

import (
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// A commit whose connection broke may still be carried out, and later than one that was sent behind it on a new connection: a broker handles
// what it has read of a connection that is gone, and a kernel sends what is in its buffers after the socket is closed. A stored offset then
// goes back, or, after a rewind, forward. Nothing in the protocol prevents that within a generation; commits of an older one are
// refused.
//
// The member never sends less than what is in doubt, except to rewind, and says what is stored once more when nothing should be under way any
// more: a request's time later, or at once in a new generation. That holds for a topic that was deleted and created anew, too: what was under
// way for the one may be stored for the other. Giving a partition up does not wait for that: its next owner would at worst process a little
// again.

// several stands for offsets that differ: whichever is stored, one of those in doubt is another.
const several = -1

// doubt notes what a commit asked for that will not be answered.
func (m *Machine) doubt(f *flight) {
	if f.void || m.cfg.bug == "no doubt" {
		return
	}
	for _, o := range f.body.(wire.Commit).Offsets {
		if before, some := m.doubtful[o.TopicPartition]; some && before != o.Offset {
			m.doubtful[o.TopicPartition] = several
			continue
		}
		m.doubtful[o.TopicPartition] = o.Offset
	}
	m.confirmAt = m.now + m.cfg.Request
}

// confirms says whether it is time to say again what is stored.
func (m *Machine) confirms() bool { return len(m.doubtful) > 0 && m.now >= m.confirmAt }

// addConfirmations adds what was committed since it was in doubt.
func (m *Machine) addConfirmations(due map[strategy.TopicPartition]dueOffset) {
	for p, abandoned := range m.doubtful {
		high, stored := m.high[p]
		if !stored || high.Offset == abandoned || !m.owns(p) {
			delete(m.doubtful, p) // there is nothing to put right, or it is not the member's to do
			continue
		}
		if _, ok := due[p]; !ok {
			due[p] = dueOffset{high, true}
		}
	}
}
