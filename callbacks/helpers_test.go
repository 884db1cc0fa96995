package callbacks_test

import (
	"context"
	"strings"
	"sync"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/strategy"
)

// orders lists partitions of the topic orders.
func orders(partitions ...int32) []strategy.TopicPartitions {
	if len(partitions) == 0 {
		return nil
	}
	return []strategy.TopicPartitions{{Topic: "orders", Partitions: partitions}}
}

// order is one partition of the topic orders.
func order(p int32) strategy.TopicPartition {
	return strategy.TopicPartition{Topic: "orders", Partition: p}
}

func billing(current ...int32) callbacks.Event {
	return callbacks.Event{Group: "billing", Member: "billing-1", Generation: 7, Current: orders(current...)}
}

func assignment(added ...int32) *callbacks.Assignment {
	return &callbacks.Assignment{Event: billing(added...), Added: orders(added...)}
}

func revocation(removed ...int32) *callbacks.Revocation {
	return &callbacks.Revocation{Event: billing(), Removed: orders(removed...)}
}

func loss(removed ...int32) *callbacks.Loss {
	return &callbacks.Loss{Event: billing(), Removed: orders(removed...), Reason: callbacks.LossExpired}
}

// A journal takes down what happened, in order.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Join(j.lines, " ")
}

// named writes "NAME+", "NAME-" and "NAME!" into the journal and returns err, or panics with it.
func (j *journal) named(name string, err error, panics bool) callbacks.Callbacks {
	say := func(sign string) error {
		j.add(name + sign)
		if panics {
			panic(err)
		}
		return err
	}
	return callbacks.Funcs{
		OnAssign: func(context.Context, *callbacks.Assignment) error { return say("+") },
		OnRevoke: func(context.Context, *callbacks.Revocation) error { return say("-") },
		OnLost:   func(context.Context, *callbacks.Loss) error { return say("!") },
	}
}

// three calls all callbacks and returns their errors.
func three(ctx context.Context, cb callbacks.Callbacks) []error {
	return []error{cb.Assigned(ctx, assignment(1)), cb.Revoked(ctx, revocation(1)), cb.Lost(ctx, loss(1))}
}
