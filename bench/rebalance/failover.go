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
	failoverName    = "coordinator"
	failoverBrokers = 3
	failoverTitle   = "the group's coordinator is killed, one of three brokers; it leads no partition that is read"
)

// A trio is three brokers, one of which may have been killed.
type trio struct {
	*kafkatest.Cluster
	down bool
	dead int
}

// kill kills one.
func (t *trio) kill(id int) {
	t.Kill(id)
	t.down, t.dead = true, id
}

// revive has the dead one come back and catch up, so that the next coordinator's end loses no offsets.
func (t *trio) revive(ctx context.Context, s settings) error {
	if !t.down {
		return nil
	}
	t.Restart(t.dead)
	t.down = false
	g, err := openStage(ctx, t.Addrs(), nil, "", s)
	if err != nil {
		return err
	}
	defer g.close()
	return g.until("every broker has all offsets", g.replicated)
}

// replicated reports whether that is so.
func (g *stage) replicated() bool {
	topics, err := g.admin.DescribeTopics([]string{"__consumer_offsets"})
	if err != nil || len(topics) != 1 {
		return false
	}
	for _, p := range topics[0].Partitions {
		if len(p.Isr) != len(g.brokers) {
			return false
		}
	}
	return true
}

// failover runs it once: two members, whose coordinator is killed.
func failover(ctx context.Context, t *trio, c *client, how commits, s settings, run int) (Run, error) {
	if err := t.revive(ctx, s); err != nil {
		return Run{}, err
	}
	g, err := openStage(ctx, t.Addrs(), c, how, s)
	if err != nil {
		return Run{}, err
	}
	defer g.close()
	victim, err := g.createApart()
	if err != nil {
		return Run{}, err
	}
	if err := g.start("a", "b"); err != nil {
		return Run{}, err
	}
	if err := g.ready(run); err != nil {
		return Run{}, err
	}
	if now, err := g.coordinator(); err != nil || now != victim {
		return Run{}, errors.Join(err, fmt.Errorf("the coordinator was broker %d and is %d", victim, now))
	}
	return g.bereave(t, int(victim))
}

// bereave kills the coordinator and returns what the members noticed.
func (g *stage) bereave(t *trio, victim int) (Run, error) {
	seen := &Failover{}
	before := g.journal.counters()
	err := g.watch(func() error {
		t.kill(victim)
		killed := time.Now()
		err := g.commitsAgain()
		seen.Away = time.Since(killed)
		return err
	})
	if err != nil {
		return Run{}, err
	}
	after := g.journal.counters()
	r, err := g.finish()
	if err != nil {
		return Run{}, err
	}
	seen.Callbacks, seen.Before, seen.After = after.callbacks-before.callbacks, before.generation, after.generation
	failures := g.journal.counters().failures[len(before.failures):]
	seen.Failed, seen.Failures = len(failures), texts(failures)
	r.Coordinator = seen
	return r, nil
}

// createApart creates the topic on the two brokers that do not coordinate the group, and returns the one that does.
func (g *stage) createApart() (coordinator int32, err error) {
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

// texts are errors without those that read the same, the first few.
func texts(errs []error) []string {
	const most = 10
	var list []string
	for _, err := range errs {
		if text := err.Error(); !slices.Contains(list, text) && len(list) < most {
			list = append(list, text)
		}
	}
	return list
}
