package bench

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"github.com/assignkit/assignkit/simulation"
	"github.com/assignkit/assignkit/strategy"
)

// window is how long a rebalance takes to gather its members: each learns of it with its next heartbeat, 3 s later at most. What else
// happens meanwhile is part of the same rebalance.
const window = 3 * time.Second

// A clock is virtual time in which members come and go. Whatever happens within a window becomes one event of a scenario.
type clock struct {
	now   time.Duration
	queue alarms
	count int // of alarms so far: those of one time ring in the order in which they were set

	since   time.Duration // when the first of pending happened
	pending simulation.Change
	back    []string // static members that were away for less than their session
	open    bool

	events []simulation.Event
	at     []time.Duration
}

// alarm is something that is to happen.
type alarm struct {
	at     time.Duration
	number int
	ring   func()
}

type alarms []alarm

func (a alarms) Len() int      { return len(a) }
func (a alarms) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *alarms) Push(x any)   { *a = append(*a, x.(alarm)) }
func (a alarms) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(a[i].at, a[j].at), cmp.Compare(a[i].number, a[j].number)) < 0
}

func (a *alarms) Pop() any {
	last := len(*a) - 1
	x := (*a)[last]
	*a = (*a)[:last]
	return x
}

// after has something happen when so much time has passed.
func (c *clock) after(d time.Duration, ring func()) {
	c.count++
	heap.Push(&c.queue, alarm{c.now + max(0, d), c.count, ring})
}

// run lets time pass until nothing is left to happen.
func (c *clock) run() {
	for len(c.queue) > 0 {
		next := heap.Pop(&c.queue).(alarm)
		if c.open && next.at > c.since+window {
			c.flush()
		}
		c.now = next.at
		next.ring()
	}
	c.flush()
}

// begin opens a window if none is.
func (c *clock) begin() {
	if !c.open {
		c.open, c.since = true, c.now
	}
}

// flush turns what is pending into events.
func (c *clock) flush() {
	if len(c.back) > 0 {
		c.emit(simulation.Restart{Members: c.back})
	}
	if p := &c.pending; len(p.Leave)+len(p.Set)+len(p.Join) > 0 || p.Topics != nil {
		c.emit(*p)
	}
	c.open, c.pending, c.back = false, simulation.Change{}, nil
}

func (c *clock) emit(e simulation.Event) {
	c.events, c.at = append(c.events, e), append(c.at, c.since)
}

// join has a member join.
func (c *clock) join(m strategy.Member) {
	c.begin()
	c.pending.Join = append(c.pending.Join, m)
}

// leave has a member leave: by itself, or as its session has timed out. One that has joined within the same window has never been there.
func (c *clock) leave(id string) {
	for i := range c.pending.Join {
		if c.pending.Join[i].ID == id {
			c.pending.Join = slices.Delete(c.pending.Join, i, i+1)
			return
		}
	}
	c.begin()
	c.pending.Leave = append(c.pending.Leave, id)
}

// returned notes that a static member is back before its session has timed out: nothing is rebalanced.
func (c *clock) returned(id string) {
	c.begin()
	c.back = append(c.back, id)
}

// become has the topics be these from now on.
func (c *clock) become(topics []strategy.Topic) {
	c.begin()
	c.pending.Topics = topics
}

// sequence is what has happened to a group.
func (c *clock) sequence(start strategy.Group) *Sequence {
	return &Sequence{Scenario: &simulation.Scenario{Group: start, Events: c.events}, At: c.at}
}
