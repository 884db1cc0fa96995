package consumer_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/embedded"
	"github.com/assignkit/assignkit/internal/embedded/embeddedtest"
	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategies/roundrobin"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A balanceRoom is where the members of a group meet: it knows who holds what.
type balanceRoom struct {
	t *testing.T

	mu      sync.Mutex
	changed *sync.Cond
	holds   map[strategy.TopicPartition]string
}

func newBalanceRoom(t *testing.T) *balanceRoom {
	r := &balanceRoom{t: t, holds: map[strategy.TopicPartition]string{}}
	r.changed = sync.NewCond(&r.mu)
	return r
}

// A balanceMember is one of a plain Sarama group, from join to leave.
type balanceMember struct {
	room   *balanceRoom
	name   string
	leave  func()
	setups int                             // sessions
	begun  map[strategy.TopicPartition]int // how often it was given each partition
}

// join has a member of its own strategy join. It leaves at the end of the test, if it has not before.
func (r *balanceRoom) join(addrs []string, name string, s sarama.BalanceStrategy, topics ...string) *balanceMember {
	r.t.Helper()
	conf := sarama.NewConfig()
	conf.Version, conf.ClientID = sarama.MaxVersion, name
	conf.Consumer.Group.Rebalance.GroupStrategies = []sarama.BalanceStrategy{s}
	conf.Consumer.Group.Heartbeat.Interval = 50 * time.Millisecond
	conf.Consumer.Group.Rebalance.Retry.Backoff = 50 * time.Millisecond
	conf.Consumer.MaxWaitTime = 50 * time.Millisecond // a fetch that waits for records keeps what the group has to say waiting
	conf.Consumer.Offsets.AutoCommit.Enable = false
	group, err := sarama.NewConsumerGroup(addrs, "g", conf)
	if err != nil {
		r.t.Fatal(err)
	}
	m := &balanceMember{room: r, name: name, begun: map[strategy.TopicPartition]int{}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			err := group.Consume(ctx, topics, m)
			if err != nil && ctx.Err() == nil && !errors.Is(err, sarama.ErrRebalanceInProgress) {
				r.t.Errorf("%s: %v", name, err)
				return
			}
		}
	}()
	m.leave = sync.OnceFunc(func() {
		cancel()
		<-done
		if err := group.Close(); err != nil {
			r.t.Errorf("%s: closing: %v", name, err)
		}
	})
	r.t.Cleanup(m.leave)
	return m
}

func (m *balanceMember) Setup(sarama.ConsumerGroupSession) error {
	m.room.mu.Lock()
	defer m.room.mu.Unlock()
	m.setups++
	return nil
}

func (m *balanceMember) Cleanup(sarama.ConsumerGroupSession) error { return nil }

// ConsumeClaim holds a partition, which nobody else may meanwhile.
func (m *balanceMember) ConsumeClaim(session sarama.ConsumerGroupSession, claim sarama.ConsumerGroupClaim) error {
	p := strategy.TopicPartition{Topic: claim.Topic(), Partition: claim.Partition()}
	m.room.mu.Lock()
	if other, held := m.room.holds[p]; held {
		m.room.t.Errorf("%s is given %v, which %s holds", m.name, p, other)
	}
	m.room.holds[p] = m.name
	m.begun[p]++
	m.room.changed.Broadcast()
	m.room.mu.Unlock()
	defer func() {
		m.room.mu.Lock()
		delete(m.room.holds, p)
		m.room.changed.Broadcast()
		m.room.mu.Unlock()
	}()
	for {
		select {
		case _, ok := <-claim.Messages():
			if !ok {
				return nil
			}
		case <-session.Context().Done():
			return nil
		}
	}
}

// settle waits until members hold so many partitions each, in the order of their names, and returns what they hold.
func (r *balanceRoom) settle(loads ...int) map[string][]int32 {
	r.t.Helper()
	deadline := time.Now().Add(embeddedtest.Patience)
	wake := time.AfterFunc(embeddedtest.Patience, r.changed.Broadcast)
	defer wake.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		held := map[string][]int32{}
		for p, name := range r.holds {
			held[name] = append(held[name], p.Partition)
		}
		var got []int
		for _, name := range slices.Sorted(maps.Keys(held)) {
			slices.Sort(held[name])
			got = append(got, len(held[name]))
		}
		if slices.Equal(got, loads) {
			return held
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("wanted %v partitions each, got %v", loads, held)
		}
		r.changed.Wait()
	}
}

// balanceKept says whether after is a part of before, or the other way round.
func balanceKept(before, after []int32) bool {
	if len(before) > len(after) {
		before, after = after, before
	}
	return !slices.ContainsFunc(before, func(p int32) bool { return !slices.Contains(after, p) })
}

// balanceJoinAndLeave has members join and leave, and wants those of sticky strategies to keep what they can.
func balanceJoinAndLeave(t *testing.T, addrs []string, keeps bool, fresh func() sarama.BalanceStrategy) (a, b, c *balanceMember, all map[string][]int32) {
	t.Helper()
	r := newBalanceRoom(t)
	a = r.join(addrs, "a", fresh(), "t")
	one := r.settle(12)
	b = r.join(addrs, "b", fresh(), "t")
	two := r.settle(6, 6)
	c = r.join(addrs, "c", fresh(), "t")
	all = r.settle(4, 4, 4)
	b.leave()
	left := r.settle(6, 6)
	if keeps {
		for _, was := range []bool{
			balanceKept(one["a"], two["a"]), balanceKept(two["a"], all["a"]), balanceKept(two["b"], all["b"]),
			balanceKept(all["a"], left["a"]), balanceKept(all["c"], left["c"]),
		} {
			if !was {
				t.Errorf("members lose what they could keep: %v, %v, %v, %v", one, two, all, left)
			}
		}
	}
	return a, b, c, all
}

func balanceCluster(t *testing.T) []string {
	t.Helper()
	return startCluster(t, embedded.Topic{Name: "t", Partitions: 12}).Addrs()
}

func TestBalanceStrategyEagerGroup(t *testing.T) {
	for _, assignor := range []strategy.Assignor{rangeassign.Assignor{}, roundrobin.Assignor{}, sticky.Assignor{}} {
		t.Run(assignor.Name(), func(t *testing.T) {
			_, _, _, all := balanceJoinAndLeave(t, balanceCluster(t), assignor.Name() == "sticky", func() sarama.BalanceStrategy { return consumer.BalanceStrategy(assignor) })
			if assignor.Name() == "range" && !reflect.DeepEqual(all, map[string][]int32{"a": {0, 1, 2, 3}, "b": {4, 5, 6, 7}, "c": {8, 9, 10, 11}}) {
				t.Errorf("range gives %v", all)
			}
		})
	}
}

// Sarama's own sticky members read what ours send, and the other way round.
func TestBalanceStrategyAmongSaramas(t *testing.T) {
	for name, makers := range map[string][]func() sarama.BalanceStrategy{
		"sticky": {func() sarama.BalanceStrategy { return consumer.BalanceStrategy(sticky.Assignor{}) }, sarama.NewBalanceStrategySticky},
		"cooperative-sticky": {func() sarama.BalanceStrategy {
			return consumer.BalanceStrategy(strategy.Cooperative(sticky.Assignor{}))
		}, sarama.NewBalanceStrategyCooperativeSticky},
	} {
		for first := range makers { // who joined first leads
			t.Run(fmt.Sprint(name, first), func(t *testing.T) {
				next := first
				balanceJoinAndLeave(t, balanceCluster(t), true, func() sarama.BalanceStrategy {
					s := makers[next%2]()
					next++
					return s
				})
			})
		}
	}
}

// In a cooperative group, what stays with its owner never stops.
func TestBalanceStrategyCooperativeGroup(t *testing.T) {
	for _, assignor := range []strategy.Assignor{sticky.Assignor{}, rangeassign.Assignor{}} {
		t.Run(assignor.Name(), func(t *testing.T) {
			assignor := strategy.Cooperative(assignor)
			a, b, c, _ := balanceJoinAndLeave(t, balanceCluster(t), assignor.Name() == "cooperative-sticky", func() sarama.BalanceStrategy { return consumer.BalanceStrategy(assignor) })
			balanceStaid(t, a, b, c)
		})
	}
}

// balanceStaid wants each member to have had one session, and to have been given no partition anew without need.
func balanceStaid(t *testing.T, members ...*balanceMember) {
	t.Helper()
	for _, m := range members {
		m.room.mu.Lock()
		if m.setups != 1 {
			t.Errorf("%s had %d sessions", m.name, m.setups)
		}
		again := 0
		for _, n := range m.begun {
			again += n - 1
		}
		if again > 2 { // what it gave up when the third came, and got back when that left
			t.Errorf("%s was given partitions again: %v", m.name, m.begun)
		}
		m.room.mu.Unlock()
	}
}
