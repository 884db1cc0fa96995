package membership

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/strategy"
)

// A Machine is one member. It is not safe for concurrent use.
type Machine struct {
	cfg   Config
	state State
	now   Time
	out   Output

	// Who the member is in the group.
	memberID   string
	nameless   bool   // a static member's join without an id was not answered yet: the group may have the member, and know it by its instance
	generation int32  // of the assignment that was applied last, the one to claim and commit with; NoGeneration without one
	round      int32  // of the join that was answered last; above generation from that answer to the assignment
	seen       int32  // the highest round of this member id: the next one is seen+1 unless one went by unnoticed
	missed     bool   // one did: what the member does not get back now may have been somebody else's meanwhile
	completing bool   // between the answer to a join and the assignment: the group takes no commits
	protocol   string // of round
	leader     string // of round
	node       int32  // of the coordinator, or -1

	// What it owns. Partitions go through callbacks one at a time, so the two sets differ while callbacks are behind.
	assigned   set // what the group says is the member's
	announced  set // had an Assign put out, and no Revoke or Lost that has ended
	started    set // records are delivered; within announced
	lost       set // announced, no longer the member's, waiting for Lost to end
	running    *Callback
	runSince   Time
	cancelled  bool // running was told to end
	refused    set  // in a running Revoke, and lost meanwhile
	unsettled  bool
	retained   set  // not assigned any more, and worked on until next.at; see handover.go
	coming     set  // promised for the round to come
	ahead      set  // to be read ahead, as it was said last
	aheadMoved bool // it may be something else by now
	next       next // round that was announced
	revokeTook Time // how long the last Revoke took
	commitTook Time // how long commits took lately
	claimed    set  // in the last join that was sent
	previous   set  // the last assignment, for assignors that claim after giving up

	// What it wants.
	topics    []string
	userData  map[string][]byte
	uptime    []string // names of the assignors that are told when the member began
	dataBy    Time     // until when a join waits for what is owed of it, 0 if nothing is
	draining  bool
	drainTold bool                // the last join said so
	again     Reason              // why to rebalance as soon as possible
	reason    Reason              // why the member is joining
	joinAt    Time                // while revoking: when to join whatever is not released yet; Never for only when all is
	lostIn    int32               // the last generation in which what was lost last was the member's
	lossCode  wire.Code           // what the member learned its last loss from; [wire.None] if from silence
	known     []TopicCount        // sorted
	ids       map[string][16]byte // of subscribed topics, as last known
	baseline  []TopicCount        // of subscribed topics when the last join was sent
	overdue   Time                // when the follow-up of the member's plan should have come, 0 for none to come
	plan      []planned           // that the member made as the leader of round

	// Requests and times.
	requests    uint64 // IDs given
	callbacks   uint64
	flights     [slots]*flight
	contact     Time // when the last request was sent that the coordinator has answered: the session lasts at least from then
	calm        Time // when one was sent whose answer told of no rebalance
	heartbeatAt Time
	retryAt     Time // for what the state sends
	attempt     int
	commitAt    Time
	commitTries int
	commits     []*commit
	asked       uint64                                  // commits that were
	high        map[strategy.TopicPartition]wire.Offset // committed by this member since it has the partition
	doubtful    map[strategy.TopicPartition]int64       // what a commit asked for whose connection broke; see commit_doubt.go
	confirmAt   Time

	leave   leaving
	parting *leaving // leave, once its partitions are handed over
	partBy  Time     // or by then
}

// New returns a member that is down.
func New(cfg Config) (*Machine, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	m := &Machine{cfg: cfg, generation: strategy.NoGeneration, seen: strategy.NoGeneration,
		ids: map[string][16]byte{}, userData: map[string][]byte{}, high: map[strategy.TopicPartition]wire.Offset{}, doubtful: map[strategy.TopicPartition]int64{}}
	for _, o := range cfg.Offers {
		m.userData[o.Name] = o.UserData
	}
	return m, nil
}

// Step tells the machine what happened at a time and returns what is to be done. Requests that have run out of time are noticed first.
func (m *Machine) Step(now Time, in Input) Output {
	m.now, m.out = max(m.now, now), Output{}
	if m.state != Ended {
		m.expire()
		m.take(in)
		m.expireSession() // an answer may prolong the session, or end a wait that was no part of it
		m.settle()
		m.readAhead()
		m.out.Drained = m.draining && m.parting == nil && m.state == Stable && m.again == (Reason{}) && len(m.assigned) == 0 && len(m.announced) == 0
	}
	m.out.Wake = m.wake()
	return m.out
}

// take dispatches an input.
func (m *Machine) take(in Input) {
	switch in := in.(type) {
	case Start:
		if m.state == Down {
			m.awaitUserData()
			m.becomeDiscovering(Reason{FirstJoin, "joining for the first time"})
		}
	case Subscribe:
		m.subscribe(in)
	case UserData:
		m.userData, m.uptime, m.dataBy = in.ByName, in.Uptime, 0
	case Metadata:
		m.learn(in.Topics)
	case Replied:
		m.replied(in)
	case Disconnected:
		m.disconnected(in.Lane)
	case CallbackDone:
		m.callbackDone(in)
	case Computed:
		m.computed(in)
	case Commit:
		m.commitAsked(in)
	case Rejoin:
		m.again = Reason{cmp.Or(in.Cause, Asked), in.Reason}
	case Drain:
		m.drain()
	case Leave:
		m.leaveAsked(in)
	case Tick:
	default:
		panic(fmt.Sprintf("membership: input %T", in))
	}
}

// settle does all that can be done now: callbacks, what the state wants to send, commits. A few turns suffice, as each transition
// leads on to a request, a callback or a wait.
func (m *Machine) settle() {
	for range 20 {
		before := m.state
		m.part()
		m.reconcile()
		m.advance()
		m.pumpCommits()
		if m.state == before && !m.unsettled {
			return
		}
	}
	panic("membership: does not settle in state " + m.state.String())
}

// advance does what the state wants.
func (m *Machine) advance() {
	switch m.state {
	case Discovering, Rediscovering:
		m.locate()
	case Revoking:
		m.advanceRevoking()
	case Joining:
		m.advanceJoining()
	case Assigning:
		m.beat()
	case Stable:
		m.advanceStable()
	case Leaving:
		m.advanceLeaving()
	}
}

// replied hands an answer to who waits for it.
func (m *Machine) replied(in Replied) {
	f := m.landed(in.ID)
	if f == nil {
		return
	}
	switch body := in.Body.(type) {
	case wire.FindCoordinatorReply:
		m.located(body)
	case wire.JoinReply:
		m.joined(body)
	case wire.SyncReply:
		m.synced(f, body)
	case wire.HeartbeatReply:
		m.beaten(f, body.Code)
	case wire.CommitReply:
		m.committed(f, body.Codes)
	case wire.LeaveReply:
		m.farewellAnswered(body.Code)
	default:
		panic(fmt.Sprintf("membership: reply %T", in.Body))
	}
}

// State returns what the member does.
func (m *Machine) State() State { return m.state }

// Identity returns the name and generation under which the member commits, and whether it would at this moment: not between
// a join's answer and the assignment.
func (m *Machine) Identity() (memberID string, generation int32, commits bool) {
	return m.memberID, m.generation, m.generation != strategy.NoGeneration && !m.completing
}

// Processing returns the partitions whose records the application may be working on: those that are delivered and those in a Revoke
// that has not ended and still counts.
func (m *Machine) Processing() []strategy.TopicPartition {
	out := slices.Clone(m.started)
	if m.running != nil && m.running.Kind == Revoke {
		out = out.plus(set(m.running.Partitions).minus(m.refused))
	}
	return out
}

// Protocol is what the member follows.
func (m *Machine) Protocol() strategy.Protocol { return m.cfg.protocol() }

// Reason returns why the member is joining, none if it is not.
func (m *Machine) Reason() Reason { return m.reason }

// LossCode returns what the member learned its last loss from, [wire.None] if it had heard nothing for too long.
func (m *Machine) LossCode() wire.Code { return m.lossCode }

// Owned returns the partitions that are delivered.
func (m *Machine) Owned() []strategy.TopicPartition { return m.started }

// Generation returns the generation of the applied assignment.
func (m *Machine) Generation() int32 { return m.generation }

// Claims is what the member would claim if it joined now.
func (m *Machine) Claims() []strategy.TopicPartitions {
	return m.announced.minus(m.lost).plus(m.assigned).lists()
}
