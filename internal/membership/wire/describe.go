package wire

import (
	"fmt"
	"strings"
)

// Describe renders a request or a reply on one line, for logs, scripts and failures. Metadata and assignments are left out: who decodes
// them describes them.
func Describe(message any) string {
	switch r := message.(type) {
	case FindCoordinator:
		return "FindCoordinator"
	case Join:
		names := make([]string, len(r.Offers))
		for i := range r.Offers {
			names[i] = r.Offers[i].Name
		}
		return fmt.Sprintf("JoinGroup member=%s%s offers=%s reason=%q", named(r.MemberID), instance(r.InstanceID), strings.Join(names, ","), r.Reason)
	case Sync:
		return fmt.Sprintf("SyncGroup member=%s%s generation=%d assignments=%d", named(r.MemberID), instance(r.InstanceID), r.Generation, len(r.Assignments))
	case Heartbeat:
		return fmt.Sprintf("Heartbeat member=%s%s generation=%d", named(r.MemberID), instance(r.InstanceID), r.Generation)
	case Leave:
		return fmt.Sprintf("LeaveGroup member=%s%s reason=%q", named(r.MemberID), instance(r.InstanceID), r.Reason)
	case Commit:
		return fmt.Sprintf("OffsetCommit member=%s%s generation=%d%s", named(r.MemberID), instance(r.InstanceID), r.Generation, offsets(r.Offsets))
	case Fetch:
		return fmt.Sprintf("OffsetFetch partitions=%d", len(r.Partitions))
	}
	return describeReply(message)
}

func describeReply(message any) string {
	switch r := message.(type) {
	case FindCoordinatorReply:
		return fmt.Sprintf("FindCoordinator: %v node=%d", r.Code, r.Node)
	case JoinReply:
		if r.Code != None {
			return fmt.Sprintf("JoinGroup: %v member=%s", r.Code, named(r.MemberID))
		}
		return fmt.Sprintf("JoinGroup: %v member=%s generation=%d protocol=%s leader=%s members=%d", r.Code, named(r.MemberID), r.Generation, r.Protocol, named(r.Leader), len(r.Members))
	case SyncReply:
		return fmt.Sprintf("SyncGroup: %v", r.Code)
	case HeartbeatReply:
		return fmt.Sprintf("Heartbeat: %v", r.Code)
	case LeaveReply:
		return fmt.Sprintf("LeaveGroup: %v", r.Code)
	case CommitReply:
		return fmt.Sprintf("OffsetCommit: %v", r.Codes)
	case FetchReply:
		return fmt.Sprintf("OffsetFetch: %v%s", r.Code, offsets(r.Offsets))
	}
	return fmt.Sprintf("%T", message)
}

func named(id string) string {
	if id == "" {
		return "-"
	}
	return id
}

func instance(id string) string {
	if id == "" {
		return ""
	}
	return " instance=" + id
}

func offsets(list []Offset) string {
	var b strings.Builder
	for _, o := range list {
		fmt.Fprintf(&b, " %s-%d@%d", o.Topic, o.Partition, o.Offset)
	}
	return b.String()
}
