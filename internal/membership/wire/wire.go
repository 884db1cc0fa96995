// Package wire has the requests and replies of Kafka's classic group protocol as plain values, without the bytes around them: what the
// machines of membership and coordinator exchange, and what a driver turns into a client library's messages. Values are not changed
// once they are sent.
package wire

import (
	"time"

	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// A Request is one of the types below that have a request method.
type Request interface{ request() }

// A Reply is one of the types below that have a reply method.
type Reply interface{ reply() }

// FindCoordinator asks any broker which node coordinates the group.
type FindCoordinator struct{ Group string }

// Join asks to be part of the next generation. It is answered when that is complete.
type Join struct {
	Group      string
	MemberID   string // "" at first
	InstanceID string // of a static member
	ClientID   string
	Session    time.Duration
	Rebalance  time.Duration
	Offers     []Offer // most wanted first
	Reason     string
}

// An Offer is an assignor that a member can work with, and what it says to that assignor.
type Offer struct {
	Name     string
	Metadata []byte // a [protocol.Subscription]
}

// Sync asks for the assignment of a generation. The leader's brings all of them. It is answered when the leader's has come.
type Sync struct {
	Group, MemberID, InstanceID string
	Generation                  int32
	Protocol                    string // the name of the assignor that the group has chosen, as the answer to the join told
	Assignments                 []protocol.MemberAssignment
}

// Heartbeat says that a member lives.
type Heartbeat struct {
	Group, MemberID, InstanceID string
	Generation                  int32
}

// Leave takes a member out of the group. A static member may leave MemberID empty.
type Leave struct {
	Group, MemberID, InstanceID string
	Reason                      string
}

// Commit stores offsets.
type Commit struct {
	Group, MemberID, InstanceID string
	Generation                  int32
	Offsets                     []Offset
}

// An Offset is the position of a group in one partition: the next record to process.
type Offset struct {
	strategy.TopicPartition
	Offset      int64
	LeaderEpoch int32 // under which the record before it was written; -1 if that is not known
	Metadata    string
}

// Fetch asks for stored offsets.
type Fetch struct {
	Group      string
	Partitions []strategy.TopicPartition
}

func (FindCoordinator) request() {}
func (Join) request()            {}
func (Sync) request()            {}
func (Heartbeat) request()       {}
func (Leave) request()           {}
func (Commit) request()          {}
func (Fetch) request()           {}

// FindCoordinatorReply answers [FindCoordinator].
type FindCoordinatorReply struct {
	Code Code
	Node int32
}

// JoinReply answers [Join]. Members is filled for the leader only, and empty for a leader that is not to assign.
type JoinReply struct {
	Code       Code
	MemberID   string
	Generation int32
	Protocol   string
	Leader     string
	Members    []protocol.JoinMember
}

// SyncReply answers [Sync].
type SyncReply struct {
	Code       Code
	Assignment []byte // a [protocol.Assignment]
}

// HeartbeatReply answers [Heartbeat].
type HeartbeatReply struct{ Code Code }

// LeaveReply answers [Leave].
type LeaveReply struct{ Code Code }

// CommitReply answers [Commit]: a code for each of its offsets, in their order.
type CommitReply struct{ Codes []Code }

// FetchReply answers [Fetch]: the offsets that are stored of those asked for, in the order asked.
type FetchReply struct {
	Code    Code
	Offsets []Offset
}

func (FindCoordinatorReply) reply() {}
func (JoinReply) reply()            {}
func (SyncReply) reply()            {}
func (HeartbeatReply) reply()       {}
func (LeaveReply) reply()           {}
func (CommitReply) reply()          {}
func (FetchReply) reply()           {}
