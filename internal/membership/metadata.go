package membership

import (
	"fmt"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// offers writes what the member says to each assignor. A cooperative member claims all that it has or has been given, also what it is
// about to give up; an eager one has given everything up. The claim's generation is the one applied last, which also makes the metadata
// differ from round to round, so that a follower's join starts one.
func (m *Machine) offers() ([]wire.Offer, error) {
	m.claimed = nil
	var releasing set
	if m.cfg.cooperative() {
		m.claimed = m.announced.minus(m.lost).plus(m.assigned)
		releasing = m.claimed.minus(m.assigned)
	}
	if m.cfg.bug == "claims forgotten" {
		m.claimed = nil
	}
	owned := m.claimed.lists()
	out := make([]wire.Offer, len(m.cfg.Offers))
	for i, o := range m.cfg.Offers {
		s := protocol.Subscription{Version: protocol.Newest, Topics: m.topics, Owned: owned, Generation: m.generation, Rack: m.cfg.Rack}
		var err error
		if o.Name != protocol.StickyName {
			s.UserData, err = m.userDataOf(&o, releasing)
		} else if m.generation != strategy.NoGeneration {
			s.UserData, err = protocol.AppendSticky(nil, m.previous.lists(), m.generation)
		}
		if err == nil {
			out[i].Metadata, err = s.AppendBinary(nil)
		}
		if err != nil {
			return nil, fmt.Errorf("membership: what to say to assignor %q: %w", o.Name, err)
		}
		out[i].Name = o.Name
	}
	return out, nil
}

// userDataOf writes what the member says to an assignor in this project's own format. What it is releasing, and what it had before it gave
// everything up, are hints: of those there is as much as there is room for, since without the rest a join is no worse than others'.
func (m *Machine) userDataOf(o *Offer, releasing set) ([]byte, error) {
	u := protocol.UserData{Labels: m.cfg.Labels, Capacity: m.cfg.Capacity, Draining: m.draining, Assignor: m.userData[o.Name]}
	data, err := u.AppendBinary(nil)
	room := protocol.MaxUserData - len(data) - hintHead
	switch {
	case err != nil:
		return nil, err
	case len(releasing) > 0:
		u.Releasing = releasing.within(room).lists()
	case len(m.previous) > 0 && o.Protocol != strategy.ProtocolCooperative && !m.cfg.cooperative():
		u.Previous = &protocol.Previous{Generation: m.generation, Partitions: m.previous.within(room).lists()}
	default:
		return data, nil
	}
	return u.AppendBinary(data[:0])
}

// hintHead is more than a list of partitions takes in user data beside its topics and numbers.
const hintHead = 32

// within is the beginning of the set that takes so many bytes where it is written.
func (s set) within(room int) set {
	for i, p := range s {
		if i == 0 || p.Topic != s[i-1].Topic {
			room -= 2 + len(p.Topic) + 4
		}
		if room -= 4; room < 0 {
			return s[:i]
		}
	}
	return s
}
