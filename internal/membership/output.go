package membership

import (
	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// Never is a time to wake that does not come.
const Never Time = 1<<63 - 1

// An Output is what a step asks of the driver, to be carried out in the order of the fields. Nothing in it is changed afterwards.
type Output struct {
	// Close breaks the connections of lanes. Answers that still come from them are not delivered, and no Disconnected is owed.
	Close []Lane

	// Stop ends the delivery of records of these partitions: no handler begins with another one. Who is in a handler may finish it; a
	// Revoke callback waits for that.
	Stop []strategy.TopicPartition

	// Cancel is the ID of a running callback whose context is to end, since what it works for is gone; 0 for none. It still owes
	// CallbackDone.
	Cancel uint64

	// Answers are the results of commits, each commit answered once.
	Answers []Answer

	// Assigned is set when an assignment was received. It is for observers: partitions come and go by callbacks.
	Assigned *Assigned

	// Callback is to be run on another goroutine, and owes CallbackDone. Lost callbacks run after Stop has taken effect. There is
	// none while another runs.
	Callback *Callback

	// Coming is set when something else than before is to come to the member soon: all of it, to be read ahead from what is committed, and not
	// to be delivered before it is part of Start. What was read ahead before and is not in it is dropped, unless it is in the Assign of
	// this output.
	Coming *[]strategy.TopicPartition

	// Start begins the delivery of records of these partitions, whose Assign callback has ended.
	Start []strategy.TopicPartition

	// Compute asks for a plan, on another goroutine, and owes Computed. One that is not answered yet is void.
	Compute *Compute

	// Requests are to be sent, in order.
	Requests []Request

	// Refused says why the input was passed over: a [Drain] that the assignors cannot be told of. nil else.
	Refused error

	// Drained is set in each step in which a draining member has nothing left and expects nothing.
	Drained bool

	// Wake is when to step next if nothing else happens, or Never.
	Wake Time

	// Ended is set once, when the machine is done with everything.
	Ended *End
}

// A Lane is a connection. Requests of different lanes do not wait for each other.
type Lane uint8

// The lanes. Group and Offsets lead to the coordinator that was found last.
const (
	Any     Lane = iota // any broker: FindCoordinator
	Group               // JoinGroup, SyncGroup, Heartbeat; an answer may take as long as the rebalance timeout
	Offsets             // OffsetCommit, LeaveGroup
)

func (l Lane) String() string { return [...]string{"any", "group", "offsets"}[l] }

// A Request is to be sent on a lane.
type Request struct {
	ID   uint64
	Lane Lane
	Node int32 // of the coordinator; -1 on lane Any, as none is known then
	Body wire.Request
}

// A Kind is which callback.
type Kind uint8

// The callbacks.
const (
	Assign Kind = iota + 1 // these partitions have come
	Revoke                 // these have to go, and are still the member's: commits count
	Lost                   // these are gone
)

func (k Kind) String() string { return [...]string{"none", "assign", "revoke", "lost"}[k] }

// A Callback is one call of the application.
type Callback struct {
	ID         uint64
	Kind       Kind
	Partitions []strategy.TopicPartition // sorted, never empty
	Deadline   Time                      // when the group stops waiting for the member; Never for Lost
	Generation int32                     // the member's when it began; of a Lost, the last one in which the partitions were the member's

	// Gone are those of the partitions of a Revoke or Lost that do not exist any more, by the latest Metadata: a topic that was deleted.
	// There is nothing to finish, and commits of them are refused with [wire.UnknownTopicOrPartition]. Topics that the member does
	// not subscribe to are not judged.
	Gone []strategy.TopicPartition
}

// Compute is a plan to be made by the assignor of that name.
type Compute struct {
	Generation int32
	Protocol   string
	Leader     string
	Members    []protocol.JoinMember
}

// Assigned is what the group gave the member in a generation.
type Assigned struct {
	Generation int32
	Protocol   string
	Leader     string // the member whose assignor decided
	Partitions []strategy.TopicPartition
	UserData   []byte
}

// An Answer is the result of a [Commit], a code for each of its offsets. [wire.UnknownMemberID] is also that of a partition which the member
// does not have, or has lost.
type Answer struct {
	ID    uint64
	Codes []wire.Code
}

// An End says how membership ended; Err is nil after [Leave].
type End struct{ Err error }
