package plugin

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/assignkit/assignkit/plugin/internal/wire"
	"github.com/assignkit/assignkit/strategy"
)

// selfTest has a plugin assign a few small groups, and checks its answers as any are checked: before it takes another's place, and before it is
// locked. Each call may take the given time. Whether it holds to the whole contract is for strategytest.
func selfTest(ctx context.Context, p *process, timeout time.Duration) error {
	for i, g := range testGroups() {
		a, err := tryGroup(ctx, p, g, timeout)
		if err == nil {
			err = strategy.Validate(g, &a, described(p.said).protocol)
		}
		if err != nil {
			return fmt.Errorf("group number %d, %s: %w", i+1, g.Name, err)
		}
		again, err := tryGroup(ctx, p, g, timeout)
		if err == nil && !reflect.DeepEqual(a, again) {
			err = errors.New("the same group was answered in two ways")
		}
		if err != nil {
			return fmt.Errorf("group number %d, %s, again: %w", i+1, g.Name, err)
		}
	}
	return nil
}

func tryGroup(ctx context.Context, p *process, g *strategy.Group, timeout time.Duration) (answer strategy.Assignment, err error) {
	t, err := strategy.Tabulate(g)
	if err != nil {
		return strategy.Assignment{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if answer, err = askAssign(ctx, p.client, t, wire.AssignRequest(t)); err != nil {
		_, err = judge(ctx, p, err)
	}
	return answer, err
}

// testGroups are one that begins, one that a member joins, and one without members' claims in order.
func testGroups() []*strategy.Group {
	topics := []strategy.Topic{{Name: "orders", Partitions: 6}, {Name: "payments", Partitions: 3}}
	both := []string{"orders", "payments"}
	member := func(id string, topics []string, owned ...strategy.TopicPartitions) strategy.Member {
		m := strategy.Member{ID: id, Topics: topics, Generation: strategy.NoGeneration, Owned: owned}
		if len(owned) > 0 {
			m.Generation = 1
		}
		return m
	}
	return []*strategy.Group{
		{Name: "one that begins", Generation: 1, Leader: "a", Topics: topics, Members: []strategy.Member{
			member("a", both), member("b", both), member("c", both[:1]),
		}},
		{Name: "one that a member joins", Generation: 2, Leader: "a", Topics: topics, Members: []strategy.Member{
			member("a", both, strategy.TopicPartitions{Topic: "orders", Partitions: []int32{0, 1, 2}}, strategy.TopicPartitions{Topic: "payments", Partitions: []int32{0, 1}}),
			member("b", both, strategy.TopicPartitions{Topic: "orders", Partitions: []int32{3, 4, 5}}, strategy.TopicPartitions{Topic: "payments", Partitions: []int32{2}}),
			member("c", both),
		}},
		{Name: "one with odd claims", Generation: 3, Leader: "b", Topics: slices.Clone(topics), Members: []strategy.Member{
			member("b", both, strategy.TopicPartitions{Topic: "orders", Partitions: []int32{5, 0, 17}}, strategy.TopicPartitions{Topic: "gone", Partitions: []int32{1}}),
			member("a", both, strategy.TopicPartitions{Topic: "orders", Partitions: []int32{0}}),
		}},
	}
}
