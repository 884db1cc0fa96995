package consumer

import (
	"errors"
	"sync"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// rebalances follows the member from one assignment to the next, for those who watch. It belongs to the driver's goroutine, but for what its
// mutex guards.
type rebalances struct {
	now      *rebalance // under way
	plan     *plan
	sequence []*membership.Callback

	mu       sync.Mutex
	returned []CallbackReturned // since the last one ended; added to on the callbacks' goroutine
}

func (r *rebalances) addReturned(c CallbackReturned) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.returned = append(r.returned, c)
}

func (r *rebalances) takeReturned() []CallbackReturned {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.returned
	r.returned = nil
	return list
}

// A rebalance is what happened from the first sign of it until its callbacks have returned.
type rebalance struct {
	began      time.Time
	generation int32 // that it ended
	reason     membership.Reason
	joined     time.Duration
	assigned   *membership.Assigned // nil until it was received
	plan       *plan                // nil: another member led
	added      []strategy.TopicPartition
	removed    []strategy.TopicPartition
}

// planned notes what this member decided as the leader, unless that came too late and it has decided anew.
func (r *rebalances) planned(p *plan) {
	if p != nil && (r.plan == nil || r.plan.group.Generation < p.group.Generation) {
		r.plan = p
	}
}

// noteRebalance looks at what a step has done.
func (d *driver) noteRebalance(out *membership.Output) {
	r := &d.rebalances
	state := d.machine.State()
	d.health.entered(state)
	if r.now == nil && joins(state) {
		_, generation := d.identity()
		r.now = &rebalance{began: time.Now(), generation: generation, reason: d.machine.Reason()}
		d.measures.joins()
		d.observe(RebalanceBegan{Generation: generation, Cause: string(r.now.reason.Cause), Reason: r.now.reason.Text})
	}
	if out.Assigned != nil {
		if r.now == nil {
			r.now = &rebalance{began: time.Now()}
		}
		r.now.joined, r.now.assigned = time.Since(r.now.began), out.Assigned
		if r.plan != nil && r.plan.group.Generation == out.Assigned.Generation {
			r.now.plan = r.plan
		}
		r.plan = nil
		if d.measures.assigned(r.now.plan); r.now.plan == nil {
			d.measures.follow()
		}
	}
	if r.now != nil && r.now.assigned != nil && d.running == nil {
		d.rebalanceEnded()
		if joins(state) {
			d.noteRebalance(&membership.Output{})
		}
	}
}

// joins says whether a member in this state is on its way into a generation.
func joins(s membership.State) bool {
	switch s {
	case membership.Revoking, membership.Joining, membership.Assigning, membership.Syncing, membership.Discovering:
		return true
	}
	return false
}

func (d *driver) rebalanceEnded() {
	r := d.rebalances.now
	for _, cb := range d.rebalances.sequence {
		if cb.Kind == membership.Assign {
			r.added = append(r.added, cb.Partitions...)
		} else {
			r.removed = append(r.removed, cb.Partitions...)
		}
	}
	ended := RebalanceEnded{
		Generation: r.assigned.Generation, Assignor: r.assigned.Protocol, Leader: r.plan != nil, LeaderID: r.assigned.Leader,
		Cause: string(r.reason.Cause), Reason: r.reason.Text, Began: r.began, Joined: r.joined, Took: time.Since(r.began),
		Assigned: strategy.ByTopic(r.assigned.Partitions), Added: strategy.ByTopic(r.added), Removed: strategy.ByTopic(r.removed),
		Decision: r.plan.decision(),
	}
	ended.MemberID, _ = d.identity()
	d.observe(ended)
	d.recorder.record(&ended, d.rebalances.takeReturned(), r.plan)
	d.rebalances.now, d.rebalances.sequence = nil, nil
}

// noteCoordinator notices that the coordinator is away, or back. It is back when it has answered: brokers name a dead one for a while.
func (d *driver) noteCoordinator(in membership.Input) {
	if r, ok := in.(membership.Replied); ok {
		_, named := r.Body.(wire.FindCoordinatorReply)
		d.heard = d.heard || !named
	}
	switch lost := d.machine.State() == membership.Rediscovering; {
	case lost && d.away.IsZero():
		d.away, d.heard = time.Now(), false
		d.observe(CoordinatorLost{Err: d.awayFor(in)})
	case lost:
		d.heard = false
	case d.heard && !d.away.IsZero():
		d.observe(CoordinatorFound{Away: time.Since(d.away)})
		d.away = time.Time{}
	}
}

// Why the coordinator is away, where no connection to it broke.
var (
	errMoved  = errors.New("consumer: the broker does not coordinate the group any more")
	errSilent = errors.New("consumer: the coordinator does not answer")
)

// awayFor says why the coordinator is away.
func (d *driver) awayFor(in membership.Input) error {
	switch in.(type) {
	case membership.Disconnected:
		return d.lanes.LastError()
	case membership.Replied:
		return errMoved
	}
	return errSilent
}

// callbackBegan has it reported when a callback takes long. What it returns is to be called when the callback has returned.
func (d *driver) callbackBegan(kind string, parts []strategy.TopicPartitions, began time.Time) (returned func()) {
	tell := func() {
		took := time.Since(began)
		d.observe(CallbackBlocked{Callback: kind, Partitions: parts, For: took, Left: d.cfg.RebalanceTimeout - took})
	}
	half := time.AfterFunc(d.cfg.RebalanceTimeout/2, tell)
	all := time.AfterFunc(d.cfg.RebalanceTimeout, tell)
	return func() {
		half.Stop()
		all.Stop()
	}
}

func (d *driver) callbackReturned(e CallbackReturned) {
	if errors.Is(e.Err, callbacks.ErrTimeout) {
		d.observe(CallbackBlocked{Callback: e.Callback, Partitions: e.Partitions, For: e.Took, Left: d.cfg.RebalanceTimeout - e.Took})
	}
	d.rebalances.addReturned(e)
	d.observe(e)
}
