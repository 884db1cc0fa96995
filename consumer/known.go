package consumer

import (
	"time"

	"github.com/assignkit/assignkit/internal/signals"
)

// A known is what a plan is made by, which does not change any more. The rounds of one rebalance are planned by the same: what has become known
// meanwhile would have each round move something more, and the group not rest while numbers change.
type known struct {
	store *signals.Store
	scope signals.Scope
	at    signals.Time
	clock time.Time // at is by it
}

// forRound returns what to make a plan by: if it follows another in the same rebalance, what that one was made by, and what has become known of
// topics and members that are new. It is called with m.mu held.
func (m *measures) forRound(scope signals.Scope) *known {
	k := &known{store: m.store.Clone(), scope: scope, at: m.driver.now(), clock: time.Now()}
	if before := m.roundBefore(); before != nil {
		k.store, k.at, k.clock = before.store.Clone(), before.at, before.clock
		k.store.Follow(scope, m.store)
	}
	return k
}

// roundBefore is what the round before was planned by, unless that is too old. It is called with m.mu held.
func (m *measures) roundBefore() *known {
	if m.round == nil || m.driver.now()-m.round.at > m.cfg.MaxAge {
		return nil
	}
	return m.round
}

// roundHas reports that a plan is made by what an earlier round was, so that nothing need be measured for it. It is called with m.mu held.
func (m *measures) roundHas(scope *signals.Scope) bool {
	before := m.roundBefore()
	return before != nil && before.scope.Has(scope)
}
