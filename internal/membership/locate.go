package membership

import (
	"github.com/assignkit/assignkit/internal/membership/wire"
)

// locate asks for the coordinator, while none is known. It serves Discovering, Rediscovering and Leaving.
func (m *Machine) locate() {
	if m.flights[slotFind] == nil && m.now >= m.retryAt {
		m.send(slotFind, Any, m.generation, m.cfg.Request, wire.FindCoordinator{Group: m.cfg.Group})
	}
}

func (m *Machine) located(r wire.FindCoordinatorReply) {
	switch {
	case r.Code == wire.None:
	case r.Code.Kind() == wire.Final:
		m.fail(r.Code)
		return
	default:
		m.retry()
		return
	}
	m.node = r.Node
	switch m.state {
	case Discovering:
		m.becomeRevoking(m.reason, m.now)
	case Rediscovering:
		if m.reason != (Reason{}) {
			m.becomeRevoking(m.reason, m.joinAt)
			return
		}
		m.becomeStable()
		m.heartbeatAt = m.now // to know at once whether the successor knows the member
	}
}
