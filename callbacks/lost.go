package callbacks

import (
	"context"

	"github.com/assignkit/assignkit/strategy"
)

// OnLost is called, instead of [OnRevoke], when partitions are no longer the member's.
type OnLost interface {
	// Lost is called by the host, on a goroutine that neither sends heartbeats nor handles records, as soon as it learns that partitions
	// were lost. Their handlers have returned, or have had their context cancelled and did not return in time: only with
	// [LossUndrained] may one still run. No other callback runs at that time. Another member may be working on the partitions.
	//
	// So there is nothing to save: Lost forgets. The context's deadline is the host's own bound.
	//
	// An error is reported and changes nothing. The argument may be kept, and must not be changed.
	Lost(ctx context.Context, l *Loss) error
}

// A Loss is the argument of [OnLost]. It has no way to commit, as commits would be refused.
type Loss struct {
	Event
	// Removed is what the member has lost. It is never empty.
	Removed []strategy.TopicPartitions
	Reason  LossReason
	Err     error // what the host learned it from, where that was an error
}

// A LossReason says why partitions were lost.
type LossReason string

// The reasons there are. More may come: treat one you do not know as any other.
const (
	// LossExpired: the coordinator has put the member out, or could not be reached for as long as it takes to be put out.
	LossExpired LossReason = "expired"
	// LossOutrun: the group has gone on to a later generation without the member.
	LossOutrun LossReason = "outrun"
	// LossFenced: another process has taken over the member's instance id.
	LossFenced LossReason = "fenced"
	// LossUndrained: a handler did not return within the bound for draining.
	LossUndrained LossReason = "undrained"
	// LossDeleted: the partition does not exist any more.
	LossDeleted LossReason = "deleted"
	// LossFailed: the host met an error after which it could not give the partitions back in order.
	LossFailed LossReason = "failed"
	// LossLate: the revocation reached this callback only after its time, see [Timeout]. Hosts do not give this reason.
	LossLate LossReason = "late"
)
