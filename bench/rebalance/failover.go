package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/assignkit/assignkit/internal/kafkatest"
)

// failoverName is the scenario of three brokers.
const (
	failoverName  = "coordinator"
	failoverTitle = "the group's coordinator is killed, one of three brokers; it leads no partition that is read"
)

// failover runs it once: two members, whose coordinator is killed. In the end the broker is back.
func failover(ctx context.Context, cluster *kafkatest.Cluster, c *client, how commits, s settings, run int) (Run, error) {
	g, err := openStage(ctx, cluster.Addrs(), c, how, s)
	if err != nil {
		return Run{}, err
	}
	defer g.close()
	killed, err := g.stageApart()
	if err != nil {
		return Run{}, err
	}
	if err := g.start("a", "b"); err != nil {
		return Run{}, err
	}
	if err := g.ready(run); err != nil {
		return Run{}, err
	}
	if now, err := g.coordinator(); err != nil || now != killed {
		return Run{}, errors.Join(err, fmt.Errorf("the coordinator was broker %d and is %d", killed, now))
	}
	seen := &Failover{}
	before := g.journal.counters()
	err = g.watch(func() error {
		cluster.Kill(int(killed))
		started := time.Now()
		err := g.commitsAgain()
		seen.Away = time.Since(started)
		return err
	})
	after := g.journal.counters()
	var r Run
	if err == nil {
		r, err = g.finish()
	}
	seen.Callbacks, seen.Before, seen.After = after.callbacks-before.callbacks, before.generation, after.generation
	failures := g.journal.counters().failures[len(before.failures):]
	seen.Failed, seen.Failures = len(failures), texts(failures)
	r.Coordinator = seen
	g.close()
	cluster.Restart(int(killed))
	return r, errors.Join(err, g.replicated())
}

// stageApart creates the topic on the two brokers that do not coordinate the group, and returns the one that does.
func (g *stage) stageApart() (coordinator int32, err error) {
	if err = g.until("the group has a coordinator", func() bool {
		coordinator, err = g.coordinator()
		return err == nil
	}); err != nil {
		return 0, err
	}
	others := slices.DeleteFunc([]int32{0, 1, 2}, func(id int32) bool { return id == coordinator })
	replicas := make(map[int32][]int32, g.settings.Partitions)
	for p := range g.settings.Partitions {
		replicas[p] = []int32{others[p%2], others[(p+1)%2]}
	}
	return coordinator, g.create(replicas)
}

// coordinator asks who it is. The first that is asked creates the topic of offsets.
func (g *stage) coordinator() (int32, error) {
	if err := g.kafka.RefreshCoordinator(g.topic); err != nil {
		return 0, err
	}
	broker, err := g.kafka.Coordinator(g.topic)
	if err != nil {
		return 0, err
	}
	return broker.ID(), nil
}

// commitsAgain waits until the successor has what was delivered a second after the coordinator's end.
func (g *stage) commitsAgain() error {
	if err := g.sleep(time.Second); err != nil {
		return err
	}
	want := g.journal.positions()
	return g.until("commits reach a new coordinator", func() bool {
		got, err := g.committed()
		return err == nil && slices.Equal(want, lower(want, got))
	})
}

// lower has of each two numbers the lower.
func lower(a, b []int64) []int64 {
	list := slices.Clone(a)
	for i := range list {
		list[i] = min(list[i], b[i])
	}
	return list
}

// replicated waits until every broker has all offsets again, so that the next coordinator's end loses none.
func (g *stage) replicated() error {
	kafka, err := openStage(g.ctx, g.brokers, g.client, g.commits, g.settings)
	if err != nil {
		return err
	}
	defer kafka.close()
	return kafka.until("offsets are replicated", func() bool {
		topics, err := kafka.admin.DescribeTopics([]string{"__consumer_offsets"})
		if err != nil || len(topics) != 1 {
			return false
		}
		for _, p := range topics[0].Partitions {
			if len(p.Isr) != len(g.brokers) {
				return false
			}
		}
		return true
	})
}

// texts are errors without those that read the same.
func texts(errs []error) []string {
	var list []string
	for _, err := range errs {
		if text := err.Error(); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}
