package membership

import (
	"time"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
)

// Time is the time since some moment that the driver chooses. It never goes back.
type Time = time.Duration

// An Input is what happened: one of the types below.
type Input interface{ input() }

// Start begins membership. Subscribe and Metadata may come before it.
type Start struct{}

// Subscribe sets the topics to read, and what each offered assignor sends along, by its name; nil leaves that as it is.
type Subscribe struct {
	Topics   []string
	UserData map[string][]byte
}

// UserData sets what each offered assignor sends along with the next join, by its name. It is no reason to join. See
// [Config.UserData] for when it is owed.
type UserData struct {
	ByName map[string][]byte
	Uptime []string // names of the assignors that are to be told [Config.Started] as well
}

// Metadata is what the driver knows of topics: all those that the member subscribes to and, while it leads, those of its plan. A change
// of a topic that matters starts a rebalance. A topic that was deleted and created anew is another one: what the member had of it is lost and,
// as the group still says that it is the member's, assigned anew, without a rebalance.
type Metadata struct{ Topics []TopicCount }

// A TopicCount is a topic that exists and how many partitions it has.
type TopicCount struct {
	Topic      string
	Partitions int32
	ID         [16]byte // Kafka's, which tells a topic from one of that name before; without it they are not told apart
}

// Replied answers the request with this ID. An answer to a request that the machine has given up is passed over.
type Replied struct {
	ID   uint64
	Body wire.Reply
}

// Disconnected says that a lane's connection broke, or could not be made.
type Disconnected struct{ Lane Lane }

// CallbackDone ends the callback with this ID.
type CallbackDone struct {
	ID  uint64
	Err error // that of an Assign makes the member leave, as it cannot process what it was given, unless it was cancelled
}

// Computed answers [Compute]. Topics are those that the plan was made from. An error makes the member leave the group.
type Computed struct {
	Generation  int32
	Assignments []protocol.MemberAssignment
	Topics      []TopicCount
	Withheld    bool // the plan needs another round, as it withholds partitions that somebody still owns
	Err         error
}

// Commit asks for offsets to be stored. ID comes back with the answer. An offset that is not above what is stored, or asked for before, is
// answered with success without being sent, as it is overtaken.
type Commit struct {
	ID      uint64
	Offsets []wire.Offset
	Rewind  bool // store the offsets as they are, also where that goes back; later commits are compared with these
}

// Rejoin asks for a rebalance.
type Rejoin struct {
	Reason string
	Cause  Cause // "": [Asked]
}

// Drain asks for the member's partitions to be moved to others before it leaves. [Output.Drained] says when they have. It is refused with
// [ErrSticky] if the member offers Java's sticky, whose user data cannot say it; such a member can only leave.
type Drain struct{}

// Leave gives everything up and ends. A static member says no farewell, so that it finds its partitions again when it is back, unless
// Farewell is set, or it has drained and would find nothing. Who says farewell hands its partitions over first, if it can, unless Prompt is
// set.
type Leave struct {
	Reason   string
	Farewell bool
	Prompt   bool
}

// Tick says that time has passed.
type Tick struct{}

func (Start) input()        {}
func (Subscribe) input()    {}
func (UserData) input()     {}
func (Metadata) input()     {}
func (Replied) input()      {}
func (Disconnected) input() {}
func (CallbackDone) input() {}
func (Computed) input()     {}
func (Commit) input()       {}
func (Rejoin) input()       {}
func (Drain) input()        {}
func (Leave) input()        {}
func (Tick) input()         {}
