package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/strategy"
)

// assignkitClient is this project's consumer, as it comes: cooperative and sticky.
func assignkitClient() client {
	return client{ours, []commits{commitAuto, commitAsync, commitSync}, startAssignkit}
}

func startAssignkit(_ context.Context, m *member) (running, error) {
	conf := consumer.Config{
		Brokers: m.brokers, Group: m.group, Topics: []string{m.topic}, InstanceID: m.instance, HeartbeatInterval: m.heartbeat,
		Callbacks: assignkitCallbacks(m), Observer: assignkitObserver(m), Logger: slog.New(slog.DiscardHandler),
	}
	if m.commits == commitAsync {
		conf.Commits = consumer.CommitManual
	}
	c, err := consumer.New(conf)
	if err != nil {
		return running{}, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := c.Run(context.Background(), assignkitHandler(c, m)); err != nil {
			m.fail(err)
		}
	}()
	stop := func() error {
		err := c.Close()
		<-done
		return err
	}
	return running{stop, c.Drain}, nil
}

func assignkitHandler(c *consumer.Consumer, m *member) consumer.Handler {
	return func(ctx context.Context, r *consumer.Message) error {
		m.deliver(r.Partition, r.Offset)
		switch {
		case m.commits == commitAsync:
			m.committing()
			c.CommitAsync(map[strategy.TopicPartition]callbacks.Offset{r.At(): {Offset: r.Offset + 1}}, m.committed)
		case m.commits == commitSync && r.Partition == syncPartition:
			m.committing()
			m.committed(r.Commit(ctx))
		}
		return nil // the record is processed, whatever became of the commit
	}
}

func assignkitCallbacks(m *member) callbacks.Callbacks {
	return callbacks.Funcs{
		OnAssign: func(_ context.Context, a *callbacks.Assignment) error {
			m.assign(numbers(a.Added)...)
			return nil
		},
		OnRevoke: func(ctx context.Context, r *callbacks.Revocation) error {
			var err error
			if m.commits == commitAsync && len(r.Positions) > 0 {
				offsets := make(map[strategy.TopicPartition]callbacks.Offset, len(r.Positions))
				for p, next := range r.Positions {
					offsets[p] = callbacks.Offset{Offset: next}
				}
				err = r.Commit(ctx, offsets)
			}
			m.revoke(numbers(r.Removed)...)
			return err
		},
		OnLost: func(_ context.Context, l *callbacks.Loss) error {
			m.gone(numbers(l.Removed)...)
			return nil
		},
	}
}

func assignkitObserver(m *member) consumer.Observer {
	return consumer.ObserverFunc(func(e consumer.Event) {
		switch e := e.(type) {
		case consumer.RebalanceEnded:
			m.generation(e.Generation)
			m.leads(e.Leader)
		case consumer.CommitFailed:
			if m.commits == commitAuto {
				m.commitFailed(e.Err)
			}
		case consumer.HandlerFailed:
			m.fail(errors.New("a handler failed that cannot"))
		}
	})
}

// numbers are the partitions of the only topic.
func numbers(list []strategy.TopicPartitions) []int32 {
	var partitions []int32
	for _, tp := range list {
		partitions = append(partitions, tp.Partitions...)
	}
	return partitions
}
