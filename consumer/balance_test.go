package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/IBM/sarama"
	"pgregory.net/rapid"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/protocol"
	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A program that stays on Sarama's ConsumerGroup has its partitions kept through rebalances.
func ExampleBalanceStrategy() {
	config := sarama.NewConfig()
	config.Version = sarama.V3_2_0_0
	config.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{
		consumer.BalanceStrategy(strategy.Cooperative(sticky.Assignor{})),
	}
	// group, err := sarama.NewConsumerGroup(brokers, "billing", config)
	fmt.Println(config.Consumer.Group.Rebalance.GroupStrategies[0].Name(), config.Validate())
	// Output: cooperative-sticky <nil>
}

// A balanceAssignor is another one, but for what its functions do.
type balanceAssignor struct {
	strategy.Assignor
	assign   func(ctx context.Context, g *strategy.Group) (strategy.Assignment, error)
	userData func(topics []string) ([]byte, error)
	received func(r strategy.Received)
}

func (a balanceAssignor) Unwrap() strategy.Assignor { return a.Assignor }

func (a balanceAssignor) Assign(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
	if a.assign == nil {
		return a.Assignor.Assign(ctx, g)
	}
	return a.assign(ctx, g)
}

func (a balanceAssignor) UserData(topics []string) ([]byte, error) {
	if a.userData == nil {
		return nil, nil
	}
	return a.userData(topics)
}

func (a balanceAssignor) OnAssignment(r strategy.Received) {
	if a.received != nil {
		a.received(r)
	}
}

// balanceNamed is a range assignor under another name.
func balanceNamed(name string) strategy.Assignor { return rangeassign.Assignor{Wire: name} }

type (
	balanceMeta  = sarama.ConsumerGroupMemberMetadata
	balanceGroup = map[string]balanceMeta
)

// balancePlan plans, and wants no error.
func balancePlan(t testing.TB, s sarama.BalanceStrategy, members balanceGroup, topics map[string][]int32) sarama.BalanceStrategyPlan {
	t.Helper()
	plan, err := s.Plan(members, topics)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func balanceUserData(t *testing.T, s sarama.BalanceStrategy, topics ...string) []byte {
	t.Helper()
	data, err := s.(sarama.SubscriptionUserDataBalanceStrategy).SubscriptionUserData(topics)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func balanceEnvelope(t *testing.T, u protocol.UserData) []byte {
	t.Helper()
	data, err := u.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func balanceAssigned(s sarama.BalanceStrategy, generation int32, topics map[string][]int32, userData []byte) {
	s.(sarama.OnAssignmentBalanceStrategy).OnAssignment(&sarama.ConsumerGroupMemberAssignment{Topics: topics, UserData: userData}, generation)
}

func TestBalanceStrategyProtocols(t *testing.T) {
	eager, both := []sarama.RebalanceProtocol{sarama.RebalanceProtocolEager}, []sarama.RebalanceProtocol{sarama.RebalanceProtocolCooperative, sarama.RebalanceProtocolEager}
	cooperative := strategy.Cooperative(sticky.Assignor{})
	for _, c := range []struct {
		assignor strategy.Assignor
		name     string
		want     []sarama.RebalanceProtocol
	}{
		{rangeassign.Assignor{}, "range", eager},
		{sticky.Assignor{}, "sticky", eager},
		{strategy.Fallback(sticky.Assignor{}, rangeassign.Assignor{}), "sticky", eager},
		{cooperative, "cooperative-sticky", both},
		{strategy.Fallback(cooperative), "cooperative-sticky", both},
		{strategy.Cooperative(strategy.Fallback(rangeassign.Assignor{})), "cooperative-range", both},
	} {
		s := consumer.BalanceStrategy(c.assignor)
		got := s.(sarama.RebalanceProtocolBalanceStrategy).SupportedProtocols()
		if s.Name() != c.name || !slices.Equal(got, c.want) {
			t.Errorf("%s: %s, %v", c.name, s.Name(), got)
		}
	}
	conf := sarama.NewConfig()
	conf.Version = sarama.V2_4_0_0
	conf.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{consumer.BalanceStrategy(cooperative), consumer.BalanceStrategy(rangeassign.Assignor{})}
	if err := conf.Validate(); err != nil {
		t.Errorf("a group that changes to cooperative: %v", err)
	}
	conf.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{consumer.BalanceStrategy(nil)}
	if err := conf.Validate(); err == nil {
		t.Error("a nil assignor is accepted")
	}
}

// A balanceCase is a group as Sarama reports it and as the assignor is to see it.
type balanceCase struct {
	members balanceGroup
	topics  map[string][]int32
	group   *strategy.Group
}

// balanceDraw draws members of several versions that claim anything.
func balanceDraw(t *rapid.T, wire string) balanceCase {
	c := balanceCase{members: balanceGroup{}, topics: map[string][]int32{}, group: &strategy.Group{Generation: strategy.NoGeneration}}
	names, read := []string{"t", "t-10", "t-2"}, map[string]bool{}
	for i := range rapid.IntRange(1, 6).Draw(t, "members") {
		m := strategy.Member{ID: fmt.Sprintf("m%d", i), Generation: strategy.NoGeneration}
		meta := balanceMeta{Version: rapid.Int16Range(0, 4).Draw(t, "version")}
		var owned []strategy.TopicPartitions
		for _, name := range names {
			if rapid.IntRange(0, 3).Draw(t, "reads") > 0 {
				m.Topics, read[name] = append(m.Topics, name), true
			}
			if list := rapid.SliceOfN(rapid.Int32Range(-1, 10), 0, 6).Draw(t, "claims"); len(list) > 0 {
				owned = append(owned, strategy.TopicPartitions{Topic: name, Partitions: list})
			}
		}
		meta.Topics = rapid.Permutation(m.Topics).Draw(t, "topics")
		generation := rapid.Int32Range(-1, 2).Draw(t, "generation")
		if meta.Version >= 2 {
			m.Generation, meta.GenerationID = generation, generation
		}
		if rapid.Bool().Draw(t, "rack known") && meta.Version >= 3 {
			m.Rack = "r"
			meta.RackID = &m.Rack
		}
		switch {
		case wire == protocol.StickyName && len(owned) > 0:
			m.Generation = generation
			meta.UserData, _ = protocol.AppendSticky(nil, owned, generation)
		case meta.Version >= 1:
			for _, tp := range owned {
				meta.OwnedPartitions = append(meta.OwnedPartitions, &sarama.OwnedPartition{Topic: tp.Topic, Partitions: tp.Partitions})
			}
		default:
			owned = nil
		}
		if wire == protocol.CooperativeStickyName && rapid.Bool().Draw(t, "generation in user data") {
			meta.UserData = protocol.AppendCooperativeSticky(nil, generation)
			m.Generation = max(m.Generation, generation)
		}
		m.Owned = owned
		c.members[m.ID] = meta
		c.group.Members = append(c.group.Members, m)
	}
	for _, name := range names {
		n := rapid.Int32Range(0, 9).Draw(t, "partitions")
		list := []int32{}
		for p := range n {
			list = append(list, p)
		}
		c.topics[name] = rapid.Permutation(list).Draw(t, "partitions' order")
		if read[name] {
			c.group.Topics = append(c.group.Topics, strategy.Topic{Name: name, Partitions: n})
		}
	}
	return c
}

// Whatever members say, the plan is what the assignor decides.
func TestBalanceStrategyPlans(t *testing.T) {
	for _, a := range []strategy.Assignor{
		rangeassign.Assignor{}, rangeassign.Assignor{Even: true}, roundrobin.Assignor{}, sticky.Assignor{},
		strategy.Cooperative(sticky.Assignor{}), strategy.Cooperative(rangeassign.Assignor{}),
	} {
		t.Run(fmt.Sprintf("%s/%T", a.Name(), a), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := balanceDraw(t, a.Name())
				answer, err := a.Assign(context.Background(), c.group)
				if err != nil {
					t.Fatal(err)
				}
				want := sarama.BalanceStrategyPlan{}
				for id, list := range answer.Members {
					want[id] = map[string][]int32{}
					for _, tp := range list {
						want.Add(id, tp.Topic, tp.Partitions...)
					}
				}
				for range 3 { // maps are in another order each time
					plan, err := consumer.BalanceStrategy(a).Plan(maps.Clone(c.members), c.topics)
					if err != nil || !reflect.DeepEqual(plan, want) {
						t.Fatalf("got  %v, %v\nwant %v\nof %+v", plan, err, want, c.group)
					}
				}
			})
		})
	}
}

func TestBalanceStrategyOddTopics(t *testing.T) {
	s := consumer.BalanceStrategy(rangeassign.Assignor{})
	both := balanceGroup{"a": {Topics: []string{"t", "gone"}}, "b": {Topics: []string{"t"}}, "c": {}}
	plan := balancePlan(t, s, both, map[string][]int32{"t": {3, 1}, "unread": {0}})
	if want := (sarama.BalanceStrategyPlan{"a": {"t": {1}}, "b": {"t": {3}}, "c": {}}); !reflect.DeepEqual(plan, want) {
		t.Errorf("a topic with gaps: %v", plan)
	}
	if plan := balancePlan(t, s, nil, map[string][]int32{"t": {0}}); len(plan) != 0 {
		t.Errorf("nobody: %v", plan)
	}
	if plan := balancePlan(t, s, both, nil); len(plan) != 3 {
		t.Errorf("no topics: %v", plan)
	}
	var group *strategy.GroupError
	for _, p := range []int32{math.MaxInt32, 1 << 30, -7} {
		if _, err := s.Plan(both, map[string][]int32{"t": {p}}); !errors.As(err, &group) {
			t.Errorf("partition %d: %v", p, err)
		}
	}
	if _, err := s.Plan(balanceGroup{"a": {Topics: []string{strings.Repeat("x", 1<<15)}}}, nil); err == nil || !strings.Contains(err.Error(), `member "a"`) {
		t.Errorf("a name too long: %v", err)
	}
	odd := balanceGroup{"a": {Version: -3, Topics: []string{"t"}, OwnedPartitions: []*sarama.OwnedPartition{nil}}, "b": {Version: 9, Topics: []string{"\xff"}}}
	if plan := balancePlan(t, s, odd, map[string][]int32{"t": {0, 1}}); !reflect.DeepEqual(plan, sarama.BalanceStrategyPlan{"a": {"t": {0, 1}}, "b": {}}) {
		t.Errorf("odd members: %v", plan)
	}
}

// What members say of themselves reaches the assignor.
func TestBalanceStrategyMembers(t *testing.T) {
	var got []strategy.Member
	s := consumer.BalanceStrategy(balanceAssignor{Assignor: balanceNamed("mine"), assign: func(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
		got = g.Members
		return rangeassign.Assignor{}.Assign(ctx, g)
	}})
	rack := "r1"
	balancePlan(t, s, balanceGroup{
		"b": {Version: 3, Topics: []string{"t"}, RackID: &rack, GenerationID: 4, UserData: balanceEnvelope(t, protocol.UserData{
			Labels: map[string]string{"tier": "gold"}, Capacity: 3, Draining: true, Assignor: []byte("own"),
		})},
		"a": {Version: 1, Topics: []string{"t"}, UserData: []byte("raw"), OwnedPartitions: []*sarama.OwnedPartition{{Topic: "t", Partitions: []int32{1}}}},
	}, map[string][]int32{"t": {0, 1}})
	want := []strategy.Member{
		{ID: "a", Topics: []string{"t"}, Generation: -1, UserData: []byte("raw"), Owned: []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{1}}}},
		{ID: "b", Topics: []string{"t"}, Generation: 4, Rack: "r1", Labels: map[string]string{"tier": "gold"}, Capacity: 3, Draining: true, UserData: []byte("own")},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// The assignor's own data goes from a member to the leader, and from there to members.
func TestBalanceStrategyUserData(t *testing.T) {
	var told []strategy.Received
	s := consumer.BalanceStrategy(balanceAssignor{
		Assignor: balanceNamed("mine"),
		userData: func(topics []string) ([]byte, error) { return []byte(strings.Join(topics, "+")), nil },
		received: func(r strategy.Received) { told = append(told, r) },
		assign: func(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
			a, err := rangeassign.Assignor{}.Assign(ctx, g)
			a.UserData = map[string][]byte{"a": append([]byte("seen "), g.Members[0].UserData...)}
			return a, err
		},
	})
	sent := balanceUserData(t, s, "u", "t")
	plan := balancePlan(t, s, balanceGroup{"a": {Topics: []string{"t", "u"}, UserData: sent}, "b": {}}, map[string][]int32{"t": {0, 1}})
	toA, err := s.AssignmentData("a", plan["a"], 5)
	if want := balanceEnvelope(t, protocol.UserData{Assignor: []byte("seen t+u")}); err != nil || !slices.Equal(toA, want) {
		t.Errorf("a is sent %q, %v", toA, err)
	}
	if toB, err := s.AssignmentData("b", plan["b"], 5); toB != nil || err != nil {
		t.Errorf("b is sent %q, %v", toB, err)
	}
	balanceAssigned(s, 5, plan["a"], toA)
	balanceAssigned(s, 6, nil, []byte("raw"))
	want := []strategy.Received{
		{Generation: 5, Partitions: []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{0, 1}}}, UserData: []byte("seen t+u")},
		{Generation: 6, UserData: []byte("raw")},
	}
	if !reflect.DeepEqual(told, want) {
		t.Errorf("told %+v", told)
	}
}

// Members send what Kafka's own send.
func TestBalanceStrategyHistory(t *testing.T) {
	eager, cooperative, other := consumer.BalanceStrategy(sticky.Assignor{}), consumer.BalanceStrategy(strategy.Cooperative(sticky.Assignor{})), consumer.BalanceStrategy(roundrobin.Assignor{})
	if data := balanceUserData(t, eager, "t"); data != nil {
		t.Errorf("sticky, new: %x", data)
	}
	if data := balanceUserData(t, cooperative, "t"); !slices.Equal(data, []byte{255, 255, 255, 255}) {
		t.Errorf("cooperative-sticky, new: %x", data)
	}
	topics := map[string][]int32{"u": {1, 0}, "t": {3}, "none": {}}
	for _, s := range []sarama.BalanceStrategy{eager, cooperative, other} {
		balanceAssigned(s, 7, topics, nil)
	}
	clear(topics["u"]) // Sarama sorts its own lists in place
	want, _ := protocol.AppendSticky(nil, []strategy.TopicPartitions{{Topic: "t", Partitions: []int32{3}}, {Topic: "u", Partitions: []int32{0, 1}}}, 7)
	if data := balanceUserData(t, eager, "t"); !slices.Equal(data, want) {
		t.Errorf("sticky: %x\nwant    %x", data, want)
	}
	if data := balanceUserData(t, cooperative, "t"); !slices.Equal(data, []byte{0, 0, 0, 7}) {
		t.Errorf("cooperative-sticky: %x", data)
	}
	if data := balanceUserData(t, other, "t"); data != nil {
		t.Errorf("roundrobin: %x", data)
	}
	if data, err := eager.AssignmentData("a", map[string][]int32{"u": {1, 0}, "t": {3}}, 7); err != nil || !slices.Equal(data, want) {
		t.Errorf("what a sticky member is sent: %x, %v", data, err)
	}
}

// One strategy that is used by several groups is free of races, and right; see the race detector.
func TestBalanceStrategyShared(t *testing.T) {
	s := consumer.BalanceStrategy(sticky.Assignor{})
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 0))
			id := fmt.Sprint("m", i)
			for generation := range int32(100) {
				data, _ := s.(sarama.SubscriptionUserDataBalanceStrategy).SubscriptionUserData([]string{"t"})
				plan, err := s.Plan(balanceGroup{id: {Topics: []string{"t"}, UserData: data}, "other": {Topics: []string{"t"}}}, map[string][]int32{"t": {0, 1, 2, 3}})
				if err != nil || len(plan[id]["t"]) != 2 || len(plan["other"]["t"]) != 2 {
					t.Errorf("plan %v, %v", plan, err)
				}
				list := plan[id]["t"]
				sent, _ := s.AssignmentData(id, plan[id], generation)
				balanceAssigned(s, generation, plan[id], sent)
				random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			}
		})
	}
	wait.Wait()
}
