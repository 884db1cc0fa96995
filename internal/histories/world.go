package histories

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/assignkit/assignkit/internal/coordinator"
)

// Options decide about a world.
type Options struct {
	Seed    uint64
	Delay   time.Duration // of a message, at least; 1 ms
	Jitter  time.Duration // and up to so much more
	Brokers int           // 3
	Strict  bool          // no faults that excuse two members working on one partition, whoever may commit
	Lies    bool          // members say what is not so, until the history heals
	Faulty  Faulty
	Idle    bool // applications do nothing of themselves
	Verbose bool // keep the log of everything but heartbeats
}

// A World is a cluster, its clients and the time. It stands still unless it is run.
type World struct {
	opts    Options
	now     time.Duration
	rng     *rand.Rand
	events  eventHeap
	seq     int
	steps   int
	topics  map[string]topic
	made    int // topics
	brokers []*broker
	log     []coordinator.Record // of the group, durable
	sources []source             // of each record
	source  source               // of what is being handled
	leader  int                  // the node that coordinates, or -1
	epoch   int
	procs   []*Process // in the order in which they came, dead ones included
	pending map[uint64]origin
	ids     uint64

	blocked  []rule // requests that are kept back
	losing   []rule // answers that are lost with their connection
	holding  []rule // requests of which the next is held by its broker
	held     []func()
	killIn   coordinator.State
	lying    bool
	killNext bool // the coordinator dies when the group is next in killIn

	lines    []string // since they were last taken
	checks   []checker
	offsets  *offsetChecker
	promises promiseChecker
	faults   []error
}

// NewWorld returns a world with a coordinator and without clients.
func NewWorld(opts Options) *World {
	if opts.Delay == 0 {
		opts.Delay = time.Millisecond
	}
	if opts.Brokers == 0 {
		opts.Brokers = 3
	}
	w := &World{opts: opts, rng: rand.New(rand.NewPCG(opts.Seed, 1)), topics: map[string]topic{}, pending: map[uint64]origin{}, leader: -1, lying: opts.Lies}
	w.offsets = newOffsetChecker()
	w.checks = []checker{&ownerChecker{}, &callbackChecker{}, w.offsets, &zombieChecker{}, &endingChecker{}}
	for i := range opts.Brokers {
		w.brokers = append(w.brokers, newBroker(w, i))
	}
	w.elect(0, 0)
	return w
}

// An event is something that will happen.
type event struct {
	at  time.Duration
	seq int
	do  func()
}

type eventHeap []event

func (h eventHeap) Len() int { return len(h) }
func (h eventHeap) Less(i, k int) bool {
	return h[i].at < h[k].at || h[i].at == h[k].at && h[i].seq < h[k].seq
}
func (h eventHeap) Swap(i, k int) { h[i], h[k] = h[k], h[i] }
func (h *eventHeap) Push(x any)   { *h = append(*h, x.(event)) }
func (h *eventHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	*h = (*h)[:last]
	return e
}

// at has something happen at a time, or as soon as possible if that has gone by.
func (w *World) at(t time.Duration, do func()) {
	w.seq++
	heap.Push(&w.events, event{at: max(t, w.now), seq: w.seq, do: do})
}

// maxSteps bounds a history: more is a loop.
const maxSteps = 200_000

// Run lets time pass until a moment, or until something is found that must not be.
func (w *World) Run(until time.Duration) {
	for len(w.events) > 0 && w.events[0].at <= until && len(w.faults) == 0 {
		e := heap.Pop(&w.events).(event)
		w.now = e.at
		e.do()
		if w.steps++; w.steps > maxSteps {
			w.fault("a loop: %d events in %v", w.steps, w.now)
			return
		}
		for _, c := range w.checks {
			if err := c.after(w); err != nil {
				w.fault("%v", err)
			}
		}
	}
	if len(w.faults) == 0 {
		w.now = max(w.now, until)
	}
}

// Now is the time.
func (w *World) Now() time.Duration { return w.now }

// Faults is what was found that must not be.
func (w *World) Faults() []error { return w.faults }

func (w *World) fault(format string, args ...any) {
	err := fmt.Errorf("at %v: "+format, append([]any{w.now}, args...)...)
	w.faults = append(w.faults, err)
	w.note("FAULT %v", err)
}

// note keeps a line for who reads the history.
func (w *World) note(format string, args ...any) {
	if w.opts.Verbose {
		w.lines = append(w.lines, fmt.Sprintf("%6d ms  ", w.now.Milliseconds())+fmt.Sprintf(format, args...))
	}
}

// Lines returns what was noted since it was last asked.
func (w *World) Lines() []string {
	lines := w.lines
	w.lines = nil
	return lines
}

// delay draws how long a message takes.
func (w *World) delay() time.Duration {
	if w.opts.Jitter == 0 {
		return w.opts.Delay
	}
	return w.opts.Delay + time.Duration(w.rng.Int64N(int64(w.opts.Jitter)))
}

// coordinator returns the machine that coordinates, or nil.
func (w *World) coordinator() *coordinator.Machine {
	if w.leader < 0 {
		return nil
	}
	return w.brokers[w.leader].machine
}
