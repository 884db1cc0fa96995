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
	user := protocol.UserData{Labels: m.cfg.Labels, Capacity: m.cfg.Capacity, Draining: m.draining, Releasing: releasing.lists()}
	out := make([]wire.Offer, len(m.cfg.Offers))
	for i, o := range m.cfg.Offers {
		s := protocol.Subscription{Version: protocol.Newest, Topics: m.topics, Owned: owned, Generation: m.generation, Rack: m.cfg.Rack}
		var err error
		if o.Name != protocol.StickyName {
			user.Assignor = m.userData[o.Name]
			s.UserData, err = user.AppendBinary(nil)
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
