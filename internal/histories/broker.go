package histories

import (
	"time"

	"github.com/assignkit/assignkit/internal/coordinator"
	"github.com/assignkit/assignkit/internal/membership/wire"
)

// groupName is the group that all histories are about.
const groupName = "g"

// A broker is a node that may coordinate.
type broker struct {
	w       *World
	node    int
	life    int // grows with each death
	alive   bool
	deposed bool // another coordinates, and this one does not know
	machine *coordinator.Machine
	wakeAt  time.Duration
}

func newBroker(w *World, node int) *broker {
	b := &broker{w: w, node: node, alive: true, wakeAt: coordinator.Never}
	b.restart()
	return b
}

func (b *broker) restart() {
	cfg := coordinator.Config{}
	if f := b.w.opts.Faulty.Coordinator; f != nil {
		f(&cfg)
	}
	b.machine = coordinator.New(cfg)
	b.deposed = false
	b.step(coordinator.Metadata{Partitions: b.w.partitionCounts()})
}

func (b *broker) step(in coordinator.Input) {
	if !b.alive {
		return
	}
	w := b.w
	before, generation, _ := b.machine.State(groupName)
	out := b.machine.Step(w.now, in)
	if b.deposed && len(out.Append) > 0 {
		b.learn(&out)
	}
	w.log = append(w.log, out.Append...)
	for range out.Append {
		w.sources = append(w.sources, w.source)
	}
	for _, r := range out.Replies {
		w.answer(r.ID, r.Body)
	}
	if out.Wake < coordinator.Never && (out.Wake < b.wakeAt || b.wakeAt <= w.now) {
		b.wakeAt = out.Wake
		life := b.life
		w.at(out.Wake, func() {
			if b.life == life && b.wakeAt == out.Wake {
				b.wakeAt = coordinator.Never
				b.step(coordinator.Tick{})
			}
		})
	}
	if state, g, n := b.machine.State(groupName); state != before || g != generation {
		was := ""
		if b.deposed {
			was = "deposed "
		}
		w.note("%scoordinator: %v generation=%d members=%d", was, state, g, n)
		if w.killNext && state == w.killIn && w.leader == b.node {
			w.killNext = false
			w.at(w.now, w.KillCoordinator)
		}
	}
}

// elect makes a node the coordinator after a while, in which there is none.
func (w *World) elect(node int, after time.Duration) {
	w.leader = -1
	w.epoch++
	epoch := w.epoch
	w.at(w.now+after, func() {
		if epoch != w.epoch {
			return
		}
		b := w.brokers[node]
		w.leader = node
		b.resign()
		b.step(coordinator.Elected{Epoch: epoch})
		w.at(w.now+after/4, func() {
			if epoch == w.epoch {
				b.step(coordinator.Replayed{Records: w.log})
				w.note("broker %d coordinates", node)
			}
		})
	})
}

// KillCoordinator ends the broker that coordinates. Another takes over in some time, and it comes back as a follower.
func (w *World) KillCoordinator() {
	if w.leader < 0 {
		return
	}
	b := w.brokers[w.leader]
	state, _, _ := b.machine.State(groupName)
	w.note("broker %d dies, the group is %v", b.node, state)
	b.alive = false
	b.life++
	b.wakeAt = coordinator.Never
	for _, p := range w.procs {
		for _, c := range p.lanes {
			if c != nil && c.node == b.node {
				c.breakOff(w.delay())
			}
		}
	}
	takes := 500 * time.Millisecond
	if w.opts.Jitter > 0 {
		takes = time.Duration(w.rng.Int64N(int64(3 * time.Second)))
	}
	next := (b.node + 1) % len(w.brokers)
	w.elect(next, takes)
	w.at(w.now+takes/2, func() {
		b.alive = true
		b.restart()
	})
}

// KillCoordinatorIn has the coordinator die as soon as the group is in a state.
func (w *World) KillCoordinatorIn(s coordinator.State) { w.killIn, w.killNext = s, true }

// MoveCoordinator makes another broker the coordinator, in an orderly way.
func (w *World) MoveCoordinator() {
	if w.leader < 0 {
		return
	}
	b := w.brokers[w.leader]
	w.note("broker %d resigns", b.node)
	next := (b.node + 1) % len(w.brokers)
	w.elect(next, 50*time.Millisecond)
	b.step(coordinator.Resigned{})
}

// deleteGroup deletes the group, if it has no members.
func (w *World) deleteGroup() {
	if w.leader >= 0 {
		w.brokers[w.leader].step(coordinator.Delete{Group: groupName})
	}
}

// find answers FindCoordinator, which any broker does.
func (w *World) find() wire.FindCoordinatorReply {
	if w.leader < 0 {
		return wire.FindCoordinatorReply{Code: wire.CoordinatorNotAvailable, Node: -1}
	}
	return wire.FindCoordinatorReply{Node: int32(w.leader)}
}
