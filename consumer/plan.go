package consumer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/protocol"
	"github.com/assignkit/assignkit/strategy"
)

// A planner has the group's assignors at work: what they say when the member joins, what they decide when it leads, and what they are told.
type planner struct {
	driver    *driver
	assignors map[string]strategy.Assignor // by name on the wire
}

func newPlanner(d *driver) *planner {
	p := &planner{driver: d, assignors: map[string]strategy.Assignor{}}
	for _, a := range d.cfg.Assignors {
		f, ok := a.(*strategy.FallbackAssignor)
		if !ok {
			f = strategy.Fallback(a)
			f.Timeout, f.Logger = d.cfg.AssignTimeout, d.log
			f.OnFailure = func(failure strategy.Failure) { d.observeQuietly(AssignorFailed{Failure: failure}) }
		}
		p.assignors[a.Name()] = f
	}
	return p
}

// userData is what assignors send along with the subscription. One that fails sends nothing: a join does not fail for it.
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

// received tells the assignor that decided what it gave the member.
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
	err := func() (err error) {
		defer recovered(&err)
		return f()
	}()
	if err != nil {
		p.driver.log.Error(what+" failed", "assignor", assignor, "error", err)
	}
}

// A plan is what the leader decided, and from what.
type plan struct {
	group      *strategy.Group
	assignment strategy.Assignment
	took       time.Duration
}

// compute makes a plan, on a goroutine of its own, and sends it.
func (d *driver) compute(c *membership.Compute) {
	ctx, cancel := context.WithTimeout(d.last, d.cfg.AssignTimeout+lookTime)
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
	made = &plan{group: join.Group(p.driver.cfg.Group, c.Generation, c.Leader, topics)}
	began := time.Now()
	made.assignment, computed.Err = assignor.Assign(ctx, made.group)
	made.took = time.Since(began)
	if computed.Err != nil {
		computed.Err = fmt.Errorf("consumer: the group cannot be assigned: %w", computed.Err)
		return computed, nil
	}
	computed.Withheld = slices.ContainsFunc(made.assignment.Unassigned, func(u strategy.Unassigned) bool { return u.Reason == strategy.Withheld })
	computed.Assignments, computed.Err = join.EncodeAssignments(c.Generation, &made.assignment, nil)
	return computed, made
}
