//go:build kafka

package recorded

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/assignkit/assignkit/internal/membership/wire"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

var formatter = kmsg.NewRequestFormatter(kmsg.FormatterClientID("c"))

// exchange sends a request and reads the answer. One goroutine at a time does on a connection.
func exchange(conn net.Conn, r kmsg.Request) (kmsg.Response, error) {
	if _, err := conn.Write(formatter.AppendRequest(nil, r, 1)); err != nil {
		return nil, err
	}
	var size [4]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return nil, err
	}
	data := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(conn, data); err != nil {
		return nil, err
	}
	reader := kbin.Reader{Src: data}
	reader.Int32() // the number that was sent
	resp := r.ResponseKind()
	if resp.IsFlexible() {
		for range reader.Uvarint() {
			reader.Uvarint()
			reader.Span(int(reader.Uvarint()))
		}
	}
	if err := reader.Complete(); err != nil {
		return nil, err
	}
	return resp, resp.ReadFrom(reader.Src)
}

// encode makes the message of a request, of the version that this module's consumer speaks.
func encode(r request) kmsg.Request {
	switch body := r.body.(type) {
	case wire.Join:
		return encodeJoin(&body, r)
	case wire.Sync:
		q := kmsg.NewSyncGroupRequest()
		q.Version, q.Group, q.MemberID, q.InstanceID, q.Generation = 4, body.Group, body.MemberID, optional(body.InstanceID), body.Generation
		for _, a := range body.Assignments {
			q.GroupAssignment = append(q.GroupAssignment, kmsg.SyncGroupRequestGroupAssignment{MemberID: a.ID, MemberAssignment: a.Assignment})
		}
		return &q
	case wire.Heartbeat:
		q := kmsg.NewHeartbeatRequest()
		q.Version, q.Group, q.MemberID, q.InstanceID, q.Generation = 4, body.Group, body.MemberID, optional(body.InstanceID), body.Generation
		return &q
	case wire.Leave:
		q := kmsg.NewLeaveGroupRequest()
		q.Version, q.Group = 5, body.Group
		q.Members = []kmsg.LeaveGroupRequestMember{{MemberID: body.MemberID, InstanceID: optional(body.InstanceID)}}
		return &q
	case wire.Commit:
		q := kmsg.NewOffsetCommitRequest()
		q.Version, q.Group, q.MemberID, q.InstanceID, q.Generation = 8, body.Group, body.MemberID, optional(body.InstanceID), body.Generation
		t := kmsg.OffsetCommitRequestTopic{Topic: topic}
		for _, o := range body.Offsets {
			t.Partitions = append(t.Partitions, kmsg.OffsetCommitRequestTopicPartition{Partition: o.Partition, Offset: o.Offset, LeaderEpoch: -1})
		}
		q.Topics = append(q.Topics, t)
		return &q
	case wire.Fetch:
		q := kmsg.NewOffsetFetchRequest()
		q.Version, q.Group = 7, body.Group
		t := kmsg.OffsetFetchRequestTopic{Topic: topic}
		for _, p := range body.Partitions {
			t.Partitions = append(t.Partitions, p.Partition)
		}
		q.Topics = append(q.Topics, t)
		return &q
	}
	panic(fmt.Sprintf("request %T", r.body))
}

func encodeJoin(body *wire.Join, r request) kmsg.Request {
	q := kmsg.NewJoinGroupRequest()
	q.Version, q.Group, q.MemberID, q.InstanceID, q.ProtocolType = 8, body.Group, body.MemberID, optional(body.InstanceID), r.kind
	if r.version != 0 {
		q.Version = r.version
	}
	q.SessionTimeoutMillis, q.RebalanceTimeoutMillis = int32(body.Session.Milliseconds()), int32(body.Rebalance.Milliseconds())
	for _, o := range body.Offers {
		q.Protocols = append(q.Protocols, kmsg.JoinGroupRequestProtocol{Name: o.Name, Metadata: o.Metadata})
	}
	return &q
}

// decode reads an answer.
func decode(q kmsg.Request, resp kmsg.Response) answer {
	switch r := resp.(type) {
	case *kmsg.JoinGroupResponse:
		body := wire.JoinReply{Code: wire.Code(r.ErrorCode), MemberID: r.MemberID, Generation: r.Generation, Protocol: text(r.Protocol), Leader: r.LeaderID}
		for _, m := range r.Members {
			body.Members = append(body.Members, protocol.JoinMember{ID: m.MemberID, InstanceID: text(m.InstanceID), Metadata: m.ProtocolMetadata})
		}
		if r.SkipAssignment {
			return answer{body: body, beyond: "skip the assignment"}
		}
		return answer{body: body}
	case *kmsg.SyncGroupResponse:
		return answer{body: wire.SyncReply{Code: wire.Code(r.ErrorCode), Assignment: r.MemberAssignment}}
	case *kmsg.HeartbeatResponse:
		return answer{body: wire.HeartbeatReply{Code: wire.Code(r.ErrorCode)}}
	case *kmsg.LeaveGroupResponse:
		a := wire.LeaveReply{Code: wire.Code(r.ErrorCode)}
		beyond := []string{"of the request " + code(a.Code)}
		for _, m := range r.Members {
			beyond = append(beyond, "of the member "+code(wire.Code(m.ErrorCode)))
			if a.Code == wire.None {
				a.Code = wire.Code(m.ErrorCode)
			}
		}
		return answer{body: a, beyond: strings.Join(beyond, ", ")}
	case *kmsg.OffsetCommitResponse:
		var body wire.CommitReply
		for _, o := range q.(*kmsg.OffsetCommitRequest).Topics[0].Partitions { // in the order asked
			for _, p := range r.Topics[0].Partitions {
				if p.Partition == o.Partition {
					body.Codes = append(body.Codes, wire.Code(p.ErrorCode))
				}
			}
		}
		return answer{body: body}
	case *kmsg.OffsetFetchResponse:
		return answer{body: decodeFetch(r)}
	}
	panic(fmt.Sprintf("response %T", resp))
}

func decodeFetch(r *kmsg.OffsetFetchResponse) wire.FetchReply {
	body := wire.FetchReply{Code: wire.Code(r.ErrorCode)}
	for _, t := range r.Topics {
		for _, p := range t.Partitions {
			if body.Code == wire.None {
				body.Code = wire.Code(p.ErrorCode)
			}
			if p.Offset >= 0 {
				body.Offsets = append(body.Offsets, wire.Offset{TopicPartition: strategy.TopicPartition{Topic: t.Topic, Partition: p.Partition}, Offset: p.Offset})
			}
		}
	}
	return body
}

// again says whether an answer only asks for patience, as while the coordinator starts.
func (a *answer) again() bool {
	c := wire.None
	switch r := a.body.(type) {
	case wire.JoinReply:
		c = r.Code
	case wire.SyncReply:
		c = r.Code
	case wire.HeartbeatReply:
		c = r.Code
	case wire.LeaveReply:
		c = r.Code
	case wire.CommitReply:
		c = r.Codes[0]
	case wire.FetchReply:
		c = r.Code
	}
	return c == wire.CoordinatorLoading || c == wire.CoordinatorNotAvailable || c == wire.NotCoordinator
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
