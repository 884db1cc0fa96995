package consumer_test

import (
	"context"
	"errors"
	"log"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/internal/protocol"
	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// balanceLog keeps what is logged by default, until the end of the test.
func balanceLog(t *testing.T) (text func() string) {
	t.Helper()
	var mu sync.Mutex
	var kept strings.Builder
	logger, writer, flags := slog.Default(), log.Writer(), log.Flags()
	slog.SetDefault(slog.New(slog.NewTextHandler(balanceWriter(func(line []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return kept.Write(line)
	}), nil)))
	t.Cleanup(func() {
		slog.SetDefault(logger)
		log.SetOutput(writer) // which SetDefault takes, and does not give back
		log.SetFlags(flags)
	})
	return func() string {
		mu.Lock()
		defer mu.Unlock()
		return kept.String()
	}
}

type balanceWriter func(line []byte) (int, error)

func (f balanceWriter) Write(line []byte) (int, error) { return f(line) }

// No assignor that misbehaves keeps the group from going on.
func TestBalanceStrategyFallsBack(t *testing.T) {
	forever := make(chan struct{})
	defer close(forever)
	assigns := map[strategy.Cause]func(context.Context, *strategy.Group) (strategy.Assignment, error){
		strategy.CausePanic: func(context.Context, *strategy.Group) (strategy.Assignment, error) { panic("no") },
		strategy.CauseError: func(context.Context, *strategy.Group) (strategy.Assignment, error) {
			return strategy.Assignment{}, errors.New("no")
		},
		strategy.CauseInvalid: func(context.Context, *strategy.Group) (strategy.Assignment, error) { return strategy.Assignment{}, nil },
		strategy.CauseDeadline: func(context.Context, *strategy.Group) (strategy.Assignment, error) {
			<-forever
			return strategy.Assignment{}, nil
		},
	}
	for cause, assign := range assigns {
		t.Run(string(cause), func(t *testing.T) {
			log := balanceLog(t)
			var failures []strategy.Failure
			f := strategy.Fallback(balanceAssignor{Assignor: balanceNamed("bad"), assign: assign})
			f.OnFailure = func(x strategy.Failure) { failures = append(failures, x) }
			if cause == strategy.CauseDeadline {
				f.Timeout = time.Millisecond
			}
			plan := balancePlan(t, consumer.BalanceStrategy(f), balanceGroup{"a": {Topics: []string{"t"}}, "b": {Topics: []string{"t"}}, "c": {}}, map[string][]int32{"t": {0, 1}})
			if want := (sarama.BalanceStrategyPlan{"a": {"t": {0}}, "b": {"t": {1}}, "c": {}}); !reflect.DeepEqual(plan, want) {
				t.Errorf("got %v", plan)
			}
			if len(failures) != 1 || failures[0].Cause != cause {
				t.Errorf("failures %v", failures)
			}
			if !strings.Contains(log(), "cause="+string(cause)) {
				t.Errorf("logged: %s", log())
			}
		})
	}
	t.Run("cooperative", func(t *testing.T) { // by its own account, but what one member has it gives to another
		log := balanceLog(t)
		s := consumer.BalanceStrategy(balanceAssignor{Assignor: strategy.Cooperative(balanceNamed("bad")), assign: rangeassign.Assignor{}.Assign})
		owned := []*sarama.OwnedPartition{{Topic: "t", Partitions: []int32{0, 1}}}
		plan := balancePlan(t, s, balanceGroup{"a": {Version: 1, Topics: []string{"t"}, OwnedPartitions: owned}, "b": {Topics: []string{"t"}}}, map[string][]int32{"t": {0, 1}})
		if want := (sarama.BalanceStrategyPlan{"a": {"t": {0, 1}}, "b": {}}); !reflect.DeepEqual(plan, want) || !strings.Contains(log(), "cause=invalid") {
			t.Errorf("got %v; logged: %s", plan, log())
		}
	})
	t.Run("user data", func(t *testing.T) {
		for name, userData := range map[string]func([]string) ([]byte, error){
			"panics":    func([]string) ([]byte, error) { panic("no") },
			"fails":     func([]string) ([]byte, error) { return nil, errors.New("no") },
			"too large": func([]string) ([]byte, error) { return make([]byte, protocol.MaxUserData), nil },
		} {
			s := consumer.BalanceStrategy(balanceAssignor{
				Assignor: strategy.Cooperative(sticky.Assignor{}), userData: userData, received: func(strategy.Received) { panic("no") },
				assign: func(ctx context.Context, g *strategy.Group) (strategy.Assignment, error) {
					a, err := sticky.Assignor{}.Assign(ctx, g)
					a.UserData = map[string][]byte{"a": make([]byte, protocol.MaxUserData)}
					return a, err
				},
			})
			log := balanceLog(t)
			balanceAssigned(s, 3, nil, balanceEnvelope(t, protocol.UserData{})[:12])
			if data := balanceUserData(t, s, "t"); !slices.Equal(data, []byte{0, 0, 0, 3}) {
				t.Errorf("%s: %x", name, data)
			}
			balancePlan(t, s, balanceGroup{"a": {}}, nil)
			if data, err := s.AssignmentData("a", nil, 4); data != nil || err != nil {
				t.Errorf("%s: a is sent %d bytes, %v", name, len(data), err)
			}
			if n := strings.Count(log(), "level=WARN"); n != 4 { // in all four that are called
				t.Errorf("%s: %d lines are logged: %s", name, n, log())
			}
		}
	})
}

func TestBalanceStrategyPanicsInGroup(t *testing.T) {
	for name, assignor := range map[string]strategy.Assignor{"eager": balanceNamed("bad"), "cooperative": strategy.Cooperative(balanceNamed("bad"))} {
		t.Run(name, func(t *testing.T) {
			log := balanceLog(t)
			bad := balanceAssignor{
				Assignor: assignor,
				assign:   func(context.Context, *strategy.Group) (strategy.Assignment, error) { panic("assign") },
				userData: func([]string) ([]byte, error) { panic("user data") },
				received: func(strategy.Received) { panic("received") },
			}
			r, addrs := newBalanceRoom(t), balanceCluster(t)
			a := r.join(addrs, "a", consumer.BalanceStrategy(bad), "t")
			r.settle(12)
			r.join(addrs, "b", consumer.BalanceStrategy(bad), "t")
			if name == "eager" { // in a cooperative group everything has an owner, and the last resort moves nothing
				r.settle(6, 6)
			}
			a.leave()
			if held := r.settle(12); len(held["b"]) != 12 {
				t.Errorf("a has left, and b holds %v", held)
			}
			for _, said := range []string{"cause=panic", "in=UserData", "in=OnAssignment"} {
				if !strings.Contains(log(), said) {
					t.Errorf("nothing is logged with %s", said)
				}
			}
		})
	}
}
