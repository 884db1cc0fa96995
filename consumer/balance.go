package consumer

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// BalanceStrategy makes an assignor a strategy for a plain [sarama.ConsumerGroup], for programs that stay on that. It goes into
// Consumer.Group.Rebalance.GroupStrategies of a [sarama.Config]. For a nil assignor it returns nil, which Sarama refuses.
//
// The strategy has the assignor's name on the wire and its protocol. To run a group cooperatively, give it [strategy.Cooperative] of an
// assignor, in a list in which every strategy is cooperative; Sarama runs a mixed list eagerly. Cooperative groups need Version 2.4 at
// least, and 3.2 for members to say how old their claims are.
//
// Where the assignor panics, fails, takes longer than 5 s or answers what [strategy.Validate] rejects, the
// last resort of [strategy.Fallback] answers, and slog.Default() is told. A [*strategy.FallbackAssignor] is taken as it is, with its own time
// limits and logger. A time limit should stay well below Consumer.Group.Session.Timeout, as Sarama sends no heartbeats meanwhile.
//
// Make a strategy of its own for each ConsumerGroup. One that is shared is free of data races and its answers are right, but
// members of eager "sticky" then claim each other's partitions, which are moved more than they need to, and what an assignor
// sends to members may not arrive. The assignor may be shared.
//
// When they join, members send what the assignor's [strategy.UserDataProvider] says, packed as this project's consumers do. Members without one
// send what Kafka's own do under the name "cooperative-sticky", their generation, and otherwise nothing. Under the name "sticky" all send
// what Kafka's own do, the partitions they had before, and nothing of the assignor's. So eager members of other names do not say
// what they had. Consumer.Group.Member.UserData is never sent.
//
// Sarama keeps to itself what the group is called, who leads it, which generation is made, the members' instance ids, and the racks of
// partitions: the assignor finds them empty, [strategy.NoGeneration], and static members in the order of their member ids. The racks of
// members are known, where they say them; Sarama's do not. A [strategy.Notifier] is not told the group and the member. A member whose
// metadata Sarama cannot read ends the leader's session before any strategy is asked. Nothing is measured, so that assignors see no signals,
// see [Signals], and nobody's uptime.
func BalanceStrategy(a strategy.Assignor) sarama.BalanceStrategy {
	if a == nil {
		return nil
	}
	f, ok := a.(*strategy.FallbackAssignor)
	if !ok {
		f = strategy.Fallback(a)
	}
	return &saramaStrategy{assignor: f, name: a.Name(), received: strategy.Received{Generation: strategy.NoGeneration}}
}

// A saramaStrategy has an assignor do what Sarama asks a strategy for. Sarama calls it on the goroutine of Consume: for a member
// SubscriptionUserData before each join and OnAssignment after it, for the leader Plan and then AssignmentData in between.
type saramaStrategy struct {
	assignor *strategy.FallbackAssignor
	name     string // on the wire

	mu       sync.Mutex
	received strategy.Received // what the member was given last
	sent     map[string][]byte // what the assignor wants to send with the last plan, by member
}

// What Sarama looks for in a strategy.
var (
	_ sarama.RebalanceProtocolBalanceStrategy    = (*saramaStrategy)(nil)
	_ sarama.SubscriptionUserDataBalanceStrategy = (*saramaStrategy)(nil)
	_ sarama.OnAssignmentBalanceStrategy         = (*saramaStrategy)(nil)
)

// Name returns the assignor's name on the wire.
func (s *saramaStrategy) Name() string { return s.name }

// SupportedProtocols returns cooperative as well if the assignor is. Such a one can run in an eager group, in which nobody owns anything
// when it is asked: that is how a group changes from one to the other, member by member.
func (s *saramaStrategy) SupportedProtocols() []sarama.RebalanceProtocol {
	if s.assignor.Protocol() == strategy.ProtocolCooperative {
		return []sarama.RebalanceProtocol{sarama.RebalanceProtocolCooperative, sarama.RebalanceProtocolEager}
	}
	return []sarama.RebalanceProtocol{sarama.RebalanceProtocolEager}
}

// Plan asks the assignor. Every member is in the plan, also those that get nothing. It fails only for a group that no assignor could make
// sense of.
func (s *saramaStrategy) Plan(members map[string]sarama.ConsumerGroupMemberMetadata, topics map[string][]int32) (sarama.BalanceStrategyPlan, error) {
	join, err := s.decode(members)
	if err != nil {
		return nil, err
	}
	list, sparse := listTopics(topics)
	answer, err := s.assignor.Assign(context.Background(), join.Group("", strategy.NoGeneration, "", list))
	if err != nil {
		return nil, fmt.Errorf("consumer: the group cannot be assigned: %w", err)
	}
	s.mu.Lock()
	s.sent = answer.UserData
	s.mu.Unlock()
	plan := make(sarama.BalanceStrategyPlan, len(members))
	for id := range members {
		plan[id] = make(map[string][]int32, len(answer.Members[id]))
		for _, tp := range answer.Members[id] {
			partitions := slices.Clone(tp.Partitions)
			if known, gaps := sparse[tp.Topic]; gaps {
				partitions = slices.DeleteFunc(partitions, func(p int32) bool {
					_, exists := slices.BinarySearch(known, p)
					return !exists
				})
			}
			plan.Add(id, tp.Topic, partitions...)
		}
	}
	return plan, nil
}

// decode understands members as [protocol.DecodeJoin] does, which reads bytes: so what Sarama has read is written again.
func (s *saramaStrategy) decode(members map[string]sarama.ConsumerGroupMemberMetadata) (*protocol.Join, error) {
	list := make([]protocol.JoinMember, 0, len(members))
	for _, id := range slices.Sorted(maps.Keys(members)) {
		m := members[id]
		said := protocol.Subscription{
			Version: min(max(m.Version, 0), protocol.Newest), Topics: m.Topics, UserData: m.UserData, Generation: m.GenerationID,
		}
		for _, o := range m.OwnedPartitions {
			if o != nil {
				said.Owned = append(said.Owned, strategy.TopicPartitions{Topic: o.Topic, Partitions: o.Partitions})
			}
		}
		if m.RackID != nil {
			said.Rack = *m.RackID
		}
		raw, err := said.AppendBinary(nil)
		if err != nil {
			return nil, fmt.Errorf("consumer: the metadata of member %q: %w", id, err)
		}
		list = append(list, protocol.JoinMember{ID: id, Metadata: raw})
	}
	join := protocol.DecodeJoin(s.name, list)
	for _, r := range join.Remarks {
		slog.Warn("a member's metadata is odd", "assignor", s.name, "remark", r.String())
	}
	return join, nil
}

// listTopics counts partitions, which are numbered from 0. Topics that lack some, as Kafka has none, are sparse: their partitions are
// listed there, sorted.
func listTopics(topics map[string][]int32) (list []strategy.Topic, sparse map[string][]int32) {
	list, sparse = make([]strategy.Topic, 0, len(topics)), map[string][]int32{}
	for _, name := range slices.Sorted(maps.Keys(topics)) {
		known := slices.Clone(topics[name])
		slices.Sort(known)
		known = slices.Compact(known)
		count := int32(0)
		if n := len(known); n > 0 {
			if count = known[n-1] + 1; int(count) != n {
				sparse[name] = known
			}
		}
		list = append(list, strategy.Topic{Name: name, Partitions: count})
	}
	return list, sparse
}

// AssignmentData returns what the leader sends to a member along with its partitions. It never fails, as that would end the leader's
// session: what cannot be sent is logged and left out.
func (s *saramaStrategy) AssignmentData(member string, topics map[string][]int32, generation int32) ([]byte, error) {
	if s.name == protocol.StickyName { // some clients send this back when they join again
		data, err := protocol.AppendSticky(nil, listPartitions(topics), generation)
		s.warn("what a member is sent", err)
		return data, nil
	}
	s.mu.Lock()
	own := s.sent[member]
	s.mu.Unlock()
	return s.envelope(own), nil
}

// SubscriptionUserData returns what a member sends when it joins. It never fails, as Sarama would then send what it was sent itself.
func (s *saramaStrategy) SubscriptionUserData(topics []string) ([]byte, error) {
	s.mu.Lock()
	last := s.received
	s.mu.Unlock()
	if s.name == protocol.StickyName {
		if last.Generation == strategy.NoGeneration {
			return nil, nil
		}
		data, err := protocol.AppendSticky(nil, last.Partitions, last.Generation)
		s.warn("what was owned", err)
		return data, nil
	}
	var own []byte
	s.guard("UserData", func() {
		var err error
		own, err = strategy.UserDataFor(s.assignor, slices.Sorted(slices.Values(topics)))
		s.warn("the assignor's user data", err)
	})
	if data := s.envelope(own); data != nil {
		return data, nil
	}
	if s.name == protocol.CooperativeStickyName {
		return protocol.AppendCooperativeSticky(nil, last.Generation), nil
	}
	return nil, nil
}

// OnAssignment keeps what a member was given, and tells the assignor.
func (s *saramaStrategy) OnAssignment(assignment *sarama.ConsumerGroupMemberAssignment, generation int32) {
	r := strategy.Received{Generation: generation, Partitions: listPartitions(assignment.Topics)} // a copy: Sarama sorts its own in place
	if s.name != protocol.StickyName {
		r.UserData = assignment.UserData
		if u, ok, err := protocol.DecodeUserData(assignment.UserData); ok {
			s.warn("the leader's user data", err)
			r.UserData = u.Assignor
		}
	}
	s.mu.Lock()
	s.received = r
	s.mu.Unlock()
	s.guard("OnAssignment", func() { strategy.Notify(s.assignor, r) })
}

// envelope packs what an assignor sends, nil for nothing.
func (s *saramaStrategy) envelope(own []byte) []byte {
	if own == nil {
		return nil
	}
	u := protocol.UserData{Assignor: own}
	data, err := u.AppendBinary(nil)
	s.warn("the assignor's user data", err)
	return data
}

// listPartitions lists a member's partitions in order, in memory of its own.
func listPartitions(topics map[string][]int32) []strategy.TopicPartitions {
	var list []strategy.TopicPartitions
	for _, name := range slices.Sorted(maps.Keys(topics)) {
		if len(topics[name]) > 0 {
			list = append(list, strategy.TopicPartitions{Topic: name, Partitions: slices.Sorted(slices.Values(topics[name]))})
		}
	}
	return list
}

func (s *saramaStrategy) warn(what string, err error) {
	if err != nil {
		slog.Warn("user data is left out", "assignor", s.name, "of", what, "error", err)
	}
}

// guard calls code of the assignor that no [strategy.FallbackAssignor] stands before. Its panic must not end the process.
func (s *saramaStrategy) guard(what string, f func()) {
	defer func() {
		if v := recover(); v != nil {
			slog.Warn("assignor panicked", "assignor", s.name, "in", what, "panic", v, "stack", string(debug.Stack()))
		}
	}()
	f()
}
