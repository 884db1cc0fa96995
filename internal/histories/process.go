package histories

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/assignkit/assignkit/internal/handover"
	"github.com/assignkit/assignkit/internal/membership"
	"github.com/assignkit/assignkit/internal/protocol"
	rangeassign "github.com/assignkit/assignkit/strategies/range"
	"github.com/assignkit/assignkit/strategies/sticky"
	"github.com/assignkit/assignkit/strategy"
)

// A Process is a client: a member and the application around it.
type Process struct {
	Name     string
	Instance string
	Machine  *membership.Machine

	w              *World
	spec           Spec
	alive          bool
	draining       bool
	leftAt         time.Duration // when it was told to leave, 0 if it was not
	plans          int
	topics         []string                   // that it subscribes to
	told           []strategy.TopicPartitions // to be coming, in the generation toldIn
	toldIn         int32
	knows          []membership.TopicCount // as it saw them last
	ended          *membership.End
	paused         time.Duration // until then
	cutFrom, cutTo time.Duration // nothing reaches it or comes from it in between
	lanes          [3]*conn
	wakeAt         time.Duration
	app            application
}

// An own assignor is eager and not Java's: what members had before they gave it up it learns from this project's user data.
type own struct{ strategy.Assignor }

func (o own) Name() string { return "own-" + o.Assignor.Name() }

// assignors are those that processes may offer.
var assignors = func() map[string]strategy.Assignor {
	all := map[string]strategy.Assignor{}
	for _, a := range []strategy.Assignor{strategy.Cooperative(sticky.Assignor{}), sticky.Assignor{}, rangeassign.Assignor{Even: true},
		strategy.Cooperative(rangeassign.Assignor{Even: true}), own{sticky.Assignor{}}} {
		all[a.Name()] = a
	}
	return all
}()

// Launch starts a process.
func (w *World) Launch(s Spec) *Process {
	cfg := s.config()
	if f := w.opts.Faulty.Member; f != nil {
		f(&cfg)
	}
	m, err := membership.New(cfg)
	if err != nil {
		panic(err)
	}
	p := &Process{Name: s.Name, Instance: s.Instance, Machine: m, w: w, spec: s, alive: true, wakeAt: membership.Never}
	p.app.init(p)
	w.procs = append(w.procs, p)
	w.note("%s starts", p.Name)
	p.subscribe(s.Topics)
	p.refresh()
	if s.Drain {
		p.Drain()
	}
	p.step(membership.Start{})
	p.app.work()
	return p
}

func (p *Process) subscribe(topics []string) {
	p.spec.Topics = topics
	if len(topics) == 0 {
		topics = p.w.names()
	}
	p.topics = topics
	p.step(membership.Subscribe{Topics: topics})
}

// Kill ends a process without a word.
func (p *Process) Kill() {
	p.w.note("%s is killed", p.Name)
	p.alive = false
	for _, c := range p.lanes {
		if c != nil {
			c.broken = true
		}
	}
	p.lanes = [3]*conn{}
}

// Pause stops the whole process for a while, as a debugger or a long collection does.
func (p *Process) Pause(d time.Duration) {
	p.w.note("%s stands still for %v", p.Name, d)
	p.paused = p.w.now + d
}

// Cut loses all that the process sends or is sent for a while, without anybody being told.
func (p *Process) Cut(d time.Duration) {
	p.w.note("%s is cut off for %v", p.Name, d)
	p.cutFrom, p.cutTo = p.w.now, p.w.now+d
	for _, c := range p.lanes {
		if c != nil {
			c.broken = true
		}
	}
}

// whenAwake does something now, or when the process goes on.
func (p *Process) whenAwake(do func()) {
	switch {
	case !p.alive:
	case p.w.now < p.paused:
		p.w.at(p.paused, func() { p.whenAwake(do) })
	default:
		do()
	}
}

// step is the driver: it steps the machine and carries out what it says.
func (p *Process) step(in membership.Input) {
	if !p.alive {
		return
	}
	w := p.w
	before := p.Machine.State()
	out := p.Machine.Step(w.now, in)
	if w.opts.Verbose {
		for _, line := range membership.DescribeOutput(&out) {
			if line[:min(len(line), 14)] != "send Heartbeat" {
				w.note("%s: %s", p.Name, line)
			}
		}
		if after := p.Machine.State(); after != before {
			w.note("%s is %v", p.Name, after)
		}
	}
	for _, lane := range out.Close {
		if c := p.lanes[lane]; c != nil {
			c.broken = true
			p.lanes[lane] = nil
		}
	}
	if out.Refused != nil {
		p.draining, p.spec.Drain = false, false
	}
	if out.Assigned != nil {
		p.received(out.Assigned)
	}
	p.app.take(&out)
	if out.Compute != nil {
		compute := *out.Compute
		takes := w.delay()
		if p.plans++; p.plans == 1 {
			takes += p.spec.Plan
		}
		w.at(w.now+takes, func() { p.whenAwake(func() { p.step(p.plan(&compute)) }) })
	}
	for _, r := range out.Requests {
		w.send(p, r)
	}
	if out.Ended != nil {
		p.ended, p.alive = out.Ended, false
	}
	p.sleep(out.Wake)
}

func (p *Process) sleep(until time.Duration) {
	if until == membership.Never || p.wakeAt > p.w.now && p.wakeAt <= until {
		return
	}
	if until <= p.w.now && p.alive {
		p.w.fault("%s wants to be woken at %v, in the past: %s", p.Name, until, p.Machine.Describe())
		return
	}
	p.wakeAt = until
	p.w.at(until, func() {
		p.whenAwake(func() {
			if p.wakeAt == until {
				p.wakeAt = membership.Never
				p.step(membership.Tick{})
			}
		})
	})
}

// refresh has the process look at the topics now and then.
func (p *Process) refresh() {
	p.knows = p.w.counts()
	p.step(membership.Metadata{Topics: p.knows})
	p.w.at(p.w.now+cmp.Or(p.spec.Looks, 500*time.Millisecond)+p.w.delay(), func() { p.whenAwake(p.refresh) })
}

var (
	errNoAssignor = errors.New("no such assignor")
	errPlan       = errors.New("no plan")
)

// plan is what a leader's assignor answers, by what the process knows of topics.
func (p *Process) plan(c *membership.Compute) membership.Computed {
	counts := p.knows
	in := membership.Computed{Generation: c.Generation, Topics: counts}
	if p.spec.FailPlan {
		in.Err = errPlan
		return in
	}
	a, ok := assignors[c.Protocol]
	if !ok {
		in.Err = fmt.Errorf("%w: %q", errNoAssignor, c.Protocol)
		return in
	}
	topics := describeTopics(counts)
	join := protocol.DecodeJoin(c.Protocol, c.Members)
	group := join.Group(groupName, c.Generation, c.Leader, topics)
	answer, err := a.Assign(context.Background(), group)
	in.Withheld = answer.Withholds()
	if err == nil {
		if err := p.w.promises.planned(p.w, group, &answer); err != nil && !p.w.opts.Lies {
			p.w.fault("%v", err)
		}
		var hints map[string]protocol.UserData
		if p.spec.HandOver {
			hints = handover.Announce(join, group, &answer, handover.Timing{Heartbeat: p.spec.config().Heartbeat + 100*time.Millisecond})
		}
		if p.w.lying && p.w.rng.IntN(2) == 0 {
			hints = p.w.lieOfRounds(join, hints)
		}
		in.Assignments, err = join.EncodeAssignments(c.Generation, &answer, hints)
	}
	in.Err = err
	return in
}

// reads are the topics that the group knows the process to subscribe to.
func (p *Process) reads() []string {
	if p.spec.Garbage {
		return nil
	}
	return p.topics
}

// Drain has the process give its partitions to others.
func (p *Process) Drain() {
	p.draining, p.spec.Drain = true, true
	p.whenAwake(func() { p.step(membership.Drain{}) })
}
