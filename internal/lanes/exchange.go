package lanes

import (
	"fmt"
	"strings"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
)

// protocolType is that of groups that read topics.
const protocolType = "consumer"

// exchange sends a request and reads the answer. Versions are the newest for the version of Kafka; Sarama lowers them to what the broker
// knows.
func exchange(b *sarama.Broker, cfg *Config, request wire.Request) (wire.Reply, error) {
	reply, err := dispatch(b, cfg, request)
	if err != nil {
		return nil, fmt.Errorf("broker %s: %w", b.Addr(), err)
	}
	return reply, nil
}

func dispatch(b *sarama.Broker, cfg *Config, request wire.Request) (wire.Reply, error) {
	version := cfg.Client.Config().Version
	switch r := request.(type) {
	case wire.Join:
		return join(b, version, &r)
	case wire.Sync:
		return syncGroup(b, version, &r)
	case wire.Heartbeat:
		return heartbeat(b, &r)
	case wire.Commit:
		return commit(b, &r)
	case wire.Leave:
		return leave(b, version, &r)
	}
	return nil, fmt.Errorf("lanes: request %T", request)
}

func join(b *sarama.Broker, version sarama.KafkaVersion, r *wire.Join) (wire.Reply, error) {
	request := sarama.NewJoinGroupRequest(version)
	request.GroupId, request.MemberId, request.GroupInstanceId, request.ProtocolType = r.Group, r.MemberID, optional(r.InstanceID), protocolType
	request.SessionTimeout, request.RebalanceTimeout = milliseconds(r.Session), milliseconds(r.Rebalance)
	request.Reason = optional(short(r.Reason))
	for _, o := range r.Offers {
		request.AddGroupProtocol(o.Name, o.Metadata)
	}
	resp, err := b.JoinGroup(request)
	if err != nil {
		return nil, err
	}
	reply := wire.JoinReply{Code: wire.Code(resp.Err), MemberID: resp.MemberId, Generation: resp.GenerationId, Protocol: resp.GroupProtocol, Leader: resp.LeaderId}
	if len(resp.Members) > 0 {
		reply.Members = make([]protocol.JoinMember, 0, len(resp.Members))
	}
	for _, m := range resp.Members {
		reply.Members = append(reply.Members, protocol.JoinMember{ID: m.MemberId, InstanceID: text(m.GroupInstanceId), Metadata: m.Metadata})
	}
	return reply, nil
}

// syncGroup says which assignor the group has chosen: a coordinator that has chosen another one refuses then.
func syncGroup(b *sarama.Broker, version sarama.KafkaVersion, r *wire.Sync) (wire.Reply, error) {
	request := &sarama.SyncGroupRequest{Version: 4, GroupId: r.Group, GenerationId: r.Generation, MemberId: r.MemberID, GroupInstanceId: optional(r.InstanceID)}
	if version.IsAtLeast(sarama.V2_5_0_0) && r.Protocol != "" {
		request.Version, request.ProtocolType, request.ProtocolName = 5, optional(protocolType), &r.Protocol
	}
	for _, a := range r.Assignments {
		request.AddGroupAssignment(a.ID, a.Assignment)
	}
	resp, err := b.SyncGroup(request)
	if err != nil {
		return nil, err
	}
	return wire.SyncReply{Code: wire.Code(resp.Err), Assignment: resp.MemberAssignment}, nil
}

func heartbeat(b *sarama.Broker, r *wire.Heartbeat) (wire.Reply, error) {
	resp, err := b.Heartbeat(&sarama.HeartbeatRequest{Version: 4, GroupId: r.Group, GenerationId: r.Generation, MemberId: r.MemberID, GroupInstanceId: optional(r.InstanceID)})
	if err != nil {
		return nil, err
	}
	return wire.HeartbeatReply{Code: wire.Code(resp.Err)}, nil
}

// commit returns a code for each offset. For one that the answer lacks it is one that is tried again. The retention counts with brokers
// before 2.1 only, where 0 would have offsets expire at once.
func commit(b *sarama.Broker, r *wire.Commit) (wire.Reply, error) {
	request := &sarama.OffsetCommitRequest{Version: 8, ConsumerGroup: r.Group, ConsumerGroupGeneration: r.Generation, ConsumerID: r.MemberID, GroupInstanceId: optional(r.InstanceID), RetentionTime: -1}
	for _, o := range r.Offsets {
		request.AddBlockWithLeaderEpoch(o.Topic, o.Partition, o.Offset, o.LeaderEpoch, 0, o.Metadata)
	}
	resp, err := b.CommitOffset(request)
	if err != nil {
		return nil, err
	}
	codes := make([]wire.Code, len(r.Offsets))
	for i, o := range r.Offsets {
		code, ok := resp.Errors[o.Topic][o.Partition]
		if !ok {
			code = sarama.ErrNetworkException
		}
		codes[i] = wire.Code(code)
	}
	return wire.CommitReply{Codes: codes}, nil
}

// leave takes one member out, whose code has a place of its own in the answer.
func leave(b *sarama.Broker, version sarama.KafkaVersion, r *wire.Leave) (wire.Reply, error) {
	request := &sarama.LeaveGroupRequest{Version: 4, GroupId: r.Group, MemberId: r.MemberID}
	member := sarama.MemberIdentity{MemberId: r.MemberID, GroupInstanceId: optional(r.InstanceID)}
	if version.IsAtLeast(sarama.V3_2_0_0) {
		request.Version, member.Reason = 5, optional(short(r.Reason))
	}
	request.Members = []sarama.MemberIdentity{member}
	resp, err := b.LeaveGroup(request)
	if err != nil {
		return nil, err
	}
	reply := wire.LeaveReply{Code: wire.Code(resp.Err)}
	for _, m := range resp.Members {
		if reply.Code == wire.None {
			reply.Code = wire.Code(m.Err)
		}
	}
	return reply, nil
}

// reasonSize is how long a reason may be, in bytes; Java's clients cut theirs there too.
const reasonSize = 255

func short(reason string) string {
	if len(reason) > reasonSize {
		reason = strings.ToValidUTF8(reason[:reasonSize], "")
	}
	return reason
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func milliseconds(d time.Duration) int32 { return int32(min(d.Milliseconds(), 1<<31-1)) }
