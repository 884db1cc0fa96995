package live

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/connect"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// The states of groups, of both types, as brokers call them.
const (
	stateDead      = "Dead"
	statePreparing = "PreparingRebalance"
	stateAwaiting  = "CompletingRebalance"
	stateAssigning = "Assigning"
	stateReconcile = "Reconciling"
)

// moving reports that what members have is not what they are to have.
func moving(state string) bool {
	return slices.Contains([]string{statePreparing, stateAwaiting, stateAssigning, stateReconcile}, state)
}

func describeGroup(name string) connect.Access {
	return connect.Access{Operation: "Describe", Resource: connect.Group, Name: name}
}

// describe asks the coordinator about a group: members and what they have, without offsets. It returns nil if the group does not exist.
// Coordinators that are not ready give one of the errors of [notReady].
func (s *session) describe(name string) (*Group, error) {
	g := &Group{Name: name, Epoch: strategy.NoGeneration, Coordinator: s.coordinator}
	known := false
	if s.version().IsAtLeast(sarama.V3_7_0_0) {
		found, err := s.describeConsumer(g)
		if err != nil {
			return nil, err
		}
		known = found
	}
	if !known {
		found, err := s.describeClassic(g)
		if err != nil || !found {
			return nil, err
		}
	}
	return g, nil
}

// describeConsumer asks for a group of the consumer protocol; false if it is none.
func (s *session) describeConsumer(g *Group) (bool, error) {
	req := sarama.NewConsumerGroupDescribeRequest(s.version())
	req.GroupIDs = []string{g.Name}
	resp, err := ask(s, s.broker(s.coordinator.ID), func(b *sarama.Broker) (*sarama.ConsumerGroupDescribeResponse, error) {
		return b.ConsumerGroupDescribe(req)
	})
	if errors.Is(err, sarama.ErrUnsupportedVersion) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if len(resp.Groups) == 0 {
		return false, nil
	}
	d := &resp.Groups[0]
	switch {
	case errors.Is(d.ErrorCode, sarama.ErrUnsupportedVersion), errors.Is(d.ErrorCode, sarama.ErrGroupIDNotFound):
		return false, nil
	case d.ErrorCode != sarama.ErrNoError:
		return false, d.ErrorCode
	}
	g.Type, g.ProtocolType, g.State, g.Protocol, g.Epoch = Consumer, "consumer", d.GroupState, d.AssignorName, d.AssignmentEpoch
	for i := range d.Members {
		g.Members = append(g.Members, consumerMember(&d.Members[i]))
	}
	slices.SortFunc(g.Members, compareMembers)
	return true, nil
}

func consumerMember(d *sarama.ConsumerGroupMemberDescription) Member {
	m := Member{
		ID: d.MemberID, InstanceID: text(d.InstanceID), ClientID: d.ClientID, Host: host(d.ClientHost), Rack: text(d.RackID),
		Pattern: text(d.SubscribedTopicRegex), Epoch: d.MemberEpoch,
	}
	m.Topics = slices.Clone(d.SubscribedTopicNames)
	slices.Sort(m.Topics)
	for _, tp := range d.Assignment.TopicPartitions {
		m.Owned = append(m.Owned, strategy.TopicPartitions{Topic: tp.TopicName, Partitions: tp.Partitions})
	}
	m.Owned = tidy(m.Owned)
	return m
}

// describeClassic asks for a group of the classic protocol; false if it does not exist.
func (s *session) describeClassic(g *Group) (bool, error) {
	req := s.describeRequest(g.Name)
	resp, err := ask(s, s.broker(s.coordinator.ID), func(b *sarama.Broker) (*sarama.DescribeGroupsResponse, error) {
		return b.DescribeGroups(req)
	})
	if err != nil {
		return false, err
	}
	if len(resp.Groups) == 0 {
		return false, nil
	}
	d := resp.Groups[0]
	switch {
	case errors.Is(d.Err, sarama.ErrGroupIDNotFound), d.Err == sarama.ErrNoError && d.State == stateDead:
		return false, nil
	case d.Err != sarama.ErrNoError:
		return false, d.Err
	}
	g.Type, g.ProtocolType, g.State, g.Protocol = Classic, d.ProtocolType, d.State, d.Protocol
	// The bytes of other members mean something else, and in a rebalance there are none.
	if (g.ProtocolType == "" || g.ProtocolType == "consumer") && !moving(d.State) {
		g.classicMembers(d)
	}
	return true, nil
}

func (s *session) describeRequest(names ...string) *sarama.DescribeGroupsRequest {
	v := choose(s.version(), sarama.V0_9_0_0, sarama.V0_11_0_0, sarama.V2_0_0_0, sarama.V2_3_0_0, sarama.V2_4_0_0, sarama.V2_4_0_0)
	return &sarama.DescribeGroupsRequest{Version: v, Groups: names}
}

// classicMembers decodes what members sent and were sent.
func (g *Group) classicMembers(d *sarama.GroupDescription) {
	joined := make([]protocol.JoinMember, 0, len(d.Members))
	for id, m := range d.Members {
		joined = append(joined, protocol.JoinMember{ID: id, InstanceID: text(m.GroupInstanceId), Metadata: m.MemberMetadata})
	}
	join := protocol.DecodeJoin(d.Protocol, joined)
	remarks := map[string]protocol.Remark{}
	for _, r := range join.Remarks {
		remarks[r.Member] = r
		g.Remarks = append(g.Remarks, r.String())
	}
	for i := range join.Members {
		said := &join.Members[i]
		m := classicMember(d.Members[said.ID])
		m.Rack, m.Topics = said.Rack, said.Topics
		m.Labels, m.Capacity, m.Draining = said.Labels, said.Capacity, said.Draining
		if r, ok := remarks[m.ID]; ok {
			m.Problem, m.SetAside = r.Err.Error(), r.SetAside || errors.Is(r.Err, protocol.ErrNoMetadata)
		}
		given, err := protocol.DecodeAssignment(d.Members[said.ID].MemberAssignment)
		if err != nil {
			m.Problem = err.Error()
			g.Remarks = append(g.Remarks, fmt.Sprintf("member %q: what it has is not known: %v", m.ID, err))
		}
		m.Owned = tidy(given.Partitions)
		g.Members = append(g.Members, m)
	}
}

func classicMember(d *sarama.GroupMemberDescription) Member {
	return Member{
		ID: d.MemberId, InstanceID: text(d.GroupInstanceId), ClientID: d.ClientId, Host: host(d.ClientHost), Epoch: strategy.NoGeneration,
	}
}

func compareMembers(a, b Member) int {
	x := strategy.Member{ID: a.ID, InstanceID: a.InstanceID}
	return x.Compare(&strategy.Member{ID: b.ID, InstanceID: b.InstanceID})
}

// tidy orders partitions, each once, and leaves out what cannot be one.
func tidy(list []strategy.TopicPartitions) []strategy.TopicPartitions {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b strategy.TopicPartitions) int { return strings.Compare(a.Topic, b.Topic) })
	var out []strategy.TopicPartitions
	for _, tp := range list {
		partitions := slices.DeleteFunc(slices.Clone(tp.Partitions), func(p int32) bool { return p < 0 || p >= maxPartition })
		if len(partitions) == 0 {
			continue
		}
		if n := len(out); n > 0 && out[n-1].Topic == tp.Topic {
			partitions = append(out[n-1].Partitions, partitions...)
			out = out[:n-1]
		}
		slices.Sort(partitions)
		out = append(out, strategy.TopicPartitions{Topic: tp.Topic, Partitions: slices.Compact(partitions)})
	}
	return out
}

// maxPartition is above the highest number of a partition that any cluster has, so that a wrong one costs no memory.
const maxPartition = 1_000_000

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// host takes off the slash that Java puts before an address that was not looked up.
func host(s string) string { return strings.TrimPrefix(s, "/") }
