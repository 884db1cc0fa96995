package consumer

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/signals"
	"github.com/assignkit/assignkit/strategy"
)

// assigned says how the group is assigned: by this member's plan, or by another's, nil. One that withholds partitions is followed by
// another plan.
func (m *measures) assigned(p *plan) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.trying()
	m.settled, m.round = nil, nil
	m.trigger.Settled()
	switch {
	case p == nil || len(p.looksAt) == 0:
	case p.assignment.Withholds():
		m.round = p.known
	default:
		m.settled = p
	}
}

// try has the assignor decide about the group as it is, by what was just measured, and asks for a rebalance if that moves something, as
// [Signals] says. Nothing is tried while less is known than when the group was assigned: what an assignor makes of that says nothing about
// the group.
func (m *measures) try(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, m.driver.cfg.AssignTimeout)
	defer cancel()
	m.mu.Lock()
	was := m.settled
	if was == nil || m.cfg.HoldDown < 0 {
		m.mu.Unlock()
		return
	}
	g := was.next(time.Now())
	missing := m.store.Apply(m.driver.now(), g)
	m.trying = cancel
	m.mu.Unlock()
	if signals.Worse(missing, was.missing) {
		return
	}
	answer, failures, err := m.ask(ctx, was, g)
	m.failed(was, failures)
	if ctx.Err() != nil || err != nil || len(failures) != len(was.failures) {
		return
	}
	moved := moves(&was.assignment, &answer)
	m.mu.Lock()
	ask := m.settled == was && m.trigger.Tried(m.driver.now(), moved > 0, meant(was.group, g))
	m.mu.Unlock()
	if ask {
		reason := fmt.Sprintf("by %s, %d partitions are to move", strings.Join(was.looksAt, ", "), moved)
		m.driver.post(func() { m.driver.askRebalance(was.group.Generation, reason) })
	}
}

// ask has an assignor decide, and nobody told what goes wrong: a plan will tell.
func (m *measures) ask(ctx context.Context, was *plan, g *strategy.Group) (answer strategy.Assignment, failures []strategy.Failure, err error) {
	quiet := *was.assignor
	quiet.Logger = slog.New(slog.DiscardHandler)
	quiet.OnFailure = func(f strategy.Failure) { failures = append(failures, f) }
	answer, err = quiet.Assign(ctx, g)
	return answer, failures, err
}

// failed notes assignors that could not decide. One that does not return is not tried again with this assignment, as each time may cost a
// goroutine, although another decides in its place.
func (m *measures) failed(was *plan, failures []strategy.Failure) {
	hangs := slices.ContainsFunc(failures, func(f strategy.Failure) bool { return f.Cause == strategy.CauseDeadline })
	m.mu.Lock()
	defer m.mu.Unlock()
	if hangs && m.settled == was {
		m.settled = nil
	}
}

// askRebalance asks the group for a rebalance, if it is still at peace in this generation. It is called on the driver's goroutine.
func (d *driver) askRebalance(generation int32, reason string) {
	if _, now := d.identity(); now != generation || d.machine.State() != membership.Stable || d.leaving.Load() {
		return
	}
	d.step(membership.Rejoin{Reason: reason, Cause: membership.SignalsChanged})
}

// next is the group as it is when a plan has been carried out: without signals, and with everybody's claims.
func (p *plan) next(now time.Time) *strategy.Group {
	g := &strategy.Group{
		Name: p.group.Name, Generation: p.group.Generation + 1, Leader: p.group.Leader, Topics: slices.Clone(p.group.Topics), Members: slices.Clone(p.group.Members),
	}
	for i := range g.Members {
		m := &g.Members[i]
		m.Owned, m.Generation, m.Releasing, m.Expecting = p.assignment.Members[m.ID], p.group.Generation, nil, nil
	}
	p.tellUptimes(g, now)
	return g
}

// tellUptimes sets how long members have been running, if they say since when. Clocks differ: one that is ahead of the leader's has begun just
// now.
func (p *plan) tellUptimes(g *strategy.Group, now time.Time) {
	for i, at := range p.started {
		if !at.IsZero() {
			g.Members[i].Uptime = max(time.Millisecond, now.Sub(at))
		}
	}
}

// silent lists members that do not say since when they run.
func (p *plan) silent() (ids []string) {
	for i, at := range p.started {
		if at.IsZero() {
			ids = append(ids, p.group.Members[i].ID)
		}
	}
	return ids
}

// meant says whether a change is not one of numbers that go up and down.
func meant(was, is *strategy.Group) bool {
	for i := range is.Topics {
		if !slices.Equal(is.Topics[i].Signals[strategy.SignalActive], was.Topics[i].Signals[strategy.SignalActive]) {
			return true
		}
	}
	return false
}

// moves counts partitions that are not with the member that has them, withheld ones too, or that come from nobody.
func moves(was, is *strategy.Assignment) int {
	gained, lost := 0, 0
	each := func(a, b *strategy.Assignment, count func()) { // partitions of a that the same member does not have by b
		for id, list := range a.Members {
			other := b.Members[id]
			if slices.EqualFunc(list, other, strategy.TopicPartitions.Equal) {
				continue
			}
			has := map[strategy.TopicPartition]bool{}
			for _, tp := range other {
				for _, n := range tp.Partitions {
					has[strategy.TopicPartition{Topic: tp.Topic, Partition: n}] = true
				}
			}
			for _, tp := range list {
				for _, n := range tp.Partitions {
					if !has[strategy.TopicPartition{Topic: tp.Topic, Partition: n}] {
						count()
					}
				}
			}
		}
	}
	each(was, is, func() { lost++ })
	each(is, was, func() { gained++ })
	return max(gained, lost)
}
