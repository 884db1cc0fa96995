package histories

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assignkit/assignkit/internal/coordinator"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/strategy"
)

// Unsettled says what is still to be done until the group is as it should be, or "": the coordinator serves, every living member is stable
// and agrees with it, every partition is delivered to exactly one of them, and all have just what the assignor says.
func (w *World) Unsettled() string {
	m := w.coordinator()
	if m == nil || m.Phase() != coordinator.Ready {
		return "no coordinator"
	}
	state, generation, members := m.State(groupName)
	alive := w.living()
	if len(alive) == 0 {
		if members > 0 {
			return fmt.Sprintf("%d members that are gone", members)
		}
		return ""
	}
	if state != coordinator.Stable || members != len(alive) {
		return fmt.Sprintf("the group is %v with %d members, %d live", state, members, len(alive))
	}
	owner := map[strategy.TopicPartition]*Process{}
	for _, p := range alive {
		if p.Machine.State() != membership.Stable || p.Machine.Generation() != generation || p.app.running != nil || w.now < p.paused {
			return fmt.Sprintf("%s is %s", p.Name, p.Machine.Describe())
		}
		for _, tp := range p.Machine.Owned() {
			if other := owner[tp]; other != nil {
				return fmt.Sprintf("%s-%d is delivered to %s and %s", tp.Topic, tp.Partition, other.Name, p.Name)
			}
			if !p.app.delivered[tp] {
				return fmt.Sprintf("%s does not deliver %s-%d", p.Name, tp.Topic, tp.Partition)
			}
			owner[tp] = p
			if why := p.app.misses(tp); why != "" {
				return why
			}
		}
	}
	for _, tp := range w.partitions() {
		read := slices.ContainsFunc(alive, func(p *Process) bool { return slices.Contains(p.reads(), tp.Topic) })
		if owner[tp] == nil && read {
			return fmt.Sprintf("nobody works on %s-%d", tp.Topic, tp.Partition)
		}
	}
	return w.disagrees(m, alive)
}

// disagrees compares what members have with what the assignor says now, given their present claims.
func (w *World) disagrees(m *coordinator.Machine, alive []*Process) string {
	a := assignors[m.Protocol(groupName)]
	g := &strategy.Group{Name: groupName, Topics: describeTopics(w.counts())}
	for _, p := range alive {
		id, generation, _ := p.Machine.Identity()
		g.Members = append(g.Members, strategy.Member{ID: id, InstanceID: p.Instance, Rack: p.spec.Rack, Topics: p.reads(), Draining: p.draining,
			Owned: p.Machine.Claims(), Generation: generation})
	}
	answer, err := a.Assign(context.Background(), g)
	if err != nil {
		return err.Error()
	}
	for _, p := range alive {
		id, _, _ := p.Machine.Identity()
		if got, want := p.Machine.Claims(), answer.Members[id]; !slices.EqualFunc(got, want, strategy.TopicPartitions.Equal) {
			return fmt.Sprintf("%s has %v, the assignor says %v", p.Name, got, want)
		}
	}
	return ""
}

// living are the processes that live.
func (w *World) living() []*Process {
	var out []*Process
	for _, p := range w.procs {
		if p.alive {
			out = append(out, p)
		}
	}
	return out
}

// Settle lets time pass until the group is settled and has stayed so for a moment, within a bound.
func (w *World) Settle(within time.Duration) {
	const step, calm = 250 * time.Millisecond, 4
	for end, quiet := w.now+within, 0; quiet < calm; {
		if w.Unsettled() == "" {
			quiet++
		} else if quiet = 0; w.now >= end {
			w.fault("not settled within %v: %s", within, w.Unsettled())
		}
		if len(w.faults) > 0 {
			return
		}
		w.Run(w.now + step)
	}
}
