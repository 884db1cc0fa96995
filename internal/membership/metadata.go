package membership

import (
	"fmt"
	"slices"

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
		m.claimed = m.announced.minus(m.lost).plus(m.assigned).plus(m.committing())
		releasing = m.claimed.minus(m.assigned)
	}
	switch {
	case m.cfg.bug == "claims forgotten":
		m.claimed = nil
	case m.cfg.bug == "slow revoke not claimed" && m.now >= m.joinAt:
		m.claimed = m.assigned
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

// awaitUserData has the next join wait for what assignors send along from now on.
func (m *Machine) awaitUserData() {
	if m.cfg.UserData > 0 {
		m.dataBy = m.now + m.cfg.UserData
	}
}

// userDataOf writes what the member says to an assignor in this project's own format. What it is releasing, and what it had before it gave
// everything up, are hints: of those there is as much as there is room for, since without the rest a join is no worse than others'.
func (m *Machine) userDataOf(o *Offer, releasing set) ([]byte, error) {
	u := protocol.UserData{Labels: m.cfg.Labels, Capacity: m.cfg.Capacity, Draining: m.draining, Follows: m.cfg.handsOver(), Assignor: m.userData[o.Name]}
	if slices.Contains(m.uptime, o.Name) {
		u.Started = m.cfg.Started
	}
	data, err := u.AppendBinary(nil)
	if err != nil {
		return nil, err
	}
	room := protocol.MaxUserData - len(data)
	if len(m.previous) > 0 && o.Protocol != strategy.ProtocolCooperative && !m.cfg.cooperative() {
		u.Previous = &protocol.Previous{Generation: m.generation, Partitions: protocol.Fit(m.previous.lists(), room-4)}
	}
	u.Releasing = protocol.Fit(releasing.lists(), room)
	if m.cfg.bug != "promise forgotten" {
		u.Expecting = protocol.Fit(m.coming.lists(), room/2)
	}
	if len(u.Expecting) > 0 {
		u.Releasing = protocol.Fit(u.Releasing, room/2)
	}
	return u.AppendBinary(data[:0])
}
