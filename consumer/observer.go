package consumer

import (
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

// An Observer is told what happens in a consumer. Observe is called on goroutines of the consumer, not concurrently, and must not block:
// what it waits for, the group may be waiting for too. Everything that it is told is written to [Config.Logger] as well.
// An event may be kept, and must not be changed.
type Observer interface {
	Observe(e Event)
}

// ObserverFunc makes a function an [Observer].
type ObserverFunc func(e Event)

// Observe calls f.
func (f ObserverFunc) Observe(e Event) { f(e) }

// An Event is one of these. More may come: pass over those that you do not know.
//
//   - Of the group: [RebalanceBegan], [RebalanceEnded], [CallbackReturned], [CallbackBlocked], [AssignorFailed], [CoordinatorLost],
//     [CoordinatorFound], [SignalTrouble], [SignalMissing].
//   - Of processing: [HandlerFailed], [HandlerStuck], [HandlerCancelled], [HandlerReturned], [CommitFailed].
//   - Of reading: [OffsetOutOfRange], [ReadTrouble], [BrokerTrouble], [LeaderMoved], [FetchRestarted], [TopicMissing], [TopicFound],
//     [TopicRecreated].
type Event interface{ event() }

// RebalanceBegan says that the member is about to join a new generation of its group.
type RebalanceBegan struct {
	Generation int32  // the one that ends; -1 at first
	Cause      string // its kind of reason, as far as this member knows: a word of the table in docs/metrics.md
	Reason     string // in words for a log
}

// RebalanceEnded says that a rebalance is over for this member: the assignment was received, and the callbacks it asked for have
// returned. There is one for each generation that the member was part of, also if nothing changed.
type RebalanceEnded struct {
	Generation int32
	MemberID   string
	Assignor   string // its name on the wire
	Leader     bool   // this member's assignor decided
	LeaderID   string // whose did
	Cause      string // as RebalanceBegan had it, and Reason too
	Reason     string
	Began      time.Time
	Joined     time.Duration // until the assignment was received
	Took       time.Duration // until the callbacks had returned
	Assigned   []strategy.TopicPartitions
	Added      []strategy.TopicPartitions
	Removed    []strategy.TopicPartitions // revoked and lost
	Decision   *Decision                  // what this member decided; nil if another leads
}

// CallbackReturned says how long a callback took.
type CallbackReturned struct {
	Callback   string // assign, revoke or lost
	Partitions []strategy.TopicPartitions
	Took       time.Duration
	Err        error
}

// CallbackBlocked says that a callback has been running for half of the time that the group waits for the member, or past all of it.
type CallbackBlocked struct {
	Callback   string
	Partitions []strategy.TopicPartitions
	For        time.Duration
	Left       time.Duration // until the group puts the member out; not positive if it may have already
}

// CommitFailed says that offsets were not committed and that this will not be tried again.
type CommitFailed struct{ Err *callbacks.CommitError }

// HandlerFailed says that a handler failed.
type HandlerFailed struct {
	Err     *HandlerError
	Attempt int    // from 1
	Next    string // what is done about it: retry, dead letter, skip, stop
}

// HandlerStuck says that a handler does not return: it has been working for longer than [Config.StuckAfter], or, if Lost is set, longer than
// a revoked partition may take.
type HandlerStuck struct {
	Err  *StuckError
	Lost bool
}

// HandlerCancelled says that a revoked partition's handler had all the time that [Config.RevokeTimeout] and the group leave it, and that its context was
// cancelled. What it did not finish, whoever gets the partition does again.
type HandlerCancelled struct {
	Partition strategy.TopicPartition
	Offset    int64         // of the record, or of the first of a batch
	After     time.Duration // the time it had
}

// HandlerReturned says that a handler that was stuck has returned.
type HandlerReturned struct{ Partition strategy.TopicPartition }

// OffsetOutOfRange says that the offset to read was not in the log.
type OffsetOutOfRange struct {
	Partition strategy.TopicPartition
	Wanted    int64
	Start     int64 // first offset of the log
	End       int64 // behind the last
	Next      int64 // where reading goes on, -1 if it does not
}

// ReadTrouble says that a partition cannot be read for now, or, with a nil Err, that it can again.
type ReadTrouble struct {
	Partition strategy.TopicPartition
	Err       error
}

// LeaderMoved says that another broker leads a partition than before. Reading goes on there.
type LeaderMoved struct {
	Partition strategy.TopicPartition
	From, To  int32 // node ids of brokers
	Epoch     int32 // of the new leader; -1 if brokers do not say
}

// BrokerTrouble says that a broker cannot be read from for now, or, with a nil Err, that it can again. Its partitions may be read from others
// meanwhile; those that cannot be are told by [ReadTrouble].
type BrokerTrouble struct {
	Broker int32  // its node id
	Addr   string // host:port
	Err    error
}

// FetchRestarted says that a partition that is owned was not read for too long, without any error, and that its reading was begun anew. See
// [Config.StalledAfter].
type FetchRestarted struct {
	Partition strategy.TopicPartition
	For       time.Duration // since it was read last, or began to be
	Next      int64         // the offset that was waited for, -1 if it was still looked for
}

// TopicMissing says that a subscribed topic does not exist. It is waited for.
type TopicMissing struct{ Topic string }

// TopicFound says that a subscribed topic that did not exist, does.
type TopicFound struct {
	Topic      string
	Partitions int32
}

// TopicRecreated says that a subscribed topic was deleted and made anew. What the member had of the one before is lost; the new one is read
// from its beginning.
type TopicRecreated struct {
	Topic      string
	Partitions int32
}

// AssignorFailed says that an assignor's answer was not used, and that another took its place.
type AssignorFailed struct{ Failure strategy.Failure }

// SignalTrouble says that a signal cannot be measured for now, wholly or in part, or, with a nil Err, that it can again. See [Config.Signals].
type SignalTrouble struct {
	Signal string
	Err    error
}

// SignalMissing says that this member, as the leader, made a plan without a signal that the assignor looks at, as it was not measured in time.
type SignalMissing struct {
	Generation int32
	Signal     string
	Topics     []string // that go without
	Partly     []string // in which partitions that are not known count as the others do on average
	Members    []string // that go without
	Err        error    // why, if something has gone wrong
}

// CoordinatorLost says that the group's coordinator cannot be reached, does not answer or has moved, which Err tells. Nothing is lost by that.
type CoordinatorLost struct{ Err error }

// CoordinatorFound says that it, or its successor, answers again.
type CoordinatorFound struct{ Away time.Duration }

func (RebalanceBegan) event()   {}
func (RebalanceEnded) event()   {}
func (CallbackReturned) event() {}
func (CallbackBlocked) event()  {}
func (CommitFailed) event()     {}
func (HandlerFailed) event()    {}
func (HandlerStuck) event()     {}
func (HandlerCancelled) event() {}
func (HandlerReturned) event()  {}
func (OffsetOutOfRange) event() {}
func (ReadTrouble) event()      {}
func (LeaderMoved) event()      {}
func (BrokerTrouble) event()    {}
func (FetchRestarted) event()   {}
func (TopicMissing) event()     {}
func (TopicFound) event()       {}
func (TopicRecreated) event()   {}
func (AssignorFailed) event()   {}
func (SignalTrouble) event()    {}
func (SignalMissing) event()    {}
func (CoordinatorLost) event()  {}
func (CoordinatorFound) event() {}
