package consumer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assignkit/assignkit/internal/handover"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/internal/signals"
	"github.com/assignkit/assignkit/strategy"
)

// A planner has the group's assignors at work: what they say when the member joins, what they decide when it leads, and what they are told.
type planner struct {
	driver    *driver
	assignors map[string]*strategy.FallbackAssignor // by name on the wire
}

func newPlanner(d *driver) *planner {
	p := &planner{driver: d, assignors: map[string]*strategy.FallbackAssignor{}}
	for _, a := range d.cfg.Assignors {
		f, ok := a.(*strategy.FallbackAssignor)
		if !ok {
			f = strategy.Fallback(a)
			f.Timeout = d.cfg.AssignTimeout
		}
		own := *f
		if own.Logger == nil {
			own.Logger = d.cfg.Logger
		}
		p.assignors[a.Name()] = &own
	}
	return p
}

// userData is what assignors send along with the subscription. One that fails sends nothing: a join does not fail for it. It is one of the
// [asides].
func (p *planner) userData() map[string][]byte {
	user := map[string][]byte{}
	for _, a := range p.driver.cfg.Assignors {
		p.guard("user data of an assignor", a.Name(), func() (err error) {
			user[a.Name()], err = strategy.UserDataFor(a, p.driver.cfg.Topics)
			return err
		})
	}
	return user
}

// uptime names the assignors that look at how long members have been running. It is one of the [asides].
func (p *planner) uptime() (names []string) {
	for _, a := range p.driver.cfg.Assignors {
		if slices.Contains(p.driver.measures.looksAt(a), strategy.SignalUptime) {
			names = append(names, a.Name())
		}
	}
	return names
}

// received tells the assignor that decided what it gave the member. It is one of the [asides].
func (p *planner) received(a *membership.Assigned, member string) {
	assignor := p.assignors[a.Protocol]
	if assignor == nil {
		return
	}
	own := a.UserData
	if data, ours, err := protocol.DecodeUserData(a.UserData); err != nil {
		p.driver.log.Warn("the assignment's user data makes no sense", "error", err)
		own = nil
	} else if ours {
		own = data.Assignor
	}
	p.guard("notifying an assignor", a.Protocol, func() error {
		strategy.Notify(assignor, strategy.Received{Group: p.driver.cfg.Group, Generation: a.Generation, Member: member, Partitions: strategy.ByTopic(a.Partitions), UserData: own})
		return nil
	})
}

// guard calls into an assignor, and logs what goes wrong there, panics too.
func (p *planner) guard(what, assignor string, f func() error) {
	if err := enterCode(f); err != nil {
		p.driver.log.Error(what+" failed", "assignor", assignor, "error", err)
	}
}

// A plan is what the leader decided, and from what.
type plan struct {
	group      *strategy.Group
	assignment strategy.Assignment
	took       time.Duration
	failures   []strategy.Failure // of the assignors that were asked before the one that decided
	decided    string             // as it was specified, or its name

	assignor *strategy.FallbackAssignor // that was asked
	started  []time.Time                // when each of the group's members began, zero if it does not say
	looksAt  []string                   // signals, by name
	missing  []signals.Missing
	known    *known // what it was made by
}

// ask has an assignor decide.
func (p *plan) ask(ctx context.Context, a *strategy.FallbackAssignor, failed func(strategy.Failure)) (err error) {
	own := *a
	own.OnFailure = func(f strategy.Failure) {
		p.failures = append(p.failures, f)
		failed(f)
		if a.OnFailure != nil {
			a.OnFailure(f)
		}
	}
	began := time.Now()
	p.assignment, err = own.Assign(ctx, p.group)
	p.took = time.Since(began)
	switch n := len(p.failures); {
	case n == 0:
		p.decided = specOf(a.First)
	case n <= len(a.Then):
		p.decided = specOf(a.Then[n-1])
	default:
		p.decided = p.failures[n-1].Next
	}
	return err
}

// A Specified is an optional interface of an assignor that was made of a specification, see [strategy.Parse]. It is recorded where
// [Config.Trace] is wanted; without it, the assignor's name is.
type Specified interface{ Spec() string }

func specOf(a strategy.Assignor) string {
	if s, ok := strategy.As[Specified](a); ok {
		return s.Spec()
	}
	return a.Name()
}

// compute makes a plan, on a goroutine of its own, and sends it.
func (d *driver) compute(c *membership.Compute) {
	ctx, cancel := context.WithTimeout(d.last, d.cfg.AssignTimeout+d.cfg.Signals.Timeout+lookTime)
	go func() {
		defer cancel()
		computed, made := d.plans.make(ctx, c)
		d.post(func() {
			d.rebalances.planned(made)
			d.step(computed)
		})
	}()
}

func (p *planner) make(ctx context.Context, c *membership.Compute) (computed membership.Computed, made *plan) {
	computed = membership.Computed{Generation: c.Generation}
	assignor := p.assignors[c.Protocol]
	if assignor == nil {
		computed.Err = fmt.Errorf("consumer: the group chose assignor %q, which this member has not offered", c.Protocol)
		return computed, nil
	}
	join := protocol.DecodeJoin(c.Protocol, c.Members)
	for _, r := range join.Remarks {
		p.driver.log.Warn("a member's metadata is odd", "remark", r.String())
	}
	topics := p.driver.topics.forPlan(ctx, join.Topics)
	for _, t := range topics {
		computed.Topics = append(computed.Topics, membership.TopicCount{Topic: t.Name, Partitions: t.Partitions})
	}
	made = &plan{group: join.Group(p.driver.cfg.Group, c.Generation, c.Leader, topics), assignor: assignor, started: join.Started}
	p.driver.measures.forPlan(ctx, assignor, made)
	ctx, cancel := context.WithTimeout(ctx, p.driver.cfg.AssignTimeout)
	defer cancel()
	computed.Err = made.ask(ctx, assignor, func(f strategy.Failure) { p.driver.observeQuietly(AssignorFailed{Failure: f}) })
	if computed.Err != nil {
		computed.Err = fmt.Errorf("consumer: the group cannot be assigned: %w", computed.Err)
		return computed, nil
	}
	computed.Withheld = made.assignment.Withholds()
	computed.Assignments, computed.Err = join.EncodeAssignments(c.Generation, &made.assignment, p.announce(join, made))
	return computed, made
}

// announce is what members are told about the round that follows.
func (p *planner) announce(join *protocol.Join, made *plan) map[string]protocol.UserData {
	h := &p.driver.cfg.HandOver
	if h.Off {
		return nil
	}
	return handover.Announce(join, made.group, &made.assignment, handover.Timing{After: h.After, Grace: h.Grace})
}
