package consumertest

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/assignkit/assignkit/callbacks"
	"github.com/assignkit/assignkit/consumer"
	"github.com/assignkit/assignkit/strategy"
)

// A checker has many histories, each with a subject of its own.
type checker struct {
	CallbackOptions
	newSubject func(h *Host) Subject
	hangs      int
	found      map[string][]*Fault // by rule, the first ones
	more       map[string]int      // faults besides
}

const (
	maxFaults = 3 // that are told for a rule: what is wrong is mostly wrong in most sequences
	maxHangs  = 2 // calls that did not return, before no others are made
)

func newChecker(o CallbackOptions, newSubject func(h *Host) Subject) *checker {
	if o.Patience <= 0 {
		o.Patience = 5 * time.Second
	}
	if len(o.Topics) == 0 {
		o.Topics = []string{"orders", "payments"}
	}
	return &checker{CallbackOptions: o, newSubject: newSubject, found: map[string][]*Fault{}, more: map[string]int{}}
}

// all returns what is wrong, by rule.
func (c *checker) all() map[string][]*Fault {
	for steps := range sequences(c.Topics, c.Seed) {
		h := &history{
			checker: c, host: newHost(c.Commits), patience: c.Patience, mayFail: c.MayFail, all: universe(c.Topics, outsiders),
			kept: map[strategy.TopicPartition]bool{}, past: map[strategy.TopicPartition]past{},
		}
		h.play(c.newSubject, steps)
		for _, f := range h.taken() {
			c.add(f)
		}
		if h.hangs() {
			if c.hangs++; c.hangs == maxHangs {
				break
			}
		}
	}
	for rule, n := range c.more {
		c.found[rule] = append(c.found[rule], &Fault{Rule: rule, Detail: fmt.Sprintf("and %d sequences more", n)})
	}
	return c.found
}

// outsiders is how many partitions of each topic are looked at: more than are ever assigned.
const outsiders = 4

// add keeps a fault, if it is one of the first that say this.
func (c *checker) add(f *Fault) {
	says, _, _ := strings.Cut(f.Detail, "\n")
	for _, g := range c.found[f.Rule] {
		if strings.HasPrefix(g.Detail, says+"\n") {
			c.more[f.Rule]++
			return
		}
	}
	if len(c.found[f.Rule]) == maxFaults {
		c.more[f.Rule]++
		return
	}
	c.found[f.Rule] = append(c.found[f.Rule], f)
}

// A history is one life of a subject: steps, and what is wrong with how it takes them.
type history struct {
	checker  *checker
	host     *Host
	subject  Subject
	patience time.Duration
	mayFail  bool
	all      []strategy.TopicPartition

	done       []*step
	generation int32
	arguments  []argument

	kept map[strategy.TopicPartition]bool // partitions for which something was kept as soon as they were assigned
	past map[strategy.TopicPartition]past // what was known of them when their latest record was handled

	mu     sync.Mutex
	faults []*Fault
	hung   bool // a call has not returned, so that no other may be made
	over   bool // what else is found comes from calls that were given up
}

// play takes a subject through steps, until the first that shows a fault.
func (h *history) play(newSubject func(h *Host) Subject, steps []step) {
	made := new(Subject)
	if h.bounded("the function that makes the subject", func() error { *made = newSubject(h.host); return nil }) != nil {
		return
	}
	if h.subject = *made; h.subject.Callbacks == nil {
		h.fault(ruleErrors, "the subject has no callbacks")
		return
	}
	for _, s := range steps {
		if !h.step(&s) {
			break
		}
	}
	for _, a := range h.arguments {
		if !reflect.DeepEqual(a.given, a.copy) {
			h.fault(ruleArguments, "the argument of %s was changed: it was %+v, and is %+v", a.step, a.copy, a.given)
			break
		}
	}
	if h.subject.Close != nil && !h.hangs() {
		_ = h.bounded("closing the subject", h.subject.Close) // was reported
	}
}

// fault notes what is wrong. It may be called from any goroutine.
func (h *history) fault(rule, format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, format, args...)
	b.WriteString("\nin the sequence")
	for _, s := range h.done {
		b.WriteString("\n\t" + s.String())
	}
	h.faults = append(h.faults, &Fault{Rule: rule, Detail: b.String()})
}

// hang notes that a call has not returned.
func (h *history) hang() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hung = true
}

func (h *history) hangs() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hung
}

// taken ends the history and returns its faults.
func (h *history) taken() []*Fault {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	return h.faults
}

func (h *history) clean() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.faults) == 0
}

// step plays one step, and says whether to go on.
func (h *history) step(s *step) bool {
	h.mu.Lock()
	h.done = append(h.done, s)
	h.mu.Unlock()
	before, ok := h.keeping()
	if !ok {
		return false
	}
	h.host.during(s)
	err := h.call(s)
	h.host.during(nil)
	h.judge(s, err)
	if !h.clean() {
		return false
	}
	h.judgeKept(s, before, err == nil)
	if err != nil && s.kind == assign && s.ends == lives {
		return h.again(s)
	}
	if h.clean() && s.kind == assign && s.ends == lives {
		h.resume(s.parts)
	}
	if h.clean() {
		h.work()
	}
	return h.clean()
}

// again does what a host does after a failed OnAssign that it is told to try again: it takes the partitions back first. If it fails once more,
// the host ends.
func (h *history) again(s *step) bool {
	if !h.clean() || !h.step(&step{kind: revoke, parts: s.parts}) {
		return false
	}
	if n := len(h.done); n >= 3 && h.done[n-3].kind == revoke && reflect.DeepEqual(h.done[n-3].parts, s.parts) {
		if rest := h.host.current(); len(rest) > 0 {
			h.step(&step{kind: revoke, parts: rest})
		}
		return false
	}
	return h.step(&step{kind: assign, parts: s.parts})
}

// call calls the step's callback.
func (h *history) call(s *step) error {
	h.generation++
	event := callbacks.Event{Group: "consumertest", Member: "member-1", Generation: h.generation}
	switch s.kind {
	case assign:
		committed := h.host.begin(s.parts)
		event.Current = strategy.ByTopic(h.host.current())
		a := &callbacks.Assignment{Event: event, Added: strategy.ByTopic(s.parts), Committed: committed}
		h.hand(s, a.Event, a.Added, a.Committed)
		err := h.callback(s, func(ctx context.Context) error { return h.subject.Callbacks.Assigned(ctx, a) })
		starts := a.End()
		if err == nil && s.ends == lives {
			h.host.deliver(s.parts, starts, h.ends())
		}
		return err
	case revoke:
		h.host.tick(s.parts)
		event.Current = strategy.ByTopic(without(h.host.current(), s.parts))
		r := &callbacks.Revocation{Event: event, Removed: strategy.ByTopic(s.parts), Positions: h.host.positions(s.parts), CommitFunc: h.host.Commit}
		h.hand(s, r.Event, r.Removed, r.Positions)
		err := h.callback(s, func(ctx context.Context) error { return h.subject.Callbacks.Revoked(ctx, r) })
		r.End()
		h.host.drop(s.parts)
		if err != nil && h.host.commits == consumer.CommitManual {
			h.host.deny(s.parts)
		}
		return err
	default:
		h.host.drop(s.parts)
		if event.Current = strategy.ByTopic(h.host.current()); s.reason == callbacks.LossExpired {
			event.Member = "" // as the coordinator has taken it back
		}
		l := &callbacks.Loss{Event: event, Removed: strategy.ByTopic(s.parts), Reason: s.reason}
		h.hand(s, l.Event, l.Removed, nil)
		return h.callback(s, func(ctx context.Context) error { return h.subject.Callbacks.Lost(ctx, l) })
	}
}

// An argument is what a callback was handed, and what that was.
type argument struct {
	step        *step
	given, copy handed
}

type handed struct {
	Current, Partitions []strategy.TopicPartitions
	Offsets             any
}

// hand notes what a callback is handed.
func (h *history) hand(s *step, e callbacks.Event, parts []strategy.TopicPartitions, offsets any) {
	given := handed{Current: e.Current, Partitions: parts, Offsets: offsets}
	h.arguments = append(h.arguments, argument{step: s, given: given, copy: given.clone()})
}
